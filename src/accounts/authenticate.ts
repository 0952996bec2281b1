/**
 * Authenticates API keys: the hot path of every request.
 *
 * A key that another process revoked is refused within a second: keys are cached for one, or, where the database counts changes,
 * until a look once a second finds one. A miss is not cached: unknown keys must not fill the memory. The cache is by SHA-256 of
 * the secret, so every request costs one hash (0.3 µs): no secret stays in memory, and a shorter hash that is quicker would
 * accept secrets that only collide with one.
 */
import { eq, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import { openLooks } from "../db/change-counts.ts";
import { type Database, prepared, type Tables } from "../db/database.ts";
import { Refusal, unavailableOnError } from "../errors.ts";
import { redactionOf } from "../kept-data.ts";
import { factorAt, nextFrom } from "../plans.ts";
import { isScope } from "../scopes.ts";
import { TransientMap } from "../transient.ts";
import type { OnKeysEnding } from "./key-endings.ts";
import type { Principal } from "./principal.ts";
import { capsOf } from "./restricting.ts";
import { binaryHash, isAdminSecret, isSecret } from "./secret.ts";

const FRESH_MS = 1000;
const CACHE_MAX = 10_000;
const LAST_USED_STEP_SECONDS = 60;

type Known = {
  principal: Principal;
  /** Why it may not be used, apart from its age. */
  refusal: (() => Refusal) | null;
  expiresAt: number | null;
  lastUsedAt: number;
  /** When its price changes by itself, in Unix seconds; null: not. */
  priceUntil: number | null;
};

/**
 * `changes`: how many were counted before it was read; null where the database does not count. `soAtMs`: when it was read, or was found
 * unchanged, by the clock.
 */
type Cached = Known & { changes: number | null; soAtMs: number };

/** Returns the principal of a secret, from the cache where possible, or fails as one of the refusals below. */
export type Authenticate = (secret: string) => Principal | Promise<Principal>;

export function openAuthentication(
  database: Database,
  clock: Clock,
  onKeysEnding: OnKeysEnding,
): Authenticate {
  const cache = new TransientMap<string, Cached>();
  onKeysEnding(() => cache.clear());
  const read = lookUp(database, clock);
  const touch = touchQuery(database);
  const lookAtChanges = openLooks(database.changes, "accounts", clock);

  const usable = (known: Known) => usedBy(known, unixSeconds(clock), touch);

  /** Whether it may be used for another second. */
  function isUnchanged(cached: Cached): boolean {
    const look = lookAtChanges();
    const isItsPrice = cached.priceUntil === null || unixSeconds(clock) < cached.priceUntil;
    if (look === null || look.count !== cached.changes || !isItsPrice) return false;
    cached.soAtMs = look.atMs;
    return true;
  }

  async function find(hash: Buffer, name: string): Promise<Principal> {
    const look = lookAtChanges();
    const row = await unavailableOnError("The accounts", read(hash));
    if (!row) throw invalid();
    const known = { ...row, changes: look?.count ?? null, soAtMs: look?.atMs ?? clock.now() };
    if (cache.size >= CACHE_MAX) cache.delete(cache.keys().next().value!);
    cache.set(name, known);
    return usable(known);
  }

  return (secret) => {
    if (!isSecret(secret)) throw isAdminSecret(secret) ? admin() : foreign();
    const name = binaryHash(secret);
    const cached = cache.get(name);
    if (cached && (Math.abs(clock.now() - cached.soAtMs) < FRESH_MS || isUnchanged(cached)))
      return usable(cached);
    cache.delete(name);
    return find(Buffer.from(name, "latin1"), name);
  };
}

/** The principal of a key that the operator named by its id. Fails like `Authenticate`. */
export type PrincipalOfKey = (keyId: string) => Promise<Principal>;

export function openNamedKeys(database: Database, clock: Clock): PrincipalOfKey {
  const touch = touchQuery(database);
  return async (keyId) => {
    const row = await keyNamed(database, keyId);
    const now = unixSeconds(clock);
    return usedBy(knownOf(row, now), now, touch);
  };
}

/**
 * The principal of a key that began something, also of one that has ended since. Refuses where its organization is suspended,
 * unless what it began is done and only to be charged.
 */
export type PrincipalOfStarter = (keyId: string, state?: { isDone: boolean }) => Promise<Principal>;

export function openStarters(database: Database, clock: Clock): PrincipalOfStarter {
  return async (keyId, { isDone } = { isDone: false }) => {
    const row = await keyNamed(database, keyId);
    if (!isDone && row.organization.status !== "active") throw suspended();
    return principalOf(row, unixSeconds(clock));
  };
}

async function keyNamed({ query, tables }: Database, keyId: string): Promise<KeyRow> {
  const { apiKey, project, organization } = tables;
  const found = query
    .select(columnsOf(tables))
    .from(apiKey)
    .innerJoin(project, eq(apiKey.projectId, project.id))
    .innerJoin(organization, eq(apiKey.organizationId, organization.id))
    .where(eq(apiKey.id, keyId));
  const [row] = await unavailableOnError("The accounts", Promise.resolve(found));
  if (!row) throw invalid();
  return row;
}

type Touch = (keyId: string, now: number) => void;

/** Throws unless the key may be used, and notes that it was. */
function usedBy(known: Known, now: number, touch: Touch): Principal {
  if (known.refusal) throw known.refusal();
  if (isExpired(known, now)) throw expired();
  if (now - known.lastUsedAt >= LAST_USED_STEP_SECONDS) {
    known.lastUsedAt = now;
    touch(known.principal.keyId, now);
  }
  return known.principal;
}

function lookUp({ query, tables }: Database, clock: Clock) {
  const { apiKey, project, organization } = tables;
  const byHash = prepared(
    query
      .select(columnsOf(tables))
      .from(apiKey)
      .innerJoin(project, eq(apiKey.projectId, project.id))
      .innerJoin(organization, eq(apiKey.organizationId, organization.id))
      .where(eq(apiKey.hash, sql.placeholder("hash"))),
    "key_by_hash",
  );
  return async (hash: Buffer): Promise<Known | null> => {
    const [row] = await byHash.execute({ hash });
    return row ? knownOf(row, unixSeconds(clock)) : null;
  };
}

function knownOf(row: KeyRow, now: number): Known {
  const { expiresAt, lastUsedAt } = row.api_key;
  return {
    ...{ principal: principalOf(row, now), refusal: refusalOf(row), expiresAt, lastUsedAt: lastUsedAt ?? 0 },
    priceUntil: nextFrom(row.organization, now),
  };
}

/** What requests need of a key, its project and its organization: whole rows take twice as long to read. */
function columnsOf({ apiKey, project, organization }: Tables) {
  const { id, environment, scopes, restrictions, expiresAt, lastUsedAt, revokedAt } = apiKey;
  const { status, deleteAt, plan, priceFactor, priceFactorFrom, priceFactorBefore } = organization;
  const { limitOverrides, endUserHeader, endUsersHashed, endUserKey } = organization;
  const { dataRetention, requestLogAddresses } = organization;
  return {
    api_key: { id, environment, scopes, restrictions, expiresAt, lastUsedAt, revokedAt },
    project: {
      id: project.id,
      status: project.status,
      restrictions: project.restrictions,
      dataRetention: project.dataRetention,
    },
    organization: {
      ...{ id: organization.id, status, deleteAt, plan, priceFactor, priceFactorFrom, priceFactorBefore },
      ...{ limitOverrides, endUserHeader, endUsersHashed, endUserKey, dataRetention, requestLogAddresses },
    },
  };
}

type Columns = ReturnType<typeof columnsOf>;
type KeyRow = {
  api_key: Pick<Tables["apiKey"]["$inferSelect"], keyof Columns["api_key"]>;
  project: Pick<Tables["project"]["$inferSelect"], keyof Columns["project"]>;
  organization: Pick<Tables["organization"]["$inferSelect"], keyof Columns["organization"]>;
};

/** `now`: which of its prices hold. */
export function principalOf({ api_key: key, project, organization }: KeyRow, now: number): Principal {
  return {
    keyId: key.id,
    organizationId: organization.id,
    projectId: project.id,
    environment: key.environment,
    scopes: new Set(key.scopes.filter(isScope)),
    plan: organization.plan,
    priceFactor: factorAt(organization, now),
    limitOverrides: organization.limitOverrides,
    caps: key.restrictions || project.restrictions ? capsOf(key, project) : [],
    redaction: redactionOf(organization, project),
    endUserHeader: organization.endUserHeader,
  };
}

/** Why a key of any age may not be used, or null: it was revoked, itself or with its project, or its organization is closed. */
export function refusalOf({ api_key: key, project, organization }: KeyRow): (() => Refusal) | null {
  if (key.revokedAt !== null || project.status === "archived") return revoked;
  return closedBy(organization);
}

/** Why the keys of an organization are refused; null: they are not. */
export function closedBy({ status, deleteAt }: ClosableOrganization): (() => Refusal) | null {
  if (status !== "active") return suspended;
  return deleteAt === null ? null : leaving;
}

type ClosableOrganization = Pick<Tables["organization"]["$inferSelect"], "status" | "deleteAt">;

export const isExpired = ({ expiresAt }: { expiresAt: number | null }, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

/** A failure to store when a key was last used must not fail the request. */
function touchQuery({ query, tables: { apiKey } }: Database): Touch {
  return (id, now) => {
    const noted = query.update(apiKey).set({ lastUsedAt: now }).where(eq(apiKey.id, id));
    noted.then(undefined, () => {});
  };
}

export const revoked = () => new Refusal("api_key_revoked", "This API key was revoked.");
const suspended = () =>
  new Refusal(
    "organization_suspended",
    "Your organization is suspended. Ask this server's operator to resume it; nothing was deleted.",
  );
const leaving = () =>
  new Refusal(
    "organization_suspended",
    "Your organization is about to be deleted. Until then an owner can undo that under Settings.",
  );
export const expired = () => new Refusal("api_key_expired", "This API key expired.");
const NEW_KEY = 'Create one in the dashboard under API keys, or with "loquat keys create".';
const admin = () =>
  new Refusal(
    "insufficient_scope",
    `This is an admin key, which is for /v1/organization and for webhooks. Use an API key here. ${NEW_KEY}`,
  );
const foreign = () =>
  new Refusal(
    "invalid_api_key",
    `This API key does not exist: keys of this server begin with sk_live_ or sk_test_. ${NEW_KEY}`,
  );
export const invalid = () => new Refusal("invalid_api_key", `This API key does not exist. ${NEW_KEY}`);
