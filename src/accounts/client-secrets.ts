/**
 * Ephemeral secrets for browsers. A key mints one for a few minutes; the secret opens realtime sessions with the
 * settings it was minted with, as that key, and nothing else.
 */
import { and, count, eq, gt, lt } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { Refusal, unavailableOnError } from "../errors.ts";
import { expired, invalid, isExpired, principalOf, refusalOf } from "./authenticate.ts";
import type { Principal } from "./principal.ts";
import { hashSecret, isClientSecret, newClientSecret } from "./secret.ts";

const KEPT_SECONDS = 60; // after expiry, to answer "expired" instead of "unknown"
const LIVE_MAX = 1000; // of one key
const RETRY_SECONDS = 60;

type NewClientSecret = { keyId: string; session: object; seconds: number };

export type ClientSecrets = {
  /** Returns the secret, once. It expires no later than its key; `expiresAt` in Unix seconds. */
  mintClientSecret(secret: NewClientSecret): Promise<{ secret: string; expiresAt: number }>;
  /** The principal that minted it, and the settings; fails as authentication does. */
  redeemClientSecret(secret: string): Promise<{ principal: Principal; session: object }>;
  /** Deletes a secret; false where it is gone already. */
  endClientSecret(secret: string): Promise<boolean>;
  /** Why a session opened with this key must end, or null: the key may not be used any more. */
  endOfKey(keyId: string): Promise<Refusal | null>;
  /** Deletes secrets that expired a while ago. */
  forgetClientSecrets(): Promise<void>;
};

export function openClientSecrets(database: Database, clock: Clock): ClientSecrets {
  const { query, tables } = database;
  const { clientSecret, apiKey, project, organization } = tables;
  const forgetClientSecrets = async () => {
    const before = unixSeconds(clock) - KEPT_SECONDS;
    await query.delete(clientSecret).where(lt(clientSecret.expiresAt, before));
  };
  return {
    ...minting(database, clock, forgetClientSecrets),
    forgetClientSecrets,
    async redeemClientSecret(secret) {
      if (!isClientSecret(secret)) throw invalid();
      const ended = query
        .select()
        .from(clientSecret)
        .innerJoin(apiKey, eq(clientSecret.keyId, apiKey.id))
        .innerJoin(project, eq(apiKey.projectId, project.id))
        .innerJoin(organization, eq(apiKey.organizationId, organization.id))
        .where(eq(clientSecret.hash, hashSecret(secret)));
      const [row] = await unavailableOnError("The accounts", ended);
      if (!row) throw invalid();
      const now = unixSeconds(clock);
      const refusal = refusalOf(row);
      if (refusal) throw refusal();
      if (isExpired(row.api_key, now)) throw expired();
      if (row.client_secret.expiresAt <= now)
        throw new Refusal("api_key_expired", "This client secret has expired. Create a new one.");
      return { principal: principalOf(row, now), session: row.client_secret.session };
    },
    async endClientSecret(secret) {
      const ended = query
        .delete(clientSecret)
        .where(eq(clientSecret.hash, hashSecret(secret)))
        .returning({ hash: clientSecret.hash });
      return (await unavailableOnError("The accounts", Promise.resolve(ended))).length > 0;
    },
    async endOfKey(keyId) {
      const [row] = await query
        .select()
        .from(apiKey)
        .innerJoin(project, eq(apiKey.projectId, project.id))
        .innerJoin(organization, eq(apiKey.organizationId, organization.id))
        .where(eq(apiKey.id, keyId));
      if (!row) return invalid();
      const refusal = refusalOf(row);
      if (refusal) return refusal();
      return isExpired(row.api_key, unixSeconds(clock)) ? expired() : null;
    },
  };
}

function minting({ query, tables }: Database, clock: Clock, forgetOld: () => Promise<void>) {
  const { clientSecret, apiKey } = tables;
  async function insert({ keyId, session, seconds }: NewClientSecret) {
    const createdAt = unixSeconds(clock);
    const [key] = await query.select().from(apiKey).where(eq(apiKey.id, keyId));
    if (!key) throw invalid();
    if (isExpired(key, createdAt)) throw expired();
    const live = and(eq(clientSecret.keyId, keyId), gt(clientSecret.expiresAt, createdAt));
    const [held] = await query.select({ live: count() }).from(clientSecret).where(live);
    if (Number(held!.live) >= LIVE_MAX) throw tooMany();
    const secret = newClientSecret();
    const expiresAt = Math.min(createdAt + seconds, key.expiresAt ?? Number.POSITIVE_INFINITY);
    await query
      .insert(clientSecret)
      .values({ hash: hashSecret(secret), keyId, session, createdAt, expiresAt });
    await forgetOld();
    return { secret, expiresAt };
  }
  return {
    mintClientSecret: (secret: NewClientSecret) => unavailableOnError("The accounts", insert(secret)),
  };
}

const tooMany = () =>
  new Refusal(
    "rate_limit_exceeded",
    `A key has at most ${LIVE_MAX} client secrets at once. Wait until some expire.`,
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  );
