/** Lists of API keys of an organization, by what they are asked by. A place in one is where its next page begins. */
import { and, count, desc, eq, gt, isNotNull, isNull, lt, lte, not, or, type SQL, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { type KeyRecord, keyRecord } from "./key-record.ts";
import { isPlaygroundKey } from "./playground-keys.ts";
import type { Environment } from "./secret.ts";

type ApiKey = Tables["apiKey"];

/** `status` as of now. */
export type KeyFilter = {
  organizationId: string;
  projectId: string | null;
  environment: Environment | null;
  status: KeyRecord["status"] | null;
  createdBy?: string | null;
  /** Words, each of which the name, the id or the shown part of the secret contains; A to Z in either case. */
  search?: string;
  /** Without the keys that the playground makes. */
  isWithoutPlayground?: boolean;
};

/** `before`: a place, from which on keys are listed. */
export type KeyPage = KeyFilter & {
  order?: "newest" | "last_used";
  before: string | null;
  limit: number;
};

/** Of a page that ends with the key. */
export const placeOfKey = ({ id, last_used_at }: KeyRecord, order: KeyPage["order"]): string =>
  order === "last_used" ? `${last_used_at ?? 0}.${id}` : id;

export function openKeyList({ query, tables: { apiKey } }: Database, clock: Clock) {
  const where = (filter: KeyFilter) => and(...conditions(apiKey, filter, unixSeconds(clock)));
  const lastUsed = sql<number>`coalesce(${apiKey.lastUsedAt}, 0)`;
  const after = (place: string, order: KeyPage["order"]): SQL | undefined => {
    if (order !== "last_used") return lt(apiKey.id, place);
    const [used = "", id = ""] = place.split(".");
    const isEqual = and(eq(lastUsed, Number(used)), lt(apiKey.id, id));
    return or(lt(lastUsed, Number(used)), isEqual);
  };
  return {
    async keysOf({ order, before, limit, ...filter }: KeyPage): Promise<KeyRecord[]> {
      const newest = desc(apiKey.id); // an id begins with its time
      const rows = await query
        .select()
        .from(apiKey)
        .where(and(where(filter), before === null ? undefined : after(before, order)))
        .orderBy(...(order === "last_used" ? [desc(lastUsed), newest] : [newest]))
        .limit(limit);
      return rows.map((row) => keyRecord(row, clock));
    },
    async countKeys(filter: KeyFilter): Promise<number> {
      const [counted] = await query.select({ keys: count() }).from(apiKey).where(where(filter));
      return Number(counted!.keys);
    },
  };
}

function conditions(apiKey: ApiKey, filter: KeyFilter, now: number) {
  const { organizationId, projectId, environment, status, createdBy = null, search = "" } = filter;
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
    filter.isWithoutPlayground ? not(isPlaygroundKey(apiKey)!) : undefined,
    ...search.split(/\s+/).filter(Boolean).map(containing(apiKey)),
  ];
}

/** SQLite makes only A to Z lower case, so a word is also looked for as it is written. */
const containing =
  ({ id, name, prefix, last4 }: ApiKey) =>
  (word: string) => {
    const [exact, lower] = [word, word.toLowerCase()].map(
      (each) => `%${each.replaceAll(/[\\%_]/g, "\\$&")}%`,
    );
    const text = sql`${name} || ' ' || ${id} || ' ' || ${prefix} || '…' || ${last4}`;
    return sql`(${text} like ${exact} escape '\\' or lower(${text}) like ${lower} escape '\\')`;
  };
