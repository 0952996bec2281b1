/**
 * Whether spans reach the collector: counts those that do not, and logs once that it fails and once that it works again.
 */
import type { ExportResult } from "@opentelemetry/core";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Log } from "../log/log.ts";

const SAMPLED = 1; // the flag of W3C's trace context

export function openDelivery(collector: SpanExporter, log: Log) {
  let dropped = 0;
  let waiting = 0;
  let isFailing = false;

  const delivered = () => {
    if (isFailing) log.info("trace_collector_available");
    isFailing = false;
  };
  const lost = (count: number, cause: unknown) => {
    dropped += count;
    if (!isFailing) log.warn("trace_collector_unavailable", { cause });
    isFailing = true;
  };

  const exporter: SpanExporter = {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      waiting -= spans.length;
      collector.export(spans, (result) => {
        if (result.code === 0) delivered();
        else lost(spans.length, result.error ?? null);
        done(result);
      });
    },
    shutdown: () => collector.shutdown(),
  };

  return {
    exporter,
    dropped: () => dropped,
    /** The processor, which gets no more than `max` spans that wait: it would drop them without a count. */
    counting: (processor: SpanProcessor, max: number): SpanProcessor => ({
      onStart: (span, parent) => processor.onStart(span, parent),
      onEnd(span) {
        if ((span.spanContext().traceFlags & SAMPLED) === 0) return;
        if (waiting >= max) return void dropped++;
        waiting++;
        processor.onEnd(span);
      },
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
    }),
  };
}
