/** Routes of what was used: sums over time, single requests, and how much of the limits is left. */
import Type from "typebox";
import {
  Environment,
  Gauge,
  listOf,
  nullable,
  RequestRecord,
  Text,
  Tier,
  UsageBucket,
  UsageTotals,
  Whole,
} from "./records.ts";
import type { Routes } from "./route.ts";

const Filters = {
  start: Type.Optional(Whole),
  end: Type.Optional(Whole),
  project_id: Type.Optional(Text),
  key_id: Type.Optional(Text),
  environment: Type.Optional(Environment),
  model: Type.Optional(Text),
  endpoint: Type.Optional(Text),
};

export const usageRoutes = {
  "GET /api/organizations/:organization/usage": {
    summary: "Sums by hour or day, in groups; at most 10,000 rows",
    needs: "member",
    query: Type.Object({
      ...Filters,
      bucket: Type.Optional(Type.Enum(["hour", "day"])),
      /** Of project, key, model, endpoint, environment; several with commas, for a quarter of the longest time. */
      group_by: Type.Optional(Text),
    }),
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(UsageBucket),
      totals: UsageTotals,
    }),
  },
  "GET /api/organizations/:organization/requests": {
    summary: "Single requests, newest first",
    needs: "member",
    query: Type.Object({
      ...Filters,
      /** A status, or a class of them: 200, 4xx, 5xx. */
      status: Type.Optional(Type.String({ pattern: "^([1-5][0-9]{2}|[1-5]xx)$" })),
      error_code: Type.Optional(Text),
      /** The beginning of a request id. */
      id: Type.Optional(Type.String({ pattern: "^req_[0-9a-z]{0,24}$" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Type.Optional(Text),
    }),
    reply: listOf(RequestRecord),
  },
  "GET /api/requests/:request": { summary: "A request", needs: "member", reply: RequestRecord },
  "GET /api/organizations/:organization/limits": {
    summary: "The four limits and the month's cap, as they stand now",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("limits"),
      tier: Tier,
      requests: Gauge,
      characters: Gauge,
      seconds: Gauge,
      concurrency: Gauge,
      spending: Type.Object({ limit_micros: nullable(Whole), month_to_date_micros: Whole }),
    }),
  },
} as const satisfies Routes;
