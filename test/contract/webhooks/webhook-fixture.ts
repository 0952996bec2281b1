/** What tests of webhooks stand on: two organizations, a node that delivers at a held clock, and a receiver. */
import { afterEach, beforeEach } from "bun:test";
import type { Database } from "../../../src/db/database.ts";
import { raisedBy } from "../../../src/db/queries/event-rows.ts";
import { openWorkRows } from "../../../src/db/queries/work-rows.ts";
import type { EventType } from "../../../src/events/event-types.ts";
import { type NewEvent, openRaising } from "../../../src/events/raising.ts";
import { openLog } from "../../../src/log/log.ts";
import { openGuard } from "../../../src/net/guarded-request.ts";
import type { Endpoint } from "../../../src/webhooks/endpoints.ts";
import { openWebhooks, type Webhooks } from "../../../src/webhooks/outgoing-webhooks.ts";
import { openWork, type Work } from "../../../src/work/work-queue.ts";
import { heldClock } from "../../harness.ts";
import { openReceiver, type Receiver } from "../../webhooks/receiver.ts";
import type { AccountFixture } from "../accounts/fresh-accounts.ts";
import { twoOrganizations } from "../two-organizations.ts";

export const SECOND_MS = 1000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const answer = (status: number, headers: Record<string, string> = {}) =>
  new Response(null, { status, headers });
export const failures = (count: number) => Array.from({ length: count }, () => answer(500));

type Node = { webhooks: Webhooks; work: Work };

/** Anew for each test. */
type WebhookFixture = {
  database: Database;
  mine: string;
  theirs: string;
  node: Node;
  receiver: Receiver;
  /** Mails to owners. */
  told: { organizationId: string | null; text: string }[];
};

export function webhookFixture(prepare: () => Promise<AccountFixture>) {
  const clock = heldClock(Date.now());
  const fixture = {} as WebhookFixture;
  let nodes: Work[] = [];
  twoOrganizations(prepare, clock, ({ database, mine, theirs }) => {
    Object.assign(fixture, { database, mine, theirs, told: [] });
  });
  beforeEach(() => {
    fixture.node = openNode("one");
    fixture.receiver = openReceiver();
  });
  afterEach(async () => {
    fixture.receiver[Symbol.dispose]();
    for (const work of nodes) await work[Symbol.asyncDispose]();
    nodes = [];
  });

  function openNode(name: string): Node {
    const { database } = fixture;
    const log = openLog("debug", () => {});
    const work = openWork({ rows: openWorkRows(database), node: name, clock, log });
    nodes.push(work);
    const webhooks = openWebhooks({
      ...{ database, work, clock, log, guard: openGuard({ networks: ["127.0.0.0/8"] }), random: () => 0.5 },
      secrets: { configured: "a secret of 32 characters or more", generated: async () => "" },
      async tellOwners(organizationId, { subject, lines }) {
        fixture.told.push({ organizationId, text: [subject, ...lines].join("\n") });
      },
    });
    return { webhooks, work };
  }

  const raise = openRaising(clock);
  const raised = (event: Partial<NewEvent> = {}) =>
    raise({ type: "api_key.revoked", organizationId: fixture.mine, data: { id: "key_1" }, ...event });
  const deliveries = (endpoint: Endpoint) =>
    fixture.node.webhooks.deliveries(endpoint, { status: null, after: null, limit: 100 });
  return Object.assign(fixture, {
    ...{ clock, openNode, raised, deliveries },
    create: async (
      eventTypes: EventType[] = ["api_key.revoked"],
      of: { organizationId?: string | null; projectId?: string; url?: string } = {},
    ) => {
      const owner = { organizationId: fixture.mine, projectId: null, url: fixture.receiver.url };
      return fixture.node.webhooks.create({ ...owner, ...of, name: "Hook", eventTypes });
    },
    /** Its id. */
    async cause(event: Partial<NewEvent> = {}): Promise<string> {
      const made = raised(event);
      await fixture.database.atomically(raisedBy(fixture.database, made));
      return made.event.id;
    },
    first: async (endpoint: Endpoint) => (await deliveries(endpoint))[0]!,
    reread: async ({ id, organizationId }: Endpoint) =>
      (await fixture.node.webhooks.find({ organizationId, projectId: null }, id))!,
    ids: () => fixture.receiver.received.map(({ id }) => id),
    async run(passMs = 0): Promise<void> {
      clock.pass(passMs);
      await fixture.node.work.run();
    },
  });
}
