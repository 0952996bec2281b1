/** API keys: creating, listing, updating, rotating and revoking. Records have the API's fields. */
import { and, count, desc, eq, gt, isNotNull, isNull, lt, lte, notInArray, or, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { SCOPES, type Scope } from "../scopes.ts";
import { displayParts, type Environment, hashSecret, newSecret } from "./secret.ts";

type Row = Tables["apiKey"]["$inferSelect"];

export type NewKey = {
  projectId: string;
  name: string;
  environment: Environment;
  scopes: readonly Scope[];
  /** Unix seconds, or null for never. */
  expiresAt: number | null;
  /** The user who created it; null for a key created on the command line. */
  createdBy?: string | null;
  /** The service account that it belongs to, in place of a user. */
  serviceAccountId?: string | null;
};

type KeyChange = Partial<Pick<NewKey, "name" | "scopes" | "expiresAt">>;

/** `status` as of now; `before` is the id of a key: only older ones are listed. */
type KeyFilter = {
  organizationId: string;
  projectId: string | null;
  environment: Environment | null;
  status: KeyRecord["status"] | null;
  createdBy?: string | null;
  before: string | null;
  limit: number;
};

export type KeyRecord = ReturnType<typeof keyRecord>;

/** Returns the secret, once. */
export type KeyWithSecret = KeyRecord & { secret: string };

export type Keys = {
  createKey(key: NewKey): Promise<KeyWithSecret>;
  /** Newest first, including revoked and expired ones. */
  listKeys(): Promise<KeyRecord[]>;
  /** The keys of an organization, in the same order. */
  keysOf(filter: KeyFilter): Promise<KeyRecord[]>;
  /** Null if there is no such key, here and below. */
  key(id: string): Promise<KeyRecord | null>;
  updateKey(id: string, change: KeyChange): Promise<KeyRecord | null>;
  /** A new secret with the same name, scopes and environment; the old one stays valid for `graceSeconds` at most. */
  rotateKey(id: string, graceSeconds: number): Promise<KeyWithSecret | null>;
  /** Idempotent. */
  revokeKey(id: string): Promise<KeyRecord | null>;
  /** A test key with all scopes, valid for some hours; replaces the user's earlier one in the project. */
  playgroundKey(projectId: string, userId: string): Promise<KeyWithSecret>;
};

const PLAYGROUND = { name: "Playground", environment: "test", scopes: SCOPES } as const;
const PLAYGROUND_SECONDS = 12 * 3600;

export function openKeys(database: Database, clock: Clock): Keys {
  return { ...keysOf(database, clock), ...newKeys(database, clock), ...changesOf(database, clock) };
}

const recordOrNull = (row: Row | null | undefined, clock: Clock) => (row ? keyRecord(row, clock) : null);

function keysOf({ query, tables: { apiKey } }: Database, clock: Clock) {
  return {
    async listKeys() {
      const rows = await query.select().from(apiKey).orderBy(desc(apiKey.createdAt), desc(apiKey.id));
      return rows.map((row) => keyRecord(row, clock));
    },
    async keysOf(filter: KeyFilter) {
      const rows = await query
        .select()
        .from(apiKey)
        .where(and(...keysWhere(apiKey, filter, unixSeconds(clock))))
        .orderBy(desc(apiKey.id)) // an id begins with its time
        .limit(filter.limit);
      return rows.map((row) => keyRecord(row, clock));
    },
    key: async (id: string) =>
      recordOrNull((await query.select().from(apiKey).where(eq(apiKey.id, id)))[0], clock),
  };
}

function newKeys(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { apiKey, project } = tables;
  const needRoom = roomNeeds(database, clock);
  async function createKey(key: NewKey): Promise<KeyWithSecret> {
    const [owner] = await query.select().from(project).where(eq(project.id, key.projectId));
    if (!owner) throw new Refusal("not_found", `There is no project ${key.projectId}.`);
    if (owner.status === "archived") throw new Refusal("project_archived", `${owner.name} is archived.`);
    await needRoom(key.projectId);
    const { row, secret } = newKey(key, owner.organizationId, clock);
    await query.insert(apiKey).values(row);
    return { ...keyRecord(row, clock), secret };
  }

  return {
    createKey,
    async playgroundKey(projectId: string, createdBy: string) {
      const now = unixSeconds(clock);
      const expiresAt = now + PLAYGROUND_SECONDS;
      const key = await createKey({ ...PLAYGROUND, projectId, createdBy, expiresAt });
      const before = and(
        lt(apiKey.id, key.id),
        eq(apiKey.projectId, projectId),
        eq(apiKey.createdBy, createdBy),
        eq(apiKey.name, PLAYGROUND.name),
        isNotNull(apiKey.expiresAt), // a key created by hand under this name may have no expiry
        isNull(apiKey.revokedAt),
      );
      await query.update(apiKey).set({ revokedAt: now }).where(before);
      return key;
    },
  };
}

const NEW_A_DAY = 1000;
const DAY_SECONDS = 86_400;

/** Refuses too many new keys of a project within a day, revoked ones included, because rows are never deleted. */
function roomNeeds({ query, tables: { apiKey } }: Database, clock: Clock) {
  return async (projectId: string): Promise<void> => {
    const isNew = gt(apiKey.createdAt, unixSeconds(clock) - DAY_SECONDS);
    const [made] = await query
      .select({ keys: count() })
      .from(apiKey)
      .where(and(eq(apiKey.projectId, projectId), isNew));
    if (Number(made!.keys) < NEW_A_DAY) return;
    throw new Refusal("rate_limit_exceeded", `A project can create at most ${NEW_A_DAY} keys a day.`, {
      retryAfterSeconds: 60,
    });
  };
}

function changesOf(database: Database, clock: Clock) {
  const needRoom = roomNeeds(database, clock);
  const { query, tables } = database;
  const { apiKey } = tables;
  const rowOf = async (id: string) => (await query.select().from(apiKey).where(eq(apiKey.id, id)))[0] ?? null;
  /** The key itself, once it has been replaced by a rotation. */
  const replaced = (id: string) =>
    query.select({ id: apiKey.rotatedFrom }).from(apiKey).where(eq(apiKey.rotatedFrom, id));
  return {
    async updateKey(id: string, { scopes, ...change }: KeyChange) {
      const row = await rowOf(id);
      if (row && recordOrNull(row, clock)?.status !== "active") throw notActive(row);
      const isChangeable = isLater(change.expiresAt, row) ? notInArray(apiKey.id, replaced(id)) : undefined;
      const [changed] = await query
        .update(apiKey)
        .set({ ...change, ...(scopes ? { scopes: [...scopes] } : {}), id })
        .where(and(eq(apiKey.id, id), isChangeable))
        .returning();
      if (row && !changed) throw rotatedOut();
      return recordOrNull(changed, clock);
    },
    async rotateKey(id: string, graceSeconds: number) {
      const old = await rowOf(id);
      if (!old) return null;
      if (recordOrNull(old, clock)?.status !== "active") throw notActive(old);
      await needRoom(old.projectId);
      const { row, secret } = newKey({ ...old, scopes: old.scopes as Scope[] }, old.organizationId, clock);
      const now = unixSeconds(clock);
      const expiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + graceSeconds);
      await database.atomically([
        query.insert(apiKey).values({ ...row, rotatedFrom: id }),
        query
          .update(apiKey)
          .set(graceSeconds > 0 ? { expiresAt } : { revokedAt: now })
          .where(and(eq(apiKey.id, id), isNull(apiKey.revokedAt))),
      ]);
      return { ...keyRecord({ ...row, rotatedFrom: id }, clock), secret };
    },
    async revokeKey(id: string) {
      const revokedAt = sql`coalesce(${apiKey.revokedAt}, ${unixSeconds(clock)})`;
      const [row] = await query.update(apiKey).set({ revokedAt }).where(eq(apiKey.id, id)).returning();
      return recordOrNull(row, clock);
    },
  };
}

