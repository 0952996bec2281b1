/** How long callers waited for the first audio: the newest requests of a time range, one query for both databases. */
import { and, desc, eq, gte, isNotNull, lt } from "drizzle-orm";
import type { Database } from "../database.ts";
import { idAt, madeFor } from "./request-hours.ts";
import { type Filters, matches } from "./usage-reads.ts";

/** So many requests are read, whatever the range: the newest. */
const LATENCY_ROWS_MAX = 20_000;

/** Half-open, in Unix seconds. */
export type LatencyQuery = { organizationId: string; start: number; end: number; filters: Filters };

/** How long one request waited. `model`: empty where none was found. */
export type Latency = { createdAt: number; firstByteMs: number; model: string };

export function openLatencyReads({ query, tables: { requestLog } }: Database) {
  const { id, organizationId, createdAt, firstByteMs, projectId, keyId, environment, model, endpoint } =
    requestLog;
  return {
    async latencies({ organizationId: owner, start, end, filters }: LatencyQuery): Promise<Latency[]> {
      const made = madeFor({ from: start, to: end });
      // ids sort by time: the bounds of the primary key keep the read short, also where few requests match
      const newest = query
        .select({ id, createdAt, firstByteMs, projectId, keyId, environment, model, endpoint })
        .from(requestLog)
        .where(and(eq(organizationId, owner), gte(id, idAt(made.from)), lt(id, idAt(made.to))))
        .orderBy(desc(id))
        .limit(LATENCY_ROWS_MAX)
        .as("newest");
      const rows = await query
        .select({ createdAt: newest.createdAt, firstByteMs: newest.firstByteMs, model: newest.model })
        .from(newest)
        .where(
          and(
            isNotNull(newest.firstByteMs),
            gte(newest.createdAt, start),
            lt(newest.createdAt, end),
            ...matches(newest as never, filters),
          ),
        );
      return rows.map((row) => ({ ...row, firstByteMs: row.firstByteMs!, model: row.model ?? "" }));
    },
  };
}
