/** What was used most in a time range: models, or keys. */
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { count } from "../format/numbers.ts";
import { overviewTexts } from "../language/en/overview.ts";
import { Card } from "../ui/page.tsx";
import { type Dimension, groupsOf } from "../usage/aggregate.ts";
import { bucketsOf, type Range } from "../usage/date-range.ts";
import { filterTo, requestsHref } from "../usage/filters.tsx";
import type { Names } from "../usage/names.ts";

const EVERY_MS = 10_000;
const ROWS = 4;

type TopProps = { title: string; by: Dimension; range: Range; names: Names };

export function Top({ title, by, range, names }: TopProps) {
  const { id } = useOrganization();
  const t = overviewTexts();
  const { start, end } = range;
  const { data } = useRead(
    "GET /api/organizations/:organization/usage",
    { ids: { organization: id }, query: { start, end, bucket: "day", group_by: by } },
    { everyMs: EVERY_MS, keep: true },
  );
  const groups = groupsOf(data?.data ?? [], by, bucketsOf(range))
    .toSorted((a, b) => b.totals.requests - a.totals.requests)
    .slice(0, ROWS);
  const most = groups[0]?.totals.requests ?? 1;
  return (
    <Card className="secondary" title={title} actions={<small>{t("month")}</small>}>
      <ul className="ranked">
        {groups.map((group) => (
          <li key={group.id}>
            <Link href={requestsHref(id, { ...filterTo(by, group.id), start, end })}>
              {group.id === "" ? t("noModel") : names.nameOf(by, group.id)}
            </Link>
            <span className="numeric">{count(group.totals.requests)}</span>
            <i className="level" aria-hidden>
              <i style={{ width: `${(group.totals.requests / most) * 100}%` }} />
            </i>
          </li>
        ))}
      </ul>
    </Card>
  );
}
