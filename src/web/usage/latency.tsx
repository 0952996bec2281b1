/** How long requests for speech waited for their first audio. */

import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { ms } from "../format/numbers.ts";
import { Sparkline } from "../ui/chart/sparkline.tsx";
import { Card } from "../ui/page.tsx";
import type { Range } from "./date-range.ts";
import { filterQuery, filtersOf, useAddress } from "./filters.tsx";

const EVERY_MS = 10_000;

export function Latency({ range: { start, end, size } }: { range: Range }) {
  const { id } = useOrganization();
  const [search] = useAddress();
  const { endpoint: _, ...filters } = filterQuery(filtersOf(search));
  const bucket = size === "hour" ? ("hour" as const) : ("day" as const);
  const { data } = useRead(
    "GET /api/organizations/:organization/latency",
    { ids: { organization: id }, query: { ...filters, start, end, bucket } },
    { everyMs: EVERY_MS, keep: true },
  );
  if (!data || data.requests === 0) return null;
  const course = (of: "p50_ms" | "p95_ms") => data.data.map((each) => each[of] ?? 0);
  return (
    <Card title="First audio" actions={<small>Speech, by {bucket}</small>}>
      <dl className="figures">
        <Wait name="Median (p50)" value={data.p50_ms} course={course("p50_ms")} />
        <Wait name="95th percentile (p95)" value={data.p95_ms} course={course("p95_ms")} />
      </dl>
    </Card>
  );
}

function Wait({ name, value, course }: { name: string; value: number | null; course: number[] }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <strong>{value === null ? "–" : ms(value)}</strong>
        <Sparkline values={course} colour={2} />
      </dd>
    </div>
  );
}
