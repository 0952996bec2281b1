/**
 * Outgoing webhooks: endpoints, the delivery of events to them, and what is sent on demand.
 *
 *   cause ──its transaction──> event, deliveries, work ──> deliveries.ts ──> sending.ts ──> the endpoint
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type EncryptionSecrets, openEncryption } from "../db/encryption.ts";
import { type Delivery, openDeliveryRows } from "../db/queries/webhook-deliveries.ts";
import { openEndpointRows } from "../db/queries/webhook-endpoints.ts";
import { Refusal } from "../errors.ts";
import { EVENT_TYPES, type EventType } from "../events/event-types.ts";
import { newId } from "../ids.ts";
import { openRate } from "../limits/request-rate.ts";
import type { Log } from "../log/log.ts";
import type { Guard } from "../net/guarded-request.ts";
import type { Work } from "../work/work-queue.ts";
import { type DeliveryDeps, handleDeliveries } from "./deliveries.ts";
import { type Endpoint, type Endpoints, openEndpoints, replayOf } from "./endpoints.ts";
import { handleOwnerMail, type TellOwners } from "./owner-letter.ts";
import { openSend, type Send } from "./sending.ts";

const REPLAYED_MAX = 1000;
/** Of an organization, at a node: each holds a connection for up to 15 seconds. */
const TESTS_PER_MINUTE = 20;

/** Without the delivery of events: what a command of the command line does. */
export type ManagedWebhooks = Endpoints & {
  /** Sends a sample now, and returns the status of the answer. */
  test(endpoint: Endpoint, type: EventType, signal: AbortSignal): Promise<number>;
};

export type Webhooks = ManagedWebhooks & {
  /** Newest first. */
  deliveries(endpoint: Endpoint, filter: DeliveryFilter): Promise<Delivery[]>;
  /** Sends it again, at once. Null where the endpoint has no such delivery. */
  retry(endpoint: Endpoint, deliveryId: string): Promise<Delivery | null>;
  /** Sends events of a time again, from the first Unix second on and before the second: the oldest 1,000. */
  replay(endpoint: Endpoint, time: { from: number; before: number }): Promise<Replayed>;
};

/** `until`: when the last of them happened, if `hasMore` of the time. */
export type Replayed = { events: number; hasMore: boolean; until: number | null };
type DeliveryFilter = { status: Delivery["status"] | null; after: string | null; limit: number };

type ManagedDeps = {
  database: Database;
  guard: Guard;
  secrets: EncryptionSecrets;
  clock: Clock;
};

type WebhookDeps = ManagedDeps & {
  work: Work;
  tellOwners: TellOwners;
  /** The common time of nodes that share a database. */
  clock: Clock;
  log: Log;
  attempted?: DeliveryDeps["attempted"];
  random?: () => number;
};

export function openWebhooks({ random = Math.random, attempted = () => {}, ...deps }: WebhookDeps): Webhooks {
  const { database, work, clock } = deps;
  const { send, ...managed } = managing(deps, () => work.wake());
  const rows = openDeliveryRows(database);
  handleDeliveries({ ...deps, send, attempted, random });
  handleOwnerMail(deps);
  return {
    ...managed,
    deliveries: ({ id }, filter) => rows.list(id, filter),
    async retry(endpoint, deliveryId) {
      const delivery = await rows.find(deliveryId);
      if (delivery?.endpointId !== endpoint.id) return null;
      requireOn(endpoint);
      await rows.sendAgain(delivery, unixSeconds(clock));
      work.wake();
      return rows.find(deliveryId);
    },
    async replay(endpoint, time) {
      requireOn(endpoint);
      const at = { nowSeconds: unixSeconds(clock), max: REPLAYED_MAX };
      const replayed = await rows.replay(replayOf(endpoint, time), at);
      work.wake();
      const hasMore = replayed.length === REPLAYED_MAX;
      return { events: replayed.length, hasMore, until: replayed.at(-1)?.createdAt ?? null };
    },
  };
}

export function openManagedWebhooks(deps: ManagedDeps): ManagedWebhooks {
  const { send: _, ...managed } = managing(deps, () => {});
  return managed;
}

function managing({ secrets, ...deps }: ManagedDeps, raised: () => void): ManagedWebhooks & { send: Send } {
  const { clock } = deps;
  const encryption = openEncryption("loquat webhooks", secrets);
  const send = openSend({ ...deps, encryption });
  const endpoints = openEndpointRows(deps.database);
  const countTest = openRate(TESTS_PER_MINUTE, clock);
  return {
    ...openEndpoints({ ...deps, encryption, raised }),
    send,
    async test({ id, organizationId, projectId }, type, signal) {
      countTest(organizationId ?? "", "Webhook endpoints may be tested");
      const row = await endpoints.find({ organizationId, projectId: null }, id);
      if (row === null) throw new Refusal("not_found", "There is no such webhook endpoint.");
      const data = JSON.stringify(EVENT_TYPES[type].sample);
      const sample = { id: newId("evt", clock), type, organizationId, projectId, data };
      try {
        return (await send(row, { ...sample, createdAt: unixSeconds(clock) }, signal)).statusCode;
      } catch (cause) {
        if (!(cause instanceof Refusal) || cause.code !== "url_unreachable") throw cause;
        throw new Refusal(
          "webhook_unreachable",
          "The endpoint did not answer within 15 seconds, or not as a web server.",
          { cause },
        );
      }
    },
  };
}

function requireOn({ status }: Endpoint): void {
  if (status === "enabled") return;
  const message = 'The endpoint is switched off. Switch it on first, with {"status": "enabled"}.';
  throw new Refusal("webhook_disabled", message);
}
