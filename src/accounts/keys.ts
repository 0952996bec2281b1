/** API keys: creating, listing, updating, rotating and revoking. Records have the API's fields. */
import { and, count, desc, eq, gt, isNull, notInArray } from "drizzle-orm";
import { openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { alertsOf } from "../db/queries/alert-rows.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { NewRestrictions } from "../restrictions.ts";
import type { Scope } from "../scopes.ts";
import { keyCreated, keyEvent, keyRevoked, keyRotated } from "./key-events.ts";
import { openKeyLifetime } from "./key-lifetime.ts";
import { type KeyFilter, type KeyPage, openKeyList } from "./key-list.ts";
import { type KeyRecord, type KeyWithSecret, keyRecord, type Row } from "./key-record.ts";
import { playgroundKeys } from "./playground-keys.ts";
import { followed, restricted, restrictedTo, withUnusedBudget } from "./restricting.ts";
import { displayParts, type Environment, hashSecret, newSecret } from "./secret.ts";

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
  /** By default those that its project has for new keys. */
  restrictions?: NewRestrictions | null;
};

/** `resetBudget`: of its budget, nothing is used. */
type KeyChange = Partial<Pick<NewKey, "name" | "scopes" | "expiresAt" | "restrictions">> & {
  resetBudget?: boolean;
};

export type Keys = {
  createKey(key: NewKey): Promise<KeyWithSecret>;
  /** Newest first, including revoked and expired ones. */
  listKeys(): Promise<KeyRecord[]>;
  /** The keys of an organization, in the same order by default. */
  keysOf(page: KeyPage): Promise<KeyRecord[]>;
  countKeys(filter: KeyFilter): Promise<number>;
  /** Null if there is no such key, here and below. */
  key(id: string): Promise<KeyRecord | null>;
  updateKey(id: string, change: KeyChange): Promise<KeyRecord | null>;
  /** A new secret with the same name, scopes and environment; the old one stays valid for `graceSeconds` at most. */
  rotateKey(id: string, graceSeconds: number): Promise<KeyWithSecret | null>;
  /** Idempotent. */
  revokeKey(id: string): Promise<KeyRecord | null>;
  /** The user's test key of the project with the usual scopes and a new secret, valid for some hours. */
  playgroundKey(projectId: string, userId: string): Promise<KeyWithSecret>;
};

export function openKeys(database: Database, clock: Clock, keyMaxDays: number | null = null): Keys {
  const deps = { database, clock, lifetime: openKeyLifetime(database, keyMaxDays) };
  return { ...reads(database, clock), ...newKeys(deps), ...changesOf(deps), ...revokingOf(deps) };
}

type KeyDeps = { database: Database; clock: Clock; lifetime: ReturnType<typeof openKeyLifetime> };

const recordOrNull = (row: Row | null | undefined, clock: Clock) => (row ? keyRecord(row, clock) : null);

function reads(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { apiKey } = tables;
  return {
    ...openKeyList(database, clock),
    async listKeys() {
      const rows = await query.select().from(apiKey).orderBy(desc(apiKey.createdAt), desc(apiKey.id));
      return rows.map((row) => keyRecord(row, clock));
    },
    key: async (id: string) =>
      recordOrNull((await query.select().from(apiKey).where(eq(apiKey.id, id)))[0], clock),
  };
}

