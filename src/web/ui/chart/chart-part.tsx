/** The chart, for pages that show their numbers before the charting library is there. */
import { part } from "../code.tsx";

export const ChartPart = part(
  async () => (await import("./chart.tsx")).Chart,
  <div className="chart-room" />,
);
