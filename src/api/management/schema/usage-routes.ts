/** Routes of usage: sums over time, single requests, and current limits. */
import Type from "typebox";
import { Gauge, listOf, nullable, oneOf, Plan, Text, Tier, Whole } from "./records.ts";
import { Filters, OfEndUser, RequestFilters } from "./request-filters.ts";
import type { Routes } from "./route.ts";
import { RequestRecord, UsageBucket, UsageTotals } from "./usage-records.ts";

const LatencyMeasure = oneOf("first_output", "answer", "final_text");

/**
 * Milliseconds that half of the requests, and 95 of 100, waited at most; null without requests. A realtime factor is the time of
 * an answer as a part of the length of its audio: 0.1 is a tenth of it. Null unless `measure` is `answer`.
 */
const Waits = {
  requests: Whole,
  p50_ms: nullable(Whole),
  p95_ms: nullable(Whole),
  p50_realtime_factor: nullable(Type.Number()),
  p95_realtime_factor: nullable(Type.Number()),
};

/** In the highest minute, but `concurrency`, the most at once, and `refused`, all. Null: beyond the newest 100,000 requests. */
const LimitUse = Type.Object({
  start: Whole,
  end: Whole,
  requests: nullable(Whole),
  characters: nullable(Whole),
  seconds: nullable(Type.Number()),
  concurrency: nullable(Whole),
  refused: nullable(Whole),
});

const Used = Type.Object({ limit: Whole, used: Whole });

export const usageRoutes = {
  "GET /api/organizations/:organization/usage": {
    summary: "Get usage by minute, hour or day, grouped; at most 10,000 rows",
    needs: "member",
    query: Type.Object({
      ...Filters,
      /** Minutes: at most 6 hours, of the last 90 days. */
      bucket: Type.Optional(Type.Enum(["minute", "hour", "day"])),
      ...OfEndUser,
      /**
       * Any of project, key, user, model, endpoint, environment; several separated by commas, for a quarter of the range. `user`:
       * who created the key. Or end_user alone, by day, for the last 90 days. Or status, voice, language, format or label alone, from the
       * request log: of a range with at most 100,000 requests.
       */
      group_by: Type.Optional(Text),
    }),
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(UsageBucket),
      totals: UsageTotals,
    }),
  },
  "GET /api/organizations/:organization/latency": {
    summary: "Get how long requests to an endpoint waited, of the newest 20,000 requests of a range",
    needs: "member",
    query: Type.Object({
      /** `endpoint`: speech without one. */
      ...Filters,
      bucket: Type.Optional(Type.Enum(["hour", "day"])),
      /**
       * `first_output`: the first audio or text, the default. `answer`: all of a successful answer, from the beginning of the
       * upload. Live sessions are in neither; `final_text` is what half of the utterances of each waited, from their end to their
       * final text.
       */
      measure: Type.Optional(LatencyMeasure),
    }),
    reply: Type.Object({
      object: Type.Literal("latency"),
      endpoint: Text,
      measure: LatencyMeasure,
      ...Waits,
      /** Only hours or days with requests. */
      data: Type.Array(Type.Object({ start: Whole, end: Whole, ...Waits })),
      /** Those with the most requests first. */
      models: Type.Array(Type.Object({ model: Text, ...Waits })),
    }),
  },
  "GET /api/organizations/:organization/requests": {
    summary: "List requests, newest first",
    needs: "member",
    query: Type.Object({
      ...RequestFilters,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Type.Optional(Text),
    }),
    reply: listOf(RequestRecord),
  },
  "GET /api/organizations/:organization/requests/export": {
    summary: "Download the requests that the filters match, newest first, at most 1,000,000",
    needs: "member",
    query: Type.Object({ ...RequestFilters, format: Type.Optional(Type.Enum(["csv", "json"])) }),
    download: "rows",
  },
  "GET /api/requests/:request": { summary: "Retrieve a request", needs: "member", reply: RequestRecord },
  "GET /api/organizations/:organization/limits": {
    summary: "Get current rate limits and the spending limit",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("limits"),
      plan: Plan,
      tier: Tier,
      requests: Gauge,
      characters: Gauge,
      seconds: Gauge,
      concurrency: Gauge,
      spending: Type.Object({ limit_micros: nullable(Whole), month_to_date_micros: Whole }),
    }),
  },
  "GET /api/organizations/:organization/limits/day": {
    summary:
      "Get the most of each limit that was used in the last 24 hours, and what was refused with 429, by quarter of an hour",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("limits_day"),
      data: Type.Array(LimitUse),
    }),
  },
  "GET /api/organizations/:organization/limits/background": {
    summary: "Get the limits of jobs and of stored files, and what is used of them",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("background_limits"),
      /** Without those of batches. */
      waiting_jobs: Used,
      running_jobs: Used,
      stored_bytes: Used,
      /** That the recording of a job may last. */
      job_seconds_max: Whole,
    }),
  },
} as const satisfies Routes;