function keysWhere(apiKey: Tables["apiKey"], filter: KeyFilter, now: number) {
  const { organizationId, projectId, environment, status, before, createdBy = null } = filter;
  const lasts = or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, now));
  const is = {
    active: and(isNull(apiKey.revokedAt), lasts),
    expired: and(isNull(apiKey.revokedAt), lte(apiKey.expiresAt, now)),
    revoked: isNotNull(apiKey.revokedAt),
  };
  return [
    eq(apiKey.organizationId, organizationId),
    projectId === null ? undefined : eq(apiKey.projectId, projectId),
    environment === null ? undefined : eq(apiKey.environment, environment),
    status === null ? undefined : is[status],
    createdBy === null ? undefined : eq(apiKey.createdBy, createdBy),
    before === null ? undefined : lt(apiKey.id, before),
  ];
}

/** A key's row and its secret. */
export function newKey(key: NewKey, organizationId: string, clock: Clock): { row: Row; secret: string } {
  const { projectId, name, environment, scopes, expiresAt, createdBy = null, serviceAccountId = null } = key;
  const secret = newSecret(environment);
  const row: Row = {
    id: newId("key", clock),
    organizationId,
    projectId,
    name,
    environment,
    ...displayParts(secret),
    hash: hashSecret(secret),
    scopes: [...scopes],
    createdAt: unixSeconds(clock),
    createdBy,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
    rotatedFrom: null,
    serviceAccountId,
  };
  return { row, secret };
}

/** Whether the change would make the key expire later. */
const isLater = (expiresAt: number | null | undefined, row: Row | null): boolean =>
  expiresAt !== undefined && (expiresAt ?? Infinity) > (row?.expiresAt ?? Infinity);

/** A key that was rotated away may not be extended again: it may have leaked. */
const rotatedOut = () =>
  invalidInput([
    {
      field: "expires_at",
      code: "out_of_range",
      message: "cannot be extended: the key has been rotated",
    },
  ]);

const notActive = ({ id }: Row) => new Refusal("key_not_active", `${id} is revoked or expired.`);

export function keyRecord(row: Row, clock: Clock) {
  return {
    id: row.id,
    object: "api_key" as const,
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

/** Computed on read, so that keys expire without a background job. */
function statusOf({ revokedAt, expiresAt }: Row, now: number): "active" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
