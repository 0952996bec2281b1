/** The balance, and how long it will last at the pace of the last days. For roles that may view billing. */

import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { useNow } from "../browser/now.ts";
import { cents } from "../format/dollars.ts";
import { count } from "../format/numbers.ts";
import type { Sums } from "../usage/aggregate.ts";
import { paceOf } from "../usage/pace.ts";
import { Tile } from "./tile.tsx";

const EVERY_MS = 1000;

export function Balance({ days }: { days: Sums[] }) {
  const { id } = useOrganization();
  const now = useNow(60_000);
  const { data } = useRead(
    "GET /api/organizations/:organization/billing",
    { ids: { organization: id } },
    { everyMs: EVERY_MS },
  );
  if (!data) return null;
  const pace = paceOf(days, now);
  return (
    <Tile
      name="Balance"
      value={cents(data.balance_micros)}
      hint={runwayText(data.balance_micros, pace)}
      href={hrefOf(id, "billing")}
      tone={data.balance_micros <= 0 ? "bad" : undefined}
    />
  );
}

/** `pace` in micros a day. */
function runwayText(balanceMicros: number, pace: number): string {
  if (balanceMicros <= 0) return "Out of credits";
  if (pace <= 0) return "No spending in the last 7 days";
  const days = balanceMicros / pace;
  return `${capacityText(days)} at the rate of the last 7 days`;
}

function capacityText(days: number): string {
  if (days < 1) return "Less than a day";
  if (days > 730) return "More than 2 years";
  return `About ${count(Math.floor(days))} ${days < 2 ? "day" : "days"}`;
}
