/**
 * Ephemeral secrets: what a page in a browser may hold. A key mints one for some minutes; it opens realtime sessions
 * with the settings it was minted with, as that key, and does nothing else.
 */
import { eq, lt } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/open.ts";
import { Fault, reached } from "../errors.ts";
import { invalid, isRevoked, principalOf, revoked } from "./authenticate.ts";
import type { Principal } from "./principal.ts";
import { hashSecret, isClientSecret, newClientSecret } from "./secret.ts";

const FORGOTTEN_SECONDS = 86_400; // until then an old one is told that it expired

type NewClientSecret = { keyId: string; session: object; seconds: number };

export type ClientSecrets = {
  /** The only time the secret is seen. `expiresAt` in Unix seconds. */
  mintClientSecret(secret: NewClientSecret): Promise<{ secret: string; expiresAt: number }>;
  /** Who minted it, and the settings; fails with one of the 401 faults. */
  redeemClientSecret(secret: string): Promise<{ principal: Principal; session: object }>;
  /** Whether a session that this key opened must end. */
  isKeyRevoked(keyId: string): Promise<boolean>;
};

export function openClientSecrets({ query, tables }: Database, clock: Clock): ClientSecrets {
  const { clientSecret, apiKey, project, organization } = tables;
  return {
    async mintClientSecret({ keyId, session, seconds }) {
      const secret = newClientSecret();
      const createdAt = unixSeconds(clock);
      const expiresAt = createdAt + seconds;
      const row = { hash: hashSecret(secret), keyId, session, createdAt, expiresAt };
      await reached("The accounts", query.insert(clientSecret).values(row));
      const old = query.delete(clientSecret).where(lt(clientSecret.expiresAt, createdAt - FORGOTTEN_SECONDS));
      await reached("The accounts", old);
      return { secret, expiresAt };
    },
    async redeemClientSecret(secret) {
      if (!isClientSecret(secret)) throw invalid();
      const found = query
        .select()
        .from(clientSecret)
        .innerJoin(apiKey, eq(clientSecret.keyId, apiKey.id))
        .innerJoin(project, eq(apiKey.projectId, project.id))
        .innerJoin(organization, eq(apiKey.organizationId, organization.id))
        .where(eq(clientSecret.hash, hashSecret(secret)));
      const [row] = await reached("The accounts", found);
      if (!row) throw invalid();
      if (isRevoked(row)) throw revoked();
      if (row.client_secret.expiresAt <= unixSeconds(clock))
        throw new Fault("api_key_expired", "This client secret expired. Mint another.");
      return { principal: principalOf(row), session: row.client_secret.session };
    },
    async isKeyRevoked(keyId) {
      const [row] = await query
        .select()
        .from(apiKey)
        .innerJoin(project, eq(apiKey.projectId, project.id))
        .where(eq(apiKey.id, keyId));
      return row === undefined || isRevoked(row);
    },
  };
}
