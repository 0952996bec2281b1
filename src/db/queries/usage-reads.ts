/** Usage, from hourly and daily sums: one set of queries for both databases. */
import { and, eq, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

export const PERIOD_SECONDS = { hour: 3600, day: 86_400 } as const;

export type Dimension = "project" | "key" | "environment" | "model" | "endpoint";

export type Filters = Partial<Record<Dimension, string>>;

/** One more row is returned if there are more, so that the caller can tell. */
export const USAGE_ROWS_MAX = 10_000;

/** Half-open, in Unix seconds; partly covered buckets count in full. */
export type UsageQuery = {
  organizationId: string;
  start: number;
  end: number;
  bucket: "hour" | "day";
  groupBy: Dimension[];
  filters: Filters;
};

type Sums = {
  requests: number;
  errors: number;
  characters: number;
  audioSeconds: number;
  tokens: number;
  costMicros: number;
};

export type UsageRow = Sums & { start: number; groups: Partial<Record<Dimension, string>> };

/** `requests`: those that succeeded. */
export type Totals = Omit<Sums, "errors">;

const COLUMNS = {
  project: "projectId",
  key: "keyId",
  environment: "environment",
  model: "model",
  endpoint: "endpoint",
} as const;

type Dimensions = Pick<Tables["usageTotal"] | Tables["requestLog"], (typeof COLUMNS)[Dimension]>;

/** A model of "" stands for none. */
export const matches = (table: Dimensions, filters: Filters): SQL[] =>
  Object.entries(filters).map(([dimension, value]) => {
    const column = table[COLUMNS[dimension as Dimension]];
    return value === "" ? sql`coalesce(${column}, '') = ''` : eq(column, value);
  });

/** As floating point, which PostgreSQL sums faster than numeric and is exact up to 2^53. */
const sum = (what: SQLWrapper) =>
  sql<number>`coalesce(sum(cast(${what} as double precision)), 0)`.mapWith(Number);

export function openUsageReads({ query, tables: { usageTotal } }: Database) {
  const { requests, errors, characters, audioSeconds, tokens, costMicros } = usageTotal;
  const sums = {
    requests: sum(requests),
    errors: sum(errors),
    characters: sum(characters),
    audioSeconds: sum(audioSeconds),
    tokens: sum(tokens),
    costMicros: sum(costMicros),
  };
  return {
    async usage({ organizationId, start, end, bucket, groupBy, filters }: UsageQuery): Promise<UsageRow[]> {
      const groups = Object.fromEntries(groupBy.map((name) => [name, usageTotal[COLUMNS[name]]]));
      const by = [usageTotal.start, ...Object.values(groups)];
      const rows = await query
        .select({ start: usageTotal.start, groups: { ...groups, start: usageTotal.start }, ...sums })
        .from(usageTotal)
        .where(
          and(
            eq(usageTotal.organizationId, organizationId),
            eq(usageTotal.period, bucket),
            gte(usageTotal.start, start - (start % PERIOD_SECONDS[bucket])),
            lt(usageTotal.start, end),
            ...matches(usageTotal, filters),
          ),
        )
        .groupBy(...by)
        .having(sql`${Object.values(sums).reduce((all, each) => sql`${all} + ${each}`)} > 0`)
        .orderBy(...by)
        .limit(USAGE_ROWS_MAX + 1);
      return rows.map(({ groups: { start: _start, ...groups }, ...row }) => ({ ...row, groups }));
    },
    async totals(organizationId: string): Promise<Totals> {
      const ofDays = and(eq(usageTotal.organizationId, organizationId), eq(usageTotal.period, "day"));
      const [{ errors, ...totals }] = (await query.select(sums).from(usageTotal).where(ofDays)) as [Sums];
      return { ...totals, requests: totals.requests - errors };
    },
  };
}
