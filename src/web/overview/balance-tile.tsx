/** The balance, and how long it will last at the pace of the last days. For roles that may view billing. */

import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { useNow } from "../browser/now.ts";
import { cents } from "../format/dollars.ts";
import { overviewTexts } from "../language/en/overview.ts";
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
      name={overviewTexts()("balance")}
      value={cents(data.balance_micros)}
      hint={runwayText(data.balance_micros, pace)}
      href={hrefOf(id, "billing")}
      tone={data.balance_micros <= 0 ? "bad" : undefined}
    />
  );
}

/** `pace` in micros a day. */
function runwayText(balanceMicros: number, pace: number): string {
  const t = overviewTexts();
  if (balanceMicros <= 0) return t("outOfCredits");
  if (pace <= 0) return t("noSpending");
  const days = balanceMicros / pace;
  if (days < 1) return t("lessThanDay");
  return days > 730 ? t("moreThanYears") : t("lasts", { days: Math.floor(days) });
}
