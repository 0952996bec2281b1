/** Waits as a map of days and hours of the day, in UTC: the stronger its colour, the longer the wait. */
import type { CSSProperties } from "react";
import { ms } from "../format/numbers.ts";
import { chartsTexts } from "../language/en/charts.ts";
import { languageOf } from "../language/texts.ts";
import { bucketsOf, namesOf, type Range, type Span } from "./date-range.ts";
import type { Waited } from "./waited.ts";

const HOUR = 3600;
const HOURS = Array.from({ length: 24 }, (_none, hour) => hour);

type Wait = { start: number; p95_ms: number | null };

type LatencyHeatProps = { waits: Wait[]; chosen: Waited; range: Range };

export function LatencyHeat({ waits, chosen, range }: LatencyHeatProps) {
  const found = new Map(waits.map(({ start, p95_ms }) => [start, p95_ms]));
  const hasWaits = ({ start, end }: Span) =>
    waits.some((each) => each.p95_ms !== null && each.start >= start && each.start < end);
  const all = bucketsOf({ ...range, size: "day" });
  const days = all.slice(all.findIndex(hasWaits)); // a new server would have a page of empty rows
  const longest = Math.max(1, ...waits.map(({ p95_ms }) => p95_ms ?? 0));
  const t = chartsTexts();
  return (
    <>
      <p className="hint" lang={languageOf("charts")}>
        {t("heatHint", { longest: ms(longest) })}
      </p>
      <table className="heat" lang={languageOf("charts")}>
        <caption>{t("heat", { what: t(chosen.measure) })}</caption>
        <thead>
          <tr>
            <td />
            {HOURS.map((hour) => (
              <th key={hour} scope="col">
                <span className={hour % 6 === 0 ? "" : "unseen"}>{hour}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.start}>
              <th scope="row">{namesOf(day, "day").name}</th>
              {HOURS.map((hour) => (
                <Cell key={hour} wait={found.get(day.start + hour * HOUR) ?? null} longest={longest} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Empty where there was no request. */
function Cell({ wait, longest }: { wait: number | null; longest: number }) {
  if (wait === null) return <td />;
  const style = { "--heat": `${Math.round(15 + (85 * wait) / longest)}%` } as CSSProperties;
  return (
    <td className="warm" style={style} title={ms(wait)}>
      <span className="unseen">{ms(wait)}</span>
    </td>
  );
}
