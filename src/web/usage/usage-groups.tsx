/** The table of groups: totals and shares, with links to the requests. */
import { Link } from "wouter";
import { useOrganization } from "../api/session.ts";
import { share } from "../format/numbers.ts";
import { Card } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { type Dimension, type Group, METRIC_FORMATS } from "./aggregate.ts";
import type { Range } from "./date-range.ts";
import { filtersOf, filterTo, requestsHref, useAddress } from "./filters.tsx";
import type { Names } from "./names.ts";
import { GROUP_NAMES, metricIn, useMetrics } from "./usage-controls.tsx";

export type GroupsProps = { groups: Group[]; by: Dimension | null; range: Range; names: Names };

export function Groups({ groups, by, range: { start, end }, names }: GroupsProps & { by: Dimension }) {
  const [search] = useAddress();
  const { id } = useOrganization();
  const metrics = useMetrics();
  const metric = metricIn(search);
  const total = groups.reduce((sum, { totals }) => sum + totals[metric], 0);
  const name = GROUP_NAMES[by];
  const nameOf = (group: Group) => {
    const filter = filterTo(by, group.id);
    const text = names.nameOf(by, group.id);
    if (filter === null) return text;
    return (
      <Link href={requestsHref(id, { ...filtersOf(search), ...filter, start, end })} className="row-link">
        {text}
      </Link>
    );
  };
  const columns: Column<Group>[] = [
    { name, of: nameOf },
    ...metrics.map((each) => ({
      name: METRIC_FORMATS[each].name,
      numeric: true,
      of: (group: Group) => {
        const { row, format } = METRIC_FORMATS[each];
        return (row ?? format)(group.totals[each]);
      },
    })),
    {
      name: `Share of ${METRIC_FORMATS[metric].name.toLowerCase()}`,
      numeric: true,
      of: ({ totals }) => <Share part={totals[metric]} of={total} />,
    },
  ];
  return (
    <Card title={`By ${name.toLowerCase().replace("api", "API")}`}>
      <Table
        caption={`Usage by ${name}`}
        columns={columns}
        rows={groups.toSorted((a, b) => b.totals[metric] - a.totals[metric])}
        keyOf={({ id }) => id}
        isLinked
        empty="No requests in this period. Choose a longer range or fewer filters."
      />
    </Card>
  );
}

function Share({ part, of }: { part: number; of: number }) {
  const ratio = of === 0 ? 0 : part / of;
  return (
    <span className="share">
      <i className="level" aria-hidden>
        <i style={{ width: `${ratio * 100}%` }} />
      </i>
      {share(ratio)}
    </span>
  );
}
