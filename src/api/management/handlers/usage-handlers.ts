/** Handlers of usage: sums over time and single requests; those of limits lie beside it. */
import { type Clock, unixSeconds } from "../../../clock.ts";
import { type Detail, invalidInput } from "../../../errors.ts";
import { roundSeconds } from "../../../ledger/booking/seconds.ts";
import { type Dimension, type LogDimension, USAGE_ROWS_MAX, type UsageRow } from "../../../ledger/ledger.ts";
import { csvFile, jsonFile } from "../../middleware/row-files.ts";
import { exportedRows } from "../../requests/request-export.ts";
import {
  DIMENSIONS,
  endUserIn,
  type Filtering,
  filtersOf,
  LOG_DIMENSIONS,
  requestFiltersOf,
} from "../../requests/request-filters.ts";
import { requestRecord } from "../../requests/request-record.ts";
import type { usageRoutes } from "../schema/usage-routes.ts";
import { page } from "./cursor.ts";
import { type Handlers, orNotFound, type Reads } from "./handler.ts";
import { latencyRecord } from "./latency.ts";
import { type LimitDeps, limitHandlers } from "./limit-handlers.ts";

/** What end users are grouped by, alone. */
const END_USER = "end_user";
/** Whose latency is told unless another is named. */
const SPEECH = "/v1/audio/speech";
const HOUR = 3600;
const DAY = 24 * HOUR;
const SECONDS = { minute: 60, hour: HOUR, day: DAY };
/** Longer ranges with several groups would be slow, and too large to read. */
const RANGE_DAYS = {
  minute: { one: 0.25, several: 0.25 },
  hour: { one: 31, several: 7 },
  day: { one: 400, several: 100 },
};
const DEFAULT_DAYS = 30;
const TOO_MANY_ROWS = `must not make more than ${USAGE_ROWS_MAX} rows: use fewer groups or a shorter range`;

type UsageHandlers = Handlers<typeof usageRoutes>;

type RecordedDeps = Reads<"accounts" | "ledger" | "clock" | "signatures">;

export function usageHandlers(deps: RecordedDeps & LimitDeps): UsageHandlers {
  return {
    ...recordedHandlers(deps),
    ...limitHandlers(deps),
  };
}

/** What the ledger has recorded. */
export function recordedHandlers(deps: RecordedDeps) {
  const { ledger, clock, signatures } = deps;
  return {
    "GET /api/organizations/:organization/usage": async ({ organizationId, query }) => {
      const { bucket = "day", group_by } = query;
      if (query.end_user !== undefined || group_by === END_USER)
        return endUserUsage(deps, organizationId, query);
      const logged = LOG_DIMENSIONS.find((name) => name === group_by);
      if (logged) return loggedUsage(deps, { ...query, bucket, organizationId, logged });
      const groupBy = groupsOf(group_by);
      const range = rangeOf({ ...query, bucket, groups: groupBy.length > 1 ? "several" : "one" }, clock);
      const asked = {
        organizationId,
        ...range,
        bucket,
        groupBy,
        filters: filtersOf(query),
      };
      const rows = await ledger.usage(asked);
      return usageList(rows, bucket);
    },
    "GET /api/organizations/:organization/latency": async ({ organizationId, query }) => {
      const { bucket = "day", endpoint = SPEECH, measure = "first_output" } = query;
      const range = rangeOf({ ...query, bucket, groups: "one" }, clock);
      const filters = { ...filtersOf(query), endpoint };
      const waits = await ledger.latencies({ organizationId, ...range, filters, measure });
      return latencyRecord(waits, { endpoint, measure, bucket });
    },
    "GET /api/organizations/:organization/requests": async ({ organizationId, query }) => {
      const { limit, cursor } = query;
      const filters = await requestFiltersOf(deps, organizationId, query);
      const asked = { signatures, filters, limit, cursor };
      const { data, ...rest } = await page(asked, (before, limit) =>
        ledger.requestPage({ ...filters, before, limit }),
      );
      return { ...rest, data: data.map(requestRecord) };
    },
    "GET /api/organizations/:organization/requests/export": async ({ organizationId, query }) => {
      const { format = "csv" } = query;
      const rows = exportedRows(deps, await requestFiltersOf(deps, organizationId, query));
      return {
        name: `requests.${format}`,
        type: format === "csv" ? "text/csv; charset=utf-8" : "application/json",
        content: format === "csv" ? csvFile(rows) : jsonFile(rows),
      };
    },
    "GET /api/requests/:request": async ({ organizationId, ids }) =>
      requestRecord(orNotFound("request", await ledger.request(organizationId, ids.request))),
  } satisfies Partial<UsageHandlers>;
}

type EndUserQuery = Filtering & Omit<Ranged, "bucket" | "groups"> & EndUserChoice;
type EndUserChoice = { bucket?: Bucket; group_by?: string; end_user?: string };

