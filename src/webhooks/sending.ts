/** Sends one event to one endpoint: signed, without redirects, within fifteen seconds; of the answer, nothing is read but its head. */
import { version } from "../../package.json";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Encryption } from "../db/encryption.ts";
import type { EventRow } from "../db/queries/event-rows.ts";
import type { EndpointRow } from "../db/queries/webhook-endpoints.ts";
import { Refusal } from "../errors.ts";
import { checkedUrl, type Guard, guardedRequest } from "../net/guarded-request.ts";
import { signedHeaders } from "./signing.ts";

const ATTEMPT_MS = 15_000;

type Answer = { statusCode: number; retryAfter: string | undefined };

export type Send = (endpoint: EndpointRow, event: EventRow, signal: AbortSignal) => Promise<Answer>;

type SendDeps = { guard: Guard; encryption: Encryption; clock: Clock };

/** Throws a refusal where the endpoint does not answer, may not be reached, or its secret cannot be decrypted. */
export const openSend =
  ({ guard, encryption, clock }: SendDeps): Send =>
  async (endpoint, event, signal) => {
    const timestamp = unixSeconds(clock);
    const secrets = await secretsOf(encryption, endpoint, timestamp);
    const body = bodyOf(event);
    const answer = await guardedRequest(guard, checkedUrl(endpoint.url, "url"), {
      ...{ method: "POST", body, totalMs: ATTEMPT_MS, signal, param: "url" },
      headers: {
        "content-type": "application/json",
        "user-agent": `Loquat-Webhooks/${version}`,
        ...signedHeaders({ id: event.id, body, timestamp }, secrets),
      },
    });
    answer.close();
    const retryAfter = answer.headers["retry-after"];
    return { statusCode: answer.status, retryAfter: typeof retryAfter === "string" ? retryAfter : undefined };
  };

/** The event as OpenAI's clients know events, with the organization and the project. */
const bodyOf = ({ id, type, createdAt, organizationId, projectId, data }: EventRow): string =>
  JSON.stringify({
    ...{ id, object: "event", type, created_at: createdAt },
    timestamp: new Date(createdAt * 1000).toISOString(),
    ...{ organization_id: organizationId, project_id: projectId },
    data: JSON.parse(data) as object,
  });

async function secretsOf(
  encryption: Encryption,
  { id, secret, oldSecret, oldSecretUntil }: EndpointRow,
  now: number,
): Promise<string[]> {
  const isKept = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now;
  const sealed = [secret, ...(isKept ? [oldSecret] : [])];
  const opened = await Promise.all(sealed.map((text) => encryption.decrypt(id, Buffer.from(text, "base64"))));
  const secrets = opened.flatMap((bytes) => (bytes === null ? [] : [bytes.toString()]));
  if (secrets.length < sealed.length) throw unreadable();
  return secrets;
}

const unreadable = () =>
  new Refusal(
    "service_unavailable",
    "The signing secret was encrypted with another LOQUAT_SECRET. Rotate it, or set the former one.",
    { retryAfterSeconds: 60 },
  );
