/** Usage, from hourly and daily sums, and by minute from requests and charges: one set of queries for both databases. */
import { and, eq, gte, inArray, lt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { ENDPOINTS_OF, type UsageKind } from "../../usage-kinds.ts";
import type { Database, Tables } from "../database.ts";

export const PERIOD_SECONDS = { minute: 60, hour: 3600, day: 86_400 } as const;

/** `user`: who created the key; "" for keys that no person created. */
export type Dimension = "project" | "key" | "environment" | "model" | "endpoint" | "user";

/** What only the request log tells. */
export type LogDimension = "status" | "voice" | "language" | "format" | "label";

/** One value, or any of several. */
export type Filters = Partial<Record<Dimension, string | readonly string[]>>;

/** One more row is returned if there are more, so that the caller can tell. */
export const USAGE_ROWS_MAX = 10_000;

/** Half-open, in Unix seconds; partly covered buckets count in full. Minutes are kept as long as the request log is. */
export type UsageQuery = {
  organizationId: string;
  start: number;
  end: number;
  bucket: keyof typeof PERIOD_SECONDS;
  groupBy: readonly Dimension[];
  filters: Filters;
  /** Only its requests are counted in `succeeded`, and rows without them and without its unit are left out. */
  kind?: UsageKind;
  /**
   * Of those whom clients named as their users, by day: by name, or of one name. They are in no other group, and there is no
   * other filter.
   */
  endUsers?: { name: string | null; isGrouped: boolean };
  /** Grouped by it alone. All requests of the range are read. */
  logged?: LogDimension;
};

/** `succeeded`: the requests that are neither errors nor left by their clients. */
export type UsageSums = {
  requests: number;
  errors: number;
  succeeded: number;
  characters: number;
  audioSeconds: number;
  tokens: number;
  costMicros: number;
  /** The part of `costMicros` that was not deducted. */
  unmeteredMicros: number;
};

export type UsageRow = UsageSums & {
  start: number;
  groups: Partial<Record<Dimension | "end_user" | LogDimension, string>>;
};

/** `requests`: those that succeeded. */
export type Totals = Omit<UsageSums, "errors" | "succeeded" | "unmeteredMicros">;

const COLUMNS = {
  project: "projectId",
  key: "keyId",
  environment: "environment",
  model: "model",
  endpoint: "endpoint",
} as const;

type ColumnName = keyof typeof COLUMNS;
type Counted = Tables["usageTotal"] | Tables["requestLog"] | Tables["usageEvent"];
type Dimensions = Pick<Counted, (typeof COLUMNS)[ColumnName]>;

/** A model of "" stands for none. Users are filtered by `openGroups`. */
export const matches = (table: Dimensions, filters: Filters): SQL[] =>
  Object.entries(filters).flatMap(([dimension, value]) => {
    if (dimension === "user") return [];
    const column = table[COLUMNS[dimension as ColumnName]];
    if (typeof value !== "string") return [inArray(column, [...value])];
    return [value === "" ? sql`coalesce(${column}, '') = ''` : eq(column, value)];
  });

/** As floating point, which PostgreSQL sums faster than numeric and is exact up to 2^53. */
export const sumOf = (what: SQLWrapper) =>
  sql<number>`coalesce(sum(cast(${what} as double precision)), 0)`.mapWith(Number);

/** Whether a row's requests are of the kind. `charged`: whether it has some of the unit of the kind. */
export const isOfKind = (kind: UsageKind, endpoint: SQLWrapper, charged: SQL): SQL =>
  or(
    inArray(endpoint as never, [...ENDPOINTS_OF[kind]]),
    and(inArray(endpoint as never, [...ENDPOINTS_OF.either]), charged),
  )!;

/** The groups of a query on a table, and its filters. */
export function openGroups({ query, tables: { apiKey } }: Database) {
  const keysOf = (organizationId: string, users: readonly string[]) =>
    query
      .select({ id: apiKey.id })
      .from(apiKey)
      .where(and(eq(apiKey.organizationId, organizationId), inArray(apiKey.createdBy, [...users])));
  return {
    /** What is selected, and by what it is grouped. `needsKey`: the key's row has to be joined. */
    groupsOf(table: Counted, groupBy: readonly Dimension[]) {
      const selected = groupBy.map((name) => [
        name,
        name === "user" ? sql<string>`coalesce(${apiKey.createdBy}, '')` : nameIn(table, name),
      ]);
      const by = groupBy.map((name) => (name === "user" ? apiKey.createdBy : table[COLUMNS[name]]));
      return { selected: Object.fromEntries(selected), by, needsKey: groupBy.includes("user") };
    },
    isKeyOf: (table: Counted) => eq(apiKey.id, table.keyId),
    filtersOf(table: Counted, { organizationId, filters }: UsageQuery): SQL[] {
      const { user } = filters;
      const theirs = user === undefined ? [] : [typeof user === "string" ? [user] : user];
      return [
        eq(table.organizationId, organizationId),
        ...matches(table, filters),
        ...theirs.map((users) => inArray(table.keyId, keysOf(organizationId, users))),
      ];
    },
  };
}

/** Sums store "" for no model. */
const nameIn = (table: Counted, name: ColumnName) =>
  name === "model" ? sql<string>`coalesce(${table.model}, '')` : table[COLUMNS[name]];

export function openTotalReads(database: Database) {
  const { query, tables } = database;
  const { usageTotal, apiKey } = tables;
  const { requests, errors, abandoned, characters, audioSeconds, tokens, costMicros, unmeteredMicros } =
    usageTotal;
  const { groupsOf, filtersOf, isKeyOf } = openGroups(database);
  const succeeded = sql`${requests} - ${errors} - coalesce(${abandoned}, 0)`;
  const counted = {
    requests: sumOf(requests),
    errors: sumOf(errors),
    characters: sumOf(characters),
    audioSeconds: sumOf(audioSeconds),
    tokens: sumOf(tokens),
    costMicros: sumOf(costMicros),
    unmeteredMicros: sumOf(unmeteredMicros),
  };
  const unitOf = { speech: characters, transcription: audioSeconds };

  /** The sums of a query, and what a row must have more than nothing of. */
  function sumsOf({ kind }: UsageQuery) {
    if (kind === undefined) {
      const sums = { ...counted, succeeded: sumOf(succeeded) };
      return { sums, needed: Object.values(counted) };
    }
    const unit = unitOf[kind];
    const isTheirs = isOfKind(kind, usageTotal.endpoint, sql`${unit} > 0`);
    const ofKind = sumOf(sql`case when ${isTheirs} then ${succeeded} else 0 end`);
    return { sums: { ...counted, succeeded: ofKind }, needed: [ofKind, sumOf(unit)] };
  }

  return {
    /** From the sums of hours or days. */
    async totalsBy(asked: UsageQuery): Promise<UsageRow[]> {
      const { start, end, bucket, groupBy } = asked;
      const { selected, by, needsKey } = groupsOf(usageTotal, groupBy);
      const { sums, needed } = sumsOf(asked);
      const selecting = query
        .select({ start: usageTotal.start, groups: { ...selected, start: usageTotal.start }, ...sums })
        .from(usageTotal)
        .$dynamic();
      const rows = await (needsKey ? selecting.leftJoin(apiKey, isKeyOf(usageTotal)) : selecting)
        .where(
          and(
            ...filtersOf(usageTotal, asked),
            eq(usageTotal.period, bucket as "hour" | "day"),
            gte(usageTotal.start, start - (start % PERIOD_SECONDS[bucket])),
            lt(usageTotal.start, end),
          ),
        )
        .groupBy(usageTotal.start, ...by)
        .having(sql`${needed.reduce((all, each) => sql`${all} + ${each}`, sql`0`)} > 0`)
        .orderBy(usageTotal.start, ...by)
        .limit(USAGE_ROWS_MAX + 1);
      return rows.map(({ groups: { start: _start, ...groups }, ...row }) => ({
        ...row,
        groups: groups as UsageRow["groups"],
      }));
    },
    async totals(organizationId: string): Promise<Totals> {
      const ofDays = and(eq(usageTotal.organizationId, organizationId), eq(usageTotal.period, "day"));
      const { errors: _errors, unmeteredMicros: _unmetered, ...sums } = counted;
      const [totals] = await query
        .select({ ...sums, requests: sumOf(succeeded) })
        .from(usageTotal)
        .where(ofDays);
      return totals as Totals;
    },
  };
}
