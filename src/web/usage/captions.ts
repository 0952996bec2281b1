/** What charts of a range are called, in the language of the page. */
import { chartsTexts } from "../language/en/charts.ts";
import { bucketsOf, type Range } from "./date-range.ts";

const HOUR = 3600;

/** "30 days". */
function periodOf(range: Range): string {
  const t = chartsTexts();
  if (range.size === "month") return t("months", { count: bucketsOf(range).length });
  const hours = (range.end - range.start) / HOUR;
  const isDays = range.size === "day" && hours % 24 === 0;
  return isDays ? t("days", { count: hours / 24 }) : t("hours", { count: hours });
}

/** "Requests by day, 30 days". */
export const captionOf = (what: string, range: Range, isCumulative = false): string =>
  chartsTexts()(isCumulative ? "overCumulative" : "over", {
    what,
    size: range.size,
    period: periodOf(range),
  });
