/** How long callers waited: the newest requests of a time range, one query for both databases. */
import { and, desc, eq, gte, isNotNull, lt, ne } from "drizzle-orm";
import type { Database } from "../database.ts";
import { idAt, madeFor } from "./request-hours.ts";
import { type Filters, matches } from "./usage-reads.ts";

/** So many requests are read, whatever the range: the newest. */
const LATENCY_ROWS_MAX = 20_000;

/**
 * `first_output`: the first audio or text. `answer`: all of a successful answer. Live sessions have neither, but `final_text`: what
 * half of their utterances waited for their final text.
 */
export type LatencyMeasure = "first_output" | "answer" | "final_text";

/** Half-open, in Unix seconds. */
export type LatencyQuery = {
  organizationId: string;
  start: number;
  end: number;
  filters: Filters;
  measure: LatencyMeasure;
};

/** How long one request waited. `model`: empty where none was found. `audioSeconds`: of its audio; 0 where it is not known. */
export type Latency = { createdAt: number; waitMs: number; model: string; audioSeconds: number };

const LIVE = "WS";
const COLUMNS = { first_output: "firstByteMs", answer: "durationMs", final_text: "finalTextMs" } as const;

export function openLatencyReads({ query, tables: { requestLog } }: Database) {
  const { id, organizationId, createdAt, firstByteMs, durationMs, audioSeconds, ...columns } = requestLog;
  const { projectId, keyId, environment, model, endpoint, method, status, finalTextMs } = columns;
  return {
    async latencies({
      organizationId: owner,
      start,
      end,
      filters,
      measure,
    }: LatencyQuery): Promise<Latency[]> {
      const made = madeFor({ from: start, to: end });
      // ids sort by time: the bounds of the primary key keep the read short, also where few requests match
      const newest = query
        .select({
          ...{ id, createdAt, firstByteMs, durationMs, audioSeconds },
          ...{ projectId, keyId, environment, model, endpoint, method, status, finalTextMs },
        })
        .from(requestLog)
        .where(and(eq(organizationId, owner), gte(id, idAt(made.from)), lt(id, idAt(made.to))))
        .orderBy(desc(id))
        .limit(LATENCY_ROWS_MAX)
        .as("newest");
      const wait = newest[COLUMNS[measure]];
      const rows = await query
        .select({
          ...{ createdAt: newest.createdAt, model: newest.model, audioSeconds: newest.audioSeconds },
          waitMs: wait,
        })
        .from(newest)
        .where(
          and(
            isNotNull(wait),
            isNotNull(newest.firstByteMs), // lines of batches have none
            ...(measure === "final_text" ? [] : [ne(newest.method, LIVE)]),
            ...(measure === "answer" ? [eq(newest.status, 200)] : []),
            gte(newest.createdAt, start),
            lt(newest.createdAt, end),
            ...matches(newest as never, filters),
          ),
        );
      return rows.map((row) => ({
        ...{ createdAt: row.createdAt, model: row.model ?? "" },
        ...{ waitMs: row.waitMs!, audioSeconds: row.audioSeconds ?? 0 },
      }));
    },
  };
}
