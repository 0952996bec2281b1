/**
 * Proving who a key is: the hot path of every request.
 *
 * Look-ups are cached for a second, so that a key revoked by another process is refused within one. A miss is not
 * cached: a stranger must not fill the memory.
 */
import { eq, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/open.ts";
import { apiKey, project } from "../db/sqlite.ts";
import { Fault } from "../errors.ts";
import { isScope, type Principal } from "./principal.ts";
import { hashSecret, isSecret } from "./secret.ts";

const FRESH_MS = 1000;
const CACHE_MAX = 10_000;
const LAST_USED_STEP_SECONDS = 60;

type Known = {
  principal: Principal;
  revoked: boolean;
  expiresAt: number | null;
  lastUsedAt: number;
  readAt: number;
};

/** Answers the principal of a secret, or throws one of the 401 faults. */
export function openAuthentication(database: Database, clock: Clock): (secret: string) => Principal {
  const cache = new Map<string, Known>();
  const look = lookUp(database);
  const touch = database
    .update(apiKey)
    .set({ lastUsedAt: sql.placeholder("now") as never })
    .where(eq(apiKey.id, sql.placeholder("id")))
    .prepare();

  function find(secret: string): Known {
    const name = hashSecret(secret).toString("latin1");
    const cached = cache.get(name);
    if (cached && clock.now() - cached.readAt < FRESH_MS) return cached;
    cache.delete(name);
    const row = look(Buffer.from(name, "latin1"));
    if (!row) throw invalid();
    const known = { ...row, readAt: clock.now() };
    if (cache.size >= CACHE_MAX) cache.delete(cache.keys().next().value!);
    cache.set(name, known);
    return known;
  }

  return (secret) => {
    if (!isSecret(secret)) throw invalid();
    const known = find(secret);
    const now = unixSeconds(clock);
    if (known.revoked) throw new Fault("api_key_revoked", "This API key was revoked.");
    if (known.expiresAt !== null && known.expiresAt <= now)
      throw new Fault("api_key_expired", "This API key expired.");
    if (now - known.lastUsedAt >= LAST_USED_STEP_SECONDS) {
      known.lastUsedAt = now;
      touch.run({ now, id: known.principal.keyId });
    }
    return known.principal;
  };
}

function lookUp(database: Database) {
  const query = database
    .select()
    .from(apiKey)
    .innerJoin(project, eq(apiKey.projectId, project.id))
    .where(eq(apiKey.hash, sql.placeholder("hash")))
    .prepare();
  return (hash: Buffer): Omit<Known, "readAt"> | null => {
    const row = query.get({ hash });
    if (!row) return null;
    const { id, organizationId, projectId, environment, scopes, revokedAt, expiresAt, lastUsedAt } =
      row.api_key;
    const principal = {
      keyId: id,
      organizationId,
      projectId,
      environment,
      scopes: new Set(scopes.filter(isScope)),
    };
    const revoked = revokedAt !== null || row.project.status === "archived";
    return { principal, revoked, expiresAt, lastUsedAt: lastUsedAt ?? 0 };
  };
}

const invalid = () => new Fault("invalid_api_key", "This API key is not known here.");
