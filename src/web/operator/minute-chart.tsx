/** Figures of the last hour, by minute: one of several small charts beside each other. */
import { useMemo } from "react";
import { minuteInUtc } from "../format/times.ts";
import { ChartPart } from "../ui/chart/chart-part.tsx";
import type { Limit } from "../ui/chart/drawing.ts";
import type { ChartSeries } from "../ui/chart/series.ts";

const HEIGHT = 150;

type MinuteChartProps = {
  title: string;
  minutes: { start: number }[];
  series: ChartSeries[];
  format: (value: number) => string;
  /** What the figures are of, where that is not the server. */
  of?: string;
  isInFront?: boolean;
  /** The increments the axis may use. */
  steps?: number[] | undefined;
  limit?: Limit | undefined;
};

export function MinuteChart({ title, minutes, series, of = "", ...props }: MinuteChartProps) {
  const buckets = useMemo(
    () =>
      minutes.map(({ start }) => {
        const name = minuteInUtc(start);
        return { name, title: name };
      }),
    [minutes],
  );
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const { steps, ...rest } = props;
  return (
    <section>
      <h3>{title}</h3>
      {isEmpty ? (
        <p className="empty">None in the last hour</p>
      ) : (
        <ChartPart
          label={`${title}${of}, last hour by minute`}
          {...{ buckets, series, height: HEIGHT }}
          {...rest}
          {...(steps && { steps })}
        />
      )}
    </section>
  );
}