function newKeys({ database, clock, lifetime }: KeyDeps) {
  const { query, tables } = database;
  const { apiKey, project } = tables;
  const needRoom = roomNeeds(database, clock);
  const audit = openAudit(database, clock);
  async function createKey(key: NewKey): Promise<KeyWithSecret> {
    const [owner] = await query.select().from(project).where(eq(project.id, key.projectId));
    if (!owner) throw new Refusal("not_found", `There is no project ${key.projectId}.`);
    if (owner.status === "archived") throw new Refusal("project_archived", `${owner.name} is archived.`);
    await needRoom(key.projectId);
    const now = unixSeconds(clock);
    const expiresAt = await lifetime.ofNew(owner.organizationId, key.expiresAt, now);
    const { row, secret } = newKey({ ...key, expiresAt }, owner.organizationId, clock);
    row.restrictions =
      key.restrictions === undefined
        ? withUnusedBudget(owner.defaultKeyRestrictions, now)
        : restrictedTo(key.restrictions, null, now);
    await audit.atomically([query.insert(apiKey).values(row)], [keyCreated(row)]);
    return { ...keyRecord(row, clock), secret };
  }

  return { createKey, playgroundKey: playgroundKeys(database, clock, createKey) };
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

function changesOf({ database, clock, lifetime }: KeyDeps) {
  const needRoom = roomNeeds(database, clock);
  const audit = openAudit(database, clock);
  const { query, tables } = database;
  const { apiKey } = tables;
  const rowOf = async (id: string) => (await query.select().from(apiKey).where(eq(apiKey.id, id)))[0] ?? null;
  /** The key itself, once it has been replaced by a rotation. */
  const replaced = (id: string) =>
    query.select({ id: apiKey.rotatedFrom }).from(apiKey).where(eq(apiKey.rotatedFrom, id));
  return {
    async updateKey(id: string, { scopes, restrictions, resetBudget = false, ...change }: KeyChange) {
      const row = await rowOf(id);
      if (row && recordOrNull(row, clock)?.status !== "active") throw notActive(row);
      const isChangeable = isLater(change.expiresAt, row) ? notInArray(apiKey.id, replaced(id)) : undefined;
      if (!row) return null;
      const now = unixSeconds(clock);
      if (change.expiresAt !== undefined) await lifetime.check(row.organizationId, change.expiresAt, now);
      const fields = {
        ...change,
        ...(scopes ? { scopes: [...scopes] } : {}),
        ...restricted(row.restrictions, { restrictions, resetBudget, now }),
      };
      const update = query
        .update(apiKey)
        .set({ ...fields, id })
        .where(and(eq(apiKey.id, id), isChangeable));
      const events = [keyEvent("api_key.updated", row, fields)];
      if (!(await audit.ifChanged(update, followed(database, row, fields), events))) throw rotatedOut();
      return recordOrNull(await rowOf(id), clock);
    },
    async rotateKey(id: string, graceSeconds: number) {
      const old = await rowOf(id);
      if (!old) return null;
      if (recordOrNull(old, clock)?.status !== "active") throw notActive(old);
      await needRoom(old.projectId);
      const now = unixSeconds(clock);
      const scopes = old.scopes as Scope[];
      const ends = await lifetime.ofNew(old.organizationId, old.expiresAt, now);
      const renewed = { ...old, scopes, restrictions: null, expiresAt: ends };
      const { row, secret } = newKey(renewed, old.organizationId, clock);
      row.restrictions = withUnusedBudget(old.restrictions, now);
      const expiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + graceSeconds);
      const ending =
        graceSeconds > 0 ? keyEvent("api_key.updated", old, { expiresAt }) : keyEvent("api_key.deleted", old);
      await audit.atomically(
        [
          query.insert(apiKey).values({ ...row, rotatedFrom: id }),
          query
            .update(apiKey)
            .set(graceSeconds > 0 ? { expiresAt } : { revokedAt: now })
            .where(and(eq(apiKey.id, id), isNull(apiKey.revokedAt))),
          alertsOf(database, old).movedTo(row.id),
        ],
        [keyRotated({ ...row, rotatedFrom: id }, graceSeconds > 0 ? expiresAt : now), ending],
      );
      return { ...keyRecord({ ...row, rotatedFrom: id }, clock), secret };
    },
  };
}

function revokingOf({ database, clock }: KeyDeps) {
  const audit = openAudit(database, clock);
  const { query, tables } = database;
  const { apiKey } = tables;
  const rowOf = async (id: string) => (await query.select().from(apiKey).where(eq(apiKey.id, id)))[0] ?? null;
  return {
    async revokeKey(id: string) {
      const row = await rowOf(id);
      if (!row || row.revokedAt !== null) return recordOrNull(row, clock);
      const revokedAt = unixSeconds(clock);
      const isActive = and(eq(apiKey.id, id), isNull(apiKey.revokedAt));
      const update = query.update(apiKey).set({ revokedAt }).where(isActive);
      await audit.ifChanged(update, [], [keyRevoked(row)]);
      return recordOrNull(await rowOf(id), clock);
    },
  };
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
    restrictions: null,
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
