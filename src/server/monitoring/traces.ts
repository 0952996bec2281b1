/** Opens tracing where a collector is configured. Its library is loaded only then. */
import type { TracesConfig } from "../../config/config.ts";
import type { Log } from "../../log/log.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { Tracing } from "../../tracing/tracing.ts";

export async function openTraces(
  traces: TracesConfig | null,
  log: Log,
  metrics: Metrics,
): Promise<Tracing | null> {
  if (traces === null) return null;
  const { openTracing } = await import("../../tracing/open-telemetry.ts");
  const tracing = openTracing(traces, log);
  metrics.observe("loquat_spans_dropped_total", tracing.dropped);
  return tracing;
}
