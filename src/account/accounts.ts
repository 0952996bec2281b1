/** Organizations, projects and keys: creating, listing, revoking. Records are as the API shows them. */
import { desc, eq, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/open.ts";
import { apiKey, organization, project } from "../db/sqlite.ts";
import { newId } from "../ids.ts";
import { openAuthentication } from "./keys.ts";
import { type Principal, SCOPES, type Scope } from "./principal.ts";
import { type Environment, hashSecret, newSecret, shownParts } from "./secret.ts";

type KeyRow = typeof apiKey.$inferSelect;
type Project = typeof project.$inferSelect;

type NewKey = {
  projectId: string;
  name: string;
  environment: Environment;
  scopes: readonly Scope[];
  /** Unix seconds, or null for never. */
  expiresAt: number | null;
};

export type FirstStart = { key: KeyRecord & { secret: string } };

type KeyRecord = ReturnType<typeof keyRecord>;

export type Accounts = {
  authenticate(secret: string): Principal;
  /** On an empty database: organization and project "Default" and one live key. Otherwise null. */
  firstStart(): FirstStart | null;
  /** Null before the first start. */
  defaultProject(): Project | null;
  /** The only time the secret is seen. */
  createKey(key: NewKey): KeyRecord & { secret: string };
  /** Newest first; revoked and expired ones too. */
  listKeys(): KeyRecord[];
  /** Idempotent; null when there is no such key. */
  revokeKey(id: string): KeyRecord | null;
  /** Does the database answer? */
  answers(): boolean;
};

export function openAccounts(database: Database, clock: Clock): Accounts {
  const createKey = (key: NewKey) => insertKey(database, clock, key);
  return {
    authenticate: openAuthentication(database, clock),
    firstStart: () => database.transaction(() => begin(database, clock), { behavior: "immediate" }),
    defaultProject: () => database.select().from(project).where(eq(project.isDefault, true)).get() ?? null,
    createKey,
    listKeys: () =>
      database
        .select()
        .from(apiKey)
        .orderBy(desc(apiKey.createdAt), desc(apiKey.id))
        .all()
        .map((row) => keyRecord(row, clock)),
    revokeKey(id) {
      const now = unixSeconds(clock);
      const revokedAt = sql`coalesce(${apiKey.revokedAt}, ${now})`;
      const row = database.update(apiKey).set({ revokedAt }).where(eq(apiKey.id, id)).returning().get();
      return row ? keyRecord(row, clock) : null;
    },
    answers() {
      try {
        database.get(sql`select 1`);
        return true;
      } catch {
        return false;
      }
    },
  };
}

function begin(database: Database, clock: Clock): FirstStart | null {
  if (database.select({ id: organization.id }).from(organization).get()) return null;
  const createdAt = unixSeconds(clock);
  const organizationId = newId("org", clock);
  const projectId = newId("proj", clock);
  database
    .insert(organization)
    .values({ id: organizationId, name: "Default", status: "active", createdAt })
    .run();
  database
    .insert(project)
    .values({ id: projectId, organizationId, name: "Default", status: "active", isDefault: true, createdAt })
    .run();
  const first: NewKey = { projectId, name: "first", environment: "live", scopes: SCOPES, expiresAt: null };
  return { key: insertKey(database, clock, first) };
}

function insertKey(database: Database, clock: Clock, key: NewKey): KeyRecord & { secret: string } {
  const { projectId, name, environment, scopes, expiresAt } = key;
  const owner = database.select().from(project).where(eq(project.id, projectId)).get();
  if (!owner) throw new Error(`there is no project ${projectId}`);
  const secret = newSecret(environment);
  const row = database
    .insert(apiKey)
    .values({
      id: newId("key", clock),
      organizationId: owner.organizationId,
      projectId,
      name,
      environment,
      ...shownParts(secret),
      hash: hashSecret(secret),
      scopes: [...scopes],
      createdAt: unixSeconds(clock),
      expiresAt,
    })
    .returning()
    .get();
  return { ...keyRecord(row, clock), secret };
}

function keyRecord(row: KeyRow, clock: Clock) {
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
function statusOf({ revokedAt, expiresAt }: KeyRow, now: number): "active" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