/** By day alone: what each used is not added up in any other way. */
async function endUserUsage(deps: RecordedDeps, organizationId: string, query: EndUserQuery) {
  const { bucket = "day", group_by = "", end_user, start, end, ...rest } = query;
  if (bucket !== "day") throw notByEndUser("bucket", "must be day");
  if (group_by !== "" && group_by !== END_USER) throw notByEndUser("group_by", `must be ${END_USER} alone`);
  const [other] = Object.keys(filtersOf(rest));
  if (other !== undefined) throw notByEndUser(other, "must be left out");
  const range = rangeOf(
    { bucket, groups: "one", ...(start !== undefined && { start }), ...(end !== undefined && { end }) },
    deps.clock,
  );
  const name = await endUserIn(deps, organizationId, query);
  const endUsers = { name, isGrouped: group_by === END_USER };
  const rows = await deps.ledger.usage({
    organizationId,
    ...range,
    bucket,
    groupBy: [],
    filters: {},
    endUsers,
  });
  const tooMany = () => outOfRange("start", "must be later: these days have too many end users");
  return usageList(rows, bucket, tooMany);
}

/** Throws `tooMany` where there are more rows than are sent. */
function usageList(rows: UsageRow[], bucket: Bucket, tooMany = () => outOfRange("group_by", TOO_MANY_ROWS)) {
  if (rows.length > USAGE_ROWS_MAX) throw tooMany();
  const data = rows.map((row) => bucketRecord(row, bucket));
  return { object: "list" as const, data, totals: totalsOf(rows) };
}

/** More would be slow to read; sums tell how many there are. */
const LOGGED_MAX = 100_000;

type LogQuery = Filtering & Omit<Ranged, "groups"> & { organizationId: string; logged: LogDimension };

/** By what only the request log tells. */
async function loggedUsage(
  { ledger, clock }: Pick<RecordedDeps, "ledger" | "clock">,
  { organizationId, bucket, logged, ...query }: LogQuery,
) {
  const range = rangeOf({ ...query, bucket, groups: "one" }, clock);
  const asked = { organizationId, ...range, groupBy: [] };
  const counted = await ledger.usage({ ...asked, bucket: bucket === "day" ? "day" : "hour", filters: {} });
  const { requests } = totalsOf(counted);
  if (requests > LOGGED_MAX)
    throw outOfRange("start", `must be later: by ${logged}, a range has at most ${LOGGED_MAX} requests`);
  const rows = await ledger.usage({ ...asked, bucket, logged, filters: filtersOf(query) });
  return usageList(rows, bucket);
}

const notByEndUser = (field: string, message: string) =>
  invalidInput([{ field, code: "malformed", message: `${message} where end users are asked for` }]);

type Bucket = "minute" | "hour" | "day";
type Ranged = { bucket: Bucket; groups: "one" | "several"; start?: number; end?: number };

/** By default the last days, including today or the present minute. */
function rangeOf({ bucket, groups, ...range }: Ranged, clock: Clock): { start: number; end: number } {
  const last = bucket === "minute" ? SECONDS.minute : DAY;
  const end = range.end ?? Math.floor(unixSeconds(clock) / last + 1) * last;
  const days = RANGE_DAYS[bucket][groups];
  const start = range.start ?? end - Math.min(DEFAULT_DAYS, days) * DAY;
  if (start >= end) throw outOfRange("end", "must be after start");
  if (end - start > days * DAY)
    throw outOfRange(
      "start",
      `must be at most ${days < 1 ? `${days * 24} hours` : `${days} days`} before end`,
    );
  return { start, end };
}

/** `user`: who created the key. */
const GROUPS = [...DIMENSIONS, "user"] as const;

function groupsOf(list = ""): Dimension[] {
  const names = [...new Set(list.split(",").filter((name) => name !== ""))];
  return names.map((name) => {
    const dimension = GROUPS.find((each) => each === name);
    if (dimension) return dimension;
    const alone = [...LOG_DIMENSIONS, END_USER].join(", ");
    const message = `must be of ${GROUPS.join(", ")}, or one of ${alone} alone`;
    throw invalidInput([{ field: "group_by", code: "not_one_of", message }]);
  });
}

const outOfRange = (field: string, message: string) =>
  invalidInput([{ field, code: "out_of_range", message } satisfies Detail]);

type Sums = Omit<UsageRow, "start" | "groups" | "succeeded" | "unmeteredMicros">;

const sumsRecord = ({ requests, errors, characters, audioSeconds, tokens, costMicros }: Sums) => ({
  requests,
  errors,
  characters,
  audio_seconds: roundSeconds(audioSeconds),
  tokens,
  cost_micros: costMicros,
});

export const bucketRecord = ({ start, groups, ...sums }: UsageRow, bucket: Bucket) => ({
  start,
  end: start + SECONDS[bucket],
  groups: groups as Record<string, string>,
  ...sumsRecord(sums),
});

export function totalsOf(rows: Sums[]) {
  const sum = (of: keyof Sums) => rows.reduce((total, row) => total + row[of], 0);
  return sumsRecord({
    requests: sum("requests"),
    errors: sum("errors"),
    characters: sum("characters"),
    audioSeconds: sum("audioSeconds"),
    tokens: sum("tokens"),
    costMicros: sum("costMicros"),
  });
}
