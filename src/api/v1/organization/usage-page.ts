/** Answers of the usage API: pages of buckets, read from the ledger. */
import Type, { type TSchema } from "typebox";
import type { Clock } from "../../../clock.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import { type Ledger, USAGE_ROWS_MAX, type UsageQuery, type UsageRow } from "../../../ledger/ledger.ts";
import { outOfRange } from "./keyed-route.ts";
import { nullable } from "./records.ts";
import { type Buckets, bucketOf, secondsOf } from "./usage-query.ts";

export type UsageDeps = { ledger: Pick<Ledger, "usage">; signatures: Signatures; clock: Clock };

export const Id = nullable(Type.String());
export const IDS = { project_id: Id, user_id: Id, api_key_id: Id };

export const pageReply = (result: TSchema) =>
  Type.Object({
    object: Type.Literal("page"),
    has_more: Type.Boolean(),
    next_page: nullable(Type.String()),
    data: Type.Array(
      Type.Object({
        object: Type.Literal("bucket"),
        start_time: Type.Integer(),
        end_time: Type.Integer(),
        results: Type.Array(result),
      }),
    ),
  });

export async function readRows(
  { ledger }: UsageDeps,
  asked: Pick<UsageQuery, "organizationId" | "groupBy" | "filters" | "kind">,
  { width, from, to }: Buckets,
): Promise<UsageRow[]> {
  const { organizationId, groupBy, filters, kind } = asked;
  const query = { organizationId, groupBy, filters, ...(kind && { kind }) };
  const rows = await ledger.usage({ ...query, start: from, end: to, bucket: bucketOf(width) });
  if (rows.length <= USAGE_ROWS_MAX) return rows;
  throw outOfRange(
    "group_by",
    `must not make more than ${USAGE_ROWS_MAX} results: group by less, or ask for fewer buckets`,
  );
}

export const idsOf = ({ groups: { project, user, key } }: UsageRow) => ({
  project_id: project ?? null,
  user_id: user || null,
  api_key_id: key ?? null,
});

/** Every bucket of the page, those without usage too. */
export function pageReplyOf(
  rows: { start: number; result: object }[],
  buckets: Buckets,
  next: string | null,
) {
  const { width, from, to } = buckets;
  const seconds = secondsOf(width);
  const byStart = Map.groupBy(rows, ({ start }) => start);
  const data = Array.from({ length: (to - from) / seconds }, (_, index) => {
    const start_time = from + index * seconds;
    const results = (byStart.get(start_time) ?? []).map(({ result }) => result);
    return { object: "bucket", start_time, end_time: start_time + seconds, results };
  });
  return { object: "page", has_more: next !== null, next_page: next, data };
}
