/**
 * Signatures of deliveries as Standard Webhooks defines them: HMAC-SHA256 over `id.timestamp.body`, in base 64 behind `v1,`.
 * Secrets are `whsec_` and 32 random bytes in base 64.
 */
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";

export const newSigningSecret = (): string => PREFIX + randomBytes(32).toString("base64");

/** What stays visible of a secret. */
export const hintOf = (secret: string): string => `${PREFIX}…${secret.replaceAll("=", "").slice(-4)}`;

type Signed = { id: string; body: string; timestamp: number };

/** The headers of an attempt: one signature for each secret. `timestamp`: Unix seconds of the attempt. */
export function signedHeaders({ id, body, timestamp }: Signed, secrets: readonly string[]) {
  const signature = secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
}
