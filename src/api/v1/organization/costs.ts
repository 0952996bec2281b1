/** /v1/organization/costs: what usage cost by day (UTC), at list price and as it was deducted. */

import Type, { type Static } from "typebox";
import { unixSeconds } from "../../../clock.ts";
import { roundSeconds } from "../../../ledger/booking/seconds.ts";
import type { UsageRow } from "../../../ledger/ledger.ts";
import { type AdminRoute, adminRoute } from "./admin-route.ts";
import { nullable } from "./records.ts";
import { IDS, idsOf, pageReply, pageReplyOf, readRows, type UsageDeps } from "./usage-page.ts";
import { type Asked, bucketsOf, costsMost, dimensionsOf, filtersOf, nextPage, RANGE } from "./usage-query.ts";

const Money = Type.Object({ value: Type.Number(), currency: Type.Literal("usd") });
const CostGroup = Type.Enum(["project_id", "user_id", "api_key_id", "line_item"]);

const CostParameters = Type.Object({
  ...RANGE,
  bucket_width: Type.Optional(Type.Enum(["1d"], { description: "Costs are by day." })),
  line_items: Type.Optional(
    Type.Array(Type.String({ maxLength: 300, pattern: "^[^\\u0000]+, (?:characters|seconds|tokens)$" }), {
      ...{ maxItems: 100, description: "Only these, such as `svc-tts1, characters`. At most 100." },
    }),
  ),
  group_by: Type.Optional(
    Type.Array(CostGroup, {
      ...{ maxItems: 100, description: "What results are apart by. Ids that are not grouped by are null." },
    }),
  ),
});

const CostResult = Type.Object({
  object: Type.Literal("organization.costs.result"),
  /** At list price. */
  amount: Money,
  /** What credit paid of it. */
  deducted_amount: Money,
  line_item: nullable(Type.String()),
  quantity: nullable(Type.Number()),
  quantity_unit: nullable(Type.Enum(["characters", "duration_seconds", "tokens"])),
  ...IDS,
  api_source: Type.Null(),
});

export function costsRoute(deps: UsageDeps): AdminRoute {
  return adminRoute({
    ...{ method: "GET", path: "/costs", id: "getCosts", scope: "usage:read", query: CostParameters },
    summary: "Get costs by day, at list price and as deducted",
    reply: pageReply(CostResult),
    handle: async ({ principal: { organizationId }, query }) => {
      const { group_by: groups = [], line_items: items } = query;
      const filters = {
        organizationId,
        name: "costs",
        groups,
        filters: filtersOf(query),
        items: items ?? null,
      };
      const paging = { signatures: deps.signatures, width: "1d", filters } as const;
      const buckets = await bucketsOf(query, { ...paging, ...costsMost, now: unixSeconds(deps.clock) });
      const asked = costQueryOf(organizationId, query);
      const rows = await readRows(deps, asked, buckets);
      return pageReplyOf(costsOf(rows, query), buckets, await nextPage(query, paging, buckets));
    },
  });
}

type CostsAsked = Static<typeof CostParameters>;

/** Line items are of one model each, so it is grouped by where they matter. */
function costQueryOf(organizationId: string, query: CostsAsked) {
  const { group_by: groups = [], line_items: items } = query;
  const ids = groups.filter((group): group is Exclude<typeof group, "line_item"> => group !== "line_item");
  const needsModel = groups.includes("line_item") || items !== undefined;
  const filters = filtersOf(query as Asked);
  if (items) filters.model = items.map((item) => readLineItem(item).model);
  return {
    organizationId,
    groupBy: dimensionsOf([...ids, ...(needsModel ? (["model"] as const) : [])]),
    filters,
  };
}

type Cost = {
  row: UsageRow;
  item: LineItem | null;
  costMicros: number;
  unmeteredMicros: number;
  quantity: number;
};

function costsOf(rows: UsageRow[], { group_by: groups = [], line_items: items }: CostsAsked) {
  const byItem = groups.includes("line_item");
  const costs = new Map<string, Cost>();
  for (const row of rows) {
    const item = row.groups.model === undefined ? null : lineItemOf(row);
    const isEmpty = row.costMicros === 0 && row.characters + row.audioSeconds + row.tokens === 0;
    if (isEmpty || (items && !items.includes(item!.name))) continue;
    const { model: _model, ...ids } = row.groups;
    const name = JSON.stringify([row.start, ids, byItem && item!.name]);
    const cost = costs.get(name) ?? { row, item, costMicros: 0, unmeteredMicros: 0, quantity: 0 };
    cost.costMicros += row.costMicros;
    cost.unmeteredMicros += row.unmeteredMicros;
    cost.quantity += item?.quantity ?? 0;
    costs.set(name, cost);
  }
  return [...costs.values()].map(({ row, item, costMicros, unmeteredMicros, quantity }) => ({
    start: row.start,
    result: {
      object: "organization.costs.result",
      amount: money(costMicros),
      deducted_amount: money(costMicros - unmeteredMicros),
      line_item: byItem ? item!.name : null,
      quantity: byItem ? quantity : null,
      quantity_unit: byItem ? item!.unit : null,
      ...idsOf(row),
      api_source: null,
    },
  }));
}

const money = (micros: number) => ({ value: micros / 1e6, currency: "usd" });

const UNITS = { characters: "characters", seconds: "duration_seconds", tokens: "tokens" } as const;

/** Line items of costs: a model and what is counted of it, such as `svc-tts1, characters`. Pure. */
type LineItem = { name: string; quantity: number; unit: (typeof UNITS)[keyof typeof UNITS] };

/** Of a row that is grouped by model: a model is charged in one unit. */
function lineItemOf(row: UsageRow): LineItem {
  const counted = row.characters !== 0 ? "characters" : row.audioSeconds !== 0 ? "seconds" : "tokens";
  const quantity = {
    characters: row.characters,
    seconds: roundSeconds(row.audioSeconds),
    tokens: row.tokens,
  };
  return { name: `${row.groups.model}, ${counted}`, quantity: quantity[counted], unit: UNITS[counted] };
}

/** The last comma parts them: a model's name may have some. */
const readLineItem = (name: string) => ({ model: name.slice(0, name.lastIndexOf(", ")) });
