/** What the usage API is asked: the range as buckets, the groups and filters, and where a page begins. Pure but for signatures. */
import Type from "typebox";
import { Refusal } from "../../../errors.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import { cursorAt, placeOf } from "../../../identity/signed-cursor.ts";
import { LOGS_KEPT_SECONDS } from "../../../ledger/audit.ts";
import type { Dimension } from "../../../ledger/ledger.ts";
import { outOfRange } from "./keyed-route.ts";

/** How many buckets a page has, unless said, and at most. */
const WIDTHS = {
  "1m": { bucket: "minute", seconds: 60, usual: 60, most: 1440 },
  "1h": { bucket: "hour", seconds: 3600, usual: 24, most: 168 },
  "1d": { bucket: "day", seconds: 86_400, usual: 7, most: 31 },
} as const;
export type Width = keyof typeof WIDTHS;

const COSTS_MOST = 180;

/** The words of the API for what usage is grouped by. */
const DIMENSIONS = {
  project_id: "project",
  user_id: "user",
  api_key_id: "key",
  model: "model",
  endpoint: "endpoint",
  environment: "environment",
} as const satisfies Record<string, Dimension>;
export type Group = keyof typeof DIMENSIONS;

const YEAR_10000 = 253_402_300_800;
const VALUES_MAX = 100;

const Text = Type.String({ maxLength: 300, pattern: "^[^\\u0000]*$" }); // what no database stores
const Values = (description: string) =>
  Type.Optional(Type.Array(Text, { maxItems: VALUES_MAX, description: `${description} At most 100.` }));
const Moment = { minimum: 0, maximum: YEAR_10000 - 1 };

/** Of usage and of costs. */
export const RANGE = {
  start_time: Type.Integer({
    ...Moment,
    description: "Unix seconds. The first bucket is the one that holds it.",
  }),
  end_time: Type.Optional(
    Type.Integer({
      ...Moment,
      description: "Unix seconds, exclusive; now, unless said. The last bucket counts in full.",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "How many buckets a page has." })),
  page: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "The next_page of the answer before, with all else as it was.",
    }),
  ),
  project_ids: Values("Only of these projects."),
  user_ids: Values("Only of keys that these users created."),
  api_key_ids: Values("Only of these keys."),
};

export const UsageParameters = Type.Object({
  ...RANGE,
  bucket_width: Type.Optional(
    Type.Enum(["1m", "1h", "1d"], {
      description:
        "1d unless said: 7 buckets a page, at most 31. 1h: 24, at most 168. 1m: 60, at most 1,440, of the last 90 days.",
    }),
  ),
  models: Values("Only of these models."),
  group_by: Type.Optional(
    Type.Array(Type.Enum(Object.keys(DIMENSIONS) as Group[]), {
      ...{
        maxItems: VALUES_MAX,
        description: "What results are apart by. Ids that are not grouped by are null.",
      },
    }),
  ),
});

export type Asked = {
  start_time: number;
  end_time?: number;
  limit?: number;
  page?: string;
  project_ids?: string[];
  user_ids?: string[];
  api_key_ids?: string[];
  models?: string[];
};

/** Buckets of a page, in Unix seconds: from `from` to before `to`, of a range that ends before `end`. */
export type Buckets = { width: Width; from: number; to: number; end: number };

/** `filters`: what the page is bound to besides the range. */
type PageQuery = { signatures: Signatures; width: Width; now: number; most?: number; filters: unknown };

export const costsMost = { most: COSTS_MOST };

/** Refuses a range that is empty, too old or too long, and a page of another query. */
export async function bucketsOf(asked: Asked, query: PageQuery): Promise<Buckets> {
  const { start_time: start, end_time: endTime, page } = asked;
  const { signatures, width, now } = query;
  const { seconds, usual } = WIDTHS[width];
  const { most = WIDTHS[width].most } = query;
  const { limit = usual } = asked;
  if (limit > most) throw outOfRange("limit", `must be from 1 to ${most} for ${width}, not ${limit}`);
  const place = page === undefined ? null : await placeOf(signatures, page, boundTo(asked, query));
  if (page !== undefined && place === null) throw invalidPage();
  const [from = 0, end = 0] = place?.split(" ").map(Number) ?? [start - (start % seconds), endTime ?? now];
  if (width === "1m" && from + seconds <= now - LOGS_KEPT_SECONDS)
    throw outOfRange(
      "start_time",
      "must be within the last 90 days for minutes: older usage is kept by hour and day",
    );
  if (end <= start)
    throw endTime === undefined
      ? outOfRange("start_time", "must be in the past, or before an end_time")
      : outOfRange("end_time", "must be after start_time");
  return {
    width,
    from,
    to: Math.min(Math.ceil(end / seconds) * seconds, from + limit * seconds),
    end,
  };
}

/** The next page; null: this is the last one. */
export async function nextPage(
  asked: Asked,
  query: Pick<PageQuery, "signatures" | "width" | "filters">,
  { to, end }: Buckets,
): Promise<string | null> {
  return to < end ? cursorAt(query.signatures, `${to} ${end}`, boundTo(asked, query)) : null;
}

const boundTo = (
  { start_time, end_time }: Asked,
  { width, filters }: Pick<PageQuery, "width" | "filters">,
) => ({ start_time, end_time: end_time ?? null, width, filters });

const invalidPage = () =>
  new Refusal("invalid_cursor", "Invalid page for this query; omit it to start over.", { param: "page" });

export const bucketOf = (width: Width) => WIDTHS[width].bucket;

export const secondsOf = (width: Width): number => WIDTHS[width].seconds;

export const dimensionsOf = (groups: readonly Group[]): Dimension[] => [
  ...new Set(groups.map((group) => DIMENSIONS[group])),
];

export function filtersOf({ project_ids, user_ids, api_key_ids, models }: Asked) {
  const values = { project: project_ids, user: user_ids, key: api_key_ids, model: models };
  return Object.fromEntries(Object.entries(values).filter(([, each]) => each !== undefined)) as Partial<
    Record<Dimension, string[]>
  >;
}
