/** Admin keys: what programs read and manage an organization with. Creating, listing, revoking, and their authentication. */
import { and, asc, count, desc, eq, gt, isNull, lt, type SQL } from "drizzle-orm";
import { type AuditEvent, created, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { Refusal, unavailableOnError } from "../errors.ts";
import { newId } from "../ids.ts";
import { type AdminScope, isAdminScope } from "../scopes.ts";
import { closedBy, expired, isExpired, revoked } from "./authenticate.ts";
import type { AdminPrincipal } from "./principal.ts";
import { binaryHash, hashSecret, isAdminSecret, newAdminSecret } from "./secret.ts";

type Row = Tables["adminApiKey"]["$inferSelect"];

export type NewAdminKey = {
  organizationId: string;
  name: string;
  scopes: readonly AdminScope[];
  /** Unix seconds, or null for never. */
  expiresAt: number | null;
  /** Null for a key made on the command line. */
  createdBy: string | null;
};

/** `after`: the id of a key: only those behind it in the order are listed. */
type AdminKeyFilter = {
  organizationId: string;
  withRevoked: boolean;
  order: "asc" | "desc";
  after: string | null;
  limit: number;
};

export type AdminKeyRecord = ReturnType<typeof adminKeyRecord>;

/** Returns the secret, once. */
type AdminKeyWithSecret = AdminKeyRecord & { secret: string };

export type AdminKeys = {
  createAdminKey(key: NewAdminKey): Promise<AdminKeyWithSecret>;
  /** By the time of their creation. */
  adminKeysOf(filter: AdminKeyFilter): Promise<AdminKeyRecord[]>;
  /** Null if there is no such key, here and below. */
  adminKey(id: string): Promise<AdminKeyRecord | null>;
  /** Idempotent. */
  revokeAdminKey(id: string): Promise<AdminKeyRecord | null>;
  /** The principal of a secret; fails as a key's authentication does. Another process's change counts within a second. */
  authenticateAdmin(secret: string): Promise<AdminPrincipal>;
};

const NEW_A_DAY = 200;
const DAY_SECONDS = 86_400;

export function openAdminKeys(database: Database, clock: Clock): AdminKeys {
  const { query, tables } = database;
  const { adminApiKey } = tables;
  const { authenticateAdmin, forget } = openAdminAuthentication(database, clock);
  const audit = openAudit(database, clock);
  const rowOf = async (id: string) =>
    (await query.select().from(adminApiKey).where(eq(adminApiKey.id, id)))[0];
  const record = (row: Row | undefined) => (row ? adminKeyRecord(row, clock) : null);

  /** Refuses too many of a day, revoked ones included, because rows are never deleted. */
  async function needRoom(organizationId: string): Promise<void> {
    const isNew = gt(adminApiKey.createdAt, unixSeconds(clock) - DAY_SECONDS);
    const [made] = await query
      .select({ keys: count() })
      .from(adminApiKey)
      .where(and(eq(adminApiKey.organizationId, organizationId), isNew));
    if (Number(made!.keys) < NEW_A_DAY) return;
    throw new Refusal("rate_limit_exceeded", `An organization can create ${NEW_A_DAY} admin keys a day.`, {
      retryAfterSeconds: 60,
    });
  }

  return {
    async createAdminKey(key) {
      await needRoom(key.organizationId);
      const secret = newAdminSecret();
      const row: Row = {
        id: newId("akey", clock),
        ...key,
        scopes: [...key.scopes],
        last4: secret.slice(-4),
        hash: hashSecret(secret),
        createdAt: unixSeconds(clock),
        lastUsedAt: null,
        revokedAt: null,
      };
      const { name, scopes, last4, expiresAt } = row;
      const changes = created({ name, scopes, last4, expires_at: expiresAt });
      await audit.atomically(
        [query.insert(adminApiKey).values(row)],
        [{ ...event("api_key.created", row), changes }],
      );
      return { ...adminKeyRecord(row, clock), secret };
    },
    adminKeysOf: listing(database, clock),
    adminKey: async (id) => record(await rowOf(id)),
    async revokeAdminKey(id) {
      const row = await rowOf(id);
      if (!row) return null;
      const isActive = and(eq(adminApiKey.id, id), isNull(adminApiKey.revokedAt));
      const update = query
        .update(adminApiKey)
        .set({ revokedAt: unixSeconds(clock) })
        .where(isActive);
      await audit.ifChanged(update, [], [event("api_key.deleted", row)]);
      forget();
      return record(await rowOf(id));
    },
    authenticateAdmin,
  };
}

function listing({ query, tables: { adminApiKey } }: Database, clock: Clock): AdminKeys["adminKeysOf"] {
  return async ({ organizationId, withRevoked, order, after, limit }) => {
    const { id } = adminApiKey; // an id begins with its time
    const [inOrder, isBehind] = order === "asc" ? [asc(id), gt] : [desc(id), lt];
    const where: (SQL | undefined)[] = [
      eq(adminApiKey.organizationId, organizationId),
      withRevoked ? undefined : isNull(adminApiKey.revokedAt),
      after === null ? undefined : isBehind(id, after),
    ];
    const rows = await query
      .select()
      .from(adminApiKey)
      .where(and(...where))
      .orderBy(inOrder)
      .limit(limit);
    return rows.map((row) => adminKeyRecord(row, clock));
  };
}

const event = (type: AuditEvent["type"], { organizationId, id }: Row): AuditEvent => ({
  ...{ type, organizationId, resourceId: id },
});

const FRESH_MS = 1000;
const CACHE_MAX = 1000;
const LAST_USED_STEP_SECONDS = 60;

type Known = { row: Row; closed: AdminPrincipal["closed"]; readAt: number };

/** As API keys are: looked up by the SHA-256 of the secret, and cached for a second where they exist. */
function openAdminAuthentication({ query, tables }: Database, clock: Clock) {
  const { adminApiKey, organization } = tables;
  const cache = new Map<string, Known>();

  async function find(name: string): Promise<Known> {
    const read = query
      .select()
      .from(adminApiKey)
      .innerJoin(organization, eq(adminApiKey.organizationId, organization.id))
      .where(eq(adminApiKey.hash, Buffer.from(name, "latin1")));
    const [found] = await unavailableOnError("The accounts", Promise.resolve(read));
    if (!found) throw unknown();
    const closed = closedBy(found.organization);
    const known = { row: found.admin_api_key, closed, readAt: clock.now() };
    if (cache.size >= CACHE_MAX) cache.delete(cache.keys().next().value!);
    cache.set(name, known);
    return known;
  }

  function touch(row: Row, now: number): void {
    if (now - (row.lastUsedAt ?? 0) < LAST_USED_STEP_SECONDS) return;
    row.lastUsedAt = now;
    const noted = query.update(adminApiKey).set({ lastUsedAt: now }).where(eq(adminApiKey.id, row.id));
    noted.then(undefined, () => {}); // a failure to store it must not fail the request
  }

  return {
    forget: () => cache.clear(),
    async authenticateAdmin(secret: string): Promise<AdminPrincipal> {
      if (!isAdminSecret(secret)) throw unknown();
      const name = binaryHash(secret);
      const cached = cache.get(name);
      const isFresh = cached && Math.abs(clock.now() - cached.readAt) < FRESH_MS;
      const { row, closed } = isFresh ? cached : await find(name);
      const now = unixSeconds(clock);
      if (row.revokedAt !== null) throw revoked();
      if (isExpired(row, now)) throw expired();
      touch(row, now);
      const { id: keyId, organizationId, scopes, createdBy } = row;
      return { keyId, organizationId, scopes: new Set(scopes.filter(isAdminScope)), createdBy, closed };
    },
  };
}

const unknown = () =>
  new Refusal(
    "invalid_api_key",
    'This admin key does not exist. Create one in the dashboard under Automation, or with "loquat admin-keys create".',
  );

function adminKeyRecord(row: Row, clock: Clock) {
  const { revokedAt, expiresAt } = row;
  const isOver = expiresAt !== null && expiresAt <= unixSeconds(clock);
  return {
    id: row.id,
    object: "admin_api_key" as const,
    organization_id: row.organizationId,
    name: row.name,
    last4: row.last4,
    scopes: row.scopes,
    status: revokedAt !== null ? ("revoked" as const) : isOver ? ("expired" as const) : ("active" as const),
    created_at: row.createdAt,
    created_by: row.createdBy,
    expires_at: expiresAt,
    last_used_at: row.lastUsedAt,
    revoked_at: revokedAt,
  };
}
