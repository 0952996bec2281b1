/** The last 30 days: tiles with the trend of each number, and a chart of one of them. */
import { useMemo, useState } from "react";
import { useRead } from "../api/queries.ts";
import { useHasRole, useOrganization, useShowsMoney } from "../api/session.ts";
import { useMatches } from "../browser/media.ts";
import { hrefOf } from "../browser/navigation.ts";
import { useNow } from "../browser/now.ts";
import { cents } from "../format/dollars.ts";
import { count, seconds, share } from "../format/numbers.ts";
import { overviewTexts } from "../language/en/overview.ts";
import { ChartPart } from "../ui/chart/chart-part.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { METRIC_FORMATS, type Metric, type Sums, sumsOf } from "../usage/aggregate.ts";
import { bucketsOf, namesOf, presetRange, type Span } from "../usage/date-range.ts";
import { requestsHref } from "../usage/filters.tsx";
import { Balance } from "./balance-tile.tsx";
import { Tile } from "./tile.tsx";

const EVERY_MS = 1000;
const HOUR = 3600;
const DAY = 86_400;
/** With fewer days of use, a month of bars would be empty. */
const DAYS_MIN = 3;

/** The last 30 days by day, including today. */
export function useDays() {
  const { sums: days, ...course } = useCourse("30d", true);
  return { ...course, days };
}

/** The usage of a range by its days or hours, including the current one. */
function useCourse(preset: "24h" | "30d", enabled: boolean) {
  const { id } = useOrganization();
  const unit = preset === "24h" ? HOUR : DAY;
  const now = Math.floor(useNow(60_000) / unit) * unit;
  const range = useMemo(() => presetRange(preset, now), [preset, now]);
  const { start, end } = range;
  const bucket = preset === "24h" ? ("hour" as const) : ("day" as const);
  const read = useRead(
    "GET /api/organizations/:organization/usage",
    { ids: { organization: id }, query: { start, end, bucket } },
    { everyMs: EVERY_MS, keep: true, enabled },
  );
  const spans = useMemo(() => bucketsOf(range), [range]);
  const sums = useMemo(() => sumsOf(read.data?.data ?? [], spans), [read.data, spans]);
  return { read, range, spans, sums };
}

type Days = ReturnType<typeof useDays>;

export function Tiles({ days: { read, range, days } }: { days: Days }) {
  const { id, plan } = useOrganization();
  const t = overviewTexts();
  const showsMoney = useShowsMoney();
  const hasCredit = useHasRole("admin") && plan === "prepaid";
  const usage = (metric: Metric) => `${hrefOf(id, "usage")}?metric=${metric}`;
  const course = (metric: Metric) => days.map((day) => day[metric]);
  const today = days.at(-1)!;
  return (
    <QueryBoundary of={read}>
      {({ totals: { requests, errors, cost_micros, characters, audio_seconds } }) => (
        <div className="tiles">
          <Tile
            name={t("requests")}
            value={count(requests)}
            hint={t("today", { value: count(today.requests) })}
            href={usage("requests")}
            course={course("requests")}
          />
          {showsMoney ? (
            <Tile
              name={t(plan === "prepaid" ? "cost_micros" : "listCost")}
              value={cents(cost_micros)}
              hint={t("today", { value: cents(today.cost_micros) })}
              href={usage("cost_micros")}
              course={course("cost_micros")}
            />
          ) : (
            <Tile
              name={t("spoken")}
              value={count(characters)}
              hint={t("transcribed", { duration: seconds(audio_seconds) })}
              href={usage("characters")}
              course={course("characters")}
            />
          )}
          <Tile
            name={t("errors")}
            value={count(errors)}
            hint={requests === 0 ? t("month") : t("ofRequests", { share: share(errors / requests) })}
            href={requestsHref(id, { start: range.start, end: range.end, status: "4xx" })}
            course={course("errors")}
            tone={errors > 0 ? "bad" : undefined}
          />
          {hasCredit && <Balance days={days} />}
        </div>
      )}
    </QueryBoundary>
  );
}

const CHOICES = ["requests", "cost_micros", "errors"] as const;
const FREE_CHOICES = ["requests", "characters", "audio_seconds", "errors"] as const;
type Choice = (typeof CHOICES | typeof FREE_CHOICES)[number];

/** By day, or by hour until there are three days to show. */
export function DailyChart({ days: { read, spans, days } }: { days: Days }) {
  const isNew =
    read.data !== undefined && days.slice(0, 1 - DAYS_MIN).every(({ requests }) => requests === 0);
  const hours = useCourse("24h", isNew);
  if (isNew) return <CourseChart size="hour" spans={hours.spans} sums={hours.sums} />;
  return <CourseChart size="day" spans={spans} sums={days} />;
}

type CourseChartProps = { size: "hour" | "day"; spans: Span[]; sums: Sums[] };

function CourseChart({ size, spans, sums }: CourseChartProps) {
  const { id, plan } = useOrganization();
  const t = overviewTexts();
  const [metric, setMetric] = useState<Choice>("requests");
  const choices = useShowsMoney() ? CHOICES : FREE_CHOICES;
  const isWide = useMatches("(min-width: 100rem)");
  const format = METRIC_FORMATS[metric];
  const name = t(metric);
  const chart = useMemo(() => {
    const buckets = spans.map((span) => ({
      ...namesOf(span, size),
      href: requestsHref(id, span),
    }));
    return { buckets, series: [{ id: metric, name, values: sums.map((each) => each[metric]) }] };
  }, [size, spans, sums, id, metric, name]);
  const isAtList = metric === "cost_micros" && plan !== "prepaid";
  return (
    <Card
      className="chart-card"
      title={t(isAtList ? "courseAtList" : "course", { metric: name, size })}
      actions={
        // biome-ignore lint/a11y/useSemanticElements: not a fieldset
        <span className="segments" role="group" aria-label={t("metric")}>
          {choices.map((each) => (
            <button key={each} type="button" aria-pressed={each === metric} onClick={() => setMetric(each)}>
              {t(each)}
            </button>
          ))}
        </span>
      }
    >
      <ChartPart
        key={`${metric} ${size}`}
        label={t("courseLabel", { metric: name, size })}
        {...chart}
        format={format.format}
        short={format.short}
        height={isWide ? 340 : 220} // beside two cards, or above them
        isBrief
      />
      <small>{t(`${size}Note`)}</small>
    </Card>
  );
}
