/** The groups behind a chart, each with its share, each a way to its requests. */
import { Link } from "wouter";
import { useOrganization } from "../lib/session.ts";
import { Card } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { type Dimension, type Group, LOOKS, METRICS } from "./aggregate.ts";
import type { Range } from "./date-range.ts";
import { filtersIn, filterTo, requestsHref, useAddress } from "./filters.tsx";
import type { Names } from "./names.ts";
import { GROUP_NAMES, metricIn } from "./usage-controls.tsx";

export type GroupsProps = { groups: Group[]; by: Dimension | null; range: Range; names: Names };

export function Groups({ groups, by, range: { start, end }, names }: GroupsProps) {
  const [search] = useAddress();
  const { id } = useOrganization();
  const metric = metricIn(search);
  const all = groups.reduce((sum, { totals }) => sum + totals[metric], 0);
  const name = by ? GROUP_NAMES[by] : "All";
  const href = (group: Group) =>
    requestsHref(id, { ...filtersIn(search), ...(by ? filterTo(by, group.id) : {}), start, end });
  const columns: Column<Group>[] = [
    {
      name,
      of: (group) => <Link href={href(group)}>{by ? names.nameOf(by, group.id) : "All requests"}</Link>,
    },
    ...METRICS.map((each) => ({
      name: LOOKS[each].name,
      numeric: true,
      of: (group: Group) => LOOKS[each].format(group.totals[each]),
    })),
    {
      name: `Share of ${LOOKS[metric].name.toLowerCase()}`,
      numeric: true,
      of: ({ totals }) => <Share part={totals[metric]} of={all} />,
    },
  ];
  return (
    <Card title={by ? `By ${GROUP_NAMES[by].toLowerCase().replace("api", "API")}` : "In all"}>
      <Table
        caption={`Usage by ${name}`}
        columns={columns}
        rows={groups.toSorted((a, b) => b.totals[metric] - a.totals[metric])}
        keyOf={({ id }) => id}
        empty="No requests in this time. Choose a longer range or fewer filters."
      />
    </Card>
  );
}

function Share({ part, of }: { part: number; of: number }) {
  const share = of === 0 ? 0 : (part / of) * 100;
  return (
    <span className="share">
      <i className="level" aria-hidden>
        <i style={{ width: `${share}%` }} />
      </i>
      {share.toLocaleString(undefined, { maximumFractionDigits: 1 })} %
    </span>
  );
}
