/** API keys: making, listing, changing, rotating, revoking. Records are as the API shows them. */
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/open.ts";
import { Fault } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Scope } from "./principal.ts";
import { type Environment, hashSecret, newSecret, shownParts } from "./secret.ts";

type Row = Tables["apiKey"]["$inferSelect"];

export type NewKey = {
  projectId: string;
  name: string;
  environment: Environment;
  scopes: readonly Scope[];
  /** Unix seconds, or null for never. */
  expiresAt: number | null;
};

type KeyRecord = ReturnType<typeof keyRecord>;

/** The only time the secret is seen. */
export type KeyWithSecret = KeyRecord & { secret: string };

export type Keys = {
  createKey(key: NewKey): Promise<KeyWithSecret>;
  /** Newest first; revoked and expired ones too. */
  listKeys(): Promise<KeyRecord[]>;
  /** Null when there is no such key, here and below. */
  key(id: string): Promise<KeyRecord | null>;
  updateKey(
    id: string,
    change: Partial<Pick<NewKey, "name" | "scopes" | "expiresAt">>,
  ): Promise<KeyRecord | null>;
  /** A new secret for the same name, scopes and environment; the old one holds for `graceSeconds` more. */
  rotateKey(id: string, graceSeconds: number): Promise<KeyWithSecret | null>;
  /** Idempotent. */
  revokeKey(id: string): Promise<KeyRecord | null>;
};

export function openKeys(database: Database, clock: Clock): Keys {
  const { query, tables } = database;
  const { apiKey, project } = tables;

  async function rowOf(id: string): Promise<Row | null> {
    const [row] = await query.select().from(apiKey).where(eq(apiKey.id, id));
    return row ?? null;
  }
  const shown = (row: Row | null | undefined) => (row ? keyRecord(row, clock) : null);

  return {
    async createKey(key) {
      const [owner] = await query.select().from(project).where(eq(project.id, key.projectId));
      if (!owner) throw new Fault("not_found", `There is no project ${key.projectId}.`);
      if (owner.status === "archived") throw new Fault("project_archived", `${owner.name} is archived.`);
      const { row, secret } = newKey(key, owner.organizationId, clock);
      await query.insert(apiKey).values(row);
      return { ...keyRecord(row, clock), secret };
    },
    async listKeys() {
      const rows = await query.select().from(apiKey).orderBy(desc(apiKey.createdAt), desc(apiKey.id));
      return rows.map((row) => keyRecord(row, clock));
    },
    key: async (id) => shown(await rowOf(id)),
    async updateKey(id, { scopes, ...change }) {
      const row = await rowOf(id);
      if (row && shown(row)?.status !== "active") throw notActive(row);
      const [changed] = await query
        .update(apiKey)
        .set({ ...change, ...(scopes ? { scopes: [...scopes] } : {}), id })
        .where(eq(apiKey.id, id))
        .returning();
      return shown(changed);
    },
    async rotateKey(id, graceSeconds) {
      const old = await rowOf(id);
      if (!old) return null;
      if (shown(old)?.status !== "active") throw notActive(old);
      const { row, secret } = newKey({ ...old, scopes: old.scopes as Scope[] }, old.organizationId, clock);
      const now = unixSeconds(clock);
      const end = graceSeconds > 0 ? { expiresAt: now + graceSeconds } : { revokedAt: now };
      await database.atomically([
        query.insert(apiKey).values({ ...row, rotatedFrom: id }),
        query
          .update(apiKey)
          .set(end)
          .where(and(eq(apiKey.id, id), isNull(apiKey.revokedAt))),
      ]);
      return { ...keyRecord({ ...row, rotatedFrom: id }, clock), secret };
    },
    async revokeKey(id) {
      const revokedAt = sql`coalesce(${apiKey.revokedAt}, ${unixSeconds(clock)})`;
      const [row] = await query.update(apiKey).set({ revokedAt }).where(eq(apiKey.id, id)).returning();
      return shown(row);
    },
  };
}

/** A key's row and the secret it stands for. */
export function newKey(key: NewKey, organizationId: string, clock: Clock): { row: Row; secret: string } {
  const { projectId, name, environment, scopes, expiresAt } = key;
  const secret = newSecret(environment);
  const row: Row = {
    id: newId("key", clock),
    organizationId,
    projectId,
    name,
    environment,
    ...shownParts(secret),
    hash: hashSecret(secret),
    scopes: [...scopes],
    createdAt: unixSeconds(clock),
    createdBy: null,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
    rotatedFrom: null,
  };
  return { row, secret };
}

const notActive = ({ id }: Row) => new Fault("key_not_active", `${id} is revoked or expired.`);

export function keyRecord(row: Row, clock: Clock) {
  return {
    id: row.id,
    object: "api_key",
    organization_id: row.organizationId,
    project_id: row.projectId,
    name: row.name,
    environment: row.environment,
    prefix: row.prefix,
    last4: row.last4,
    scopes: row.scopes,
    status: statusOf(row, unixSeconds(clock)),
    created_at: row.createdAt,
    created_by: row.createdBy,
    expires_at: row.expiresAt,
    last_used_at: row.lastUsedAt,
    revoked_at: row.revokedAt,
    rotated_from: row.rotatedFrom,
  };
}

/** Computed when read: no sweep is needed for a key to expire. */
function statusOf({ revokedAt, expiresAt }: Row, now: number): "active" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
