/** Promise: spans that wait for a collector are bounded, and each one that is not delivered is counted. */
import { expect, test } from "bun:test";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { openLog } from "../../src/log/log.ts";
import { openDelivery } from "../../src/tracing/open-telemetry.ts";

const spanWith = (traceFlags: number) => ({ spanContext: () => ({ traceFlags }) }) as ReadableSpan;

test("spans beyond the bound are dropped until those that wait are sent", () => {
  const waiting: ReadableSpan[] = [];
  let code = 0;
  const collector: SpanExporter = {
    export: (_spans, done) => done({ code }),
    shutdown: async () => {},
  };
  const processor = { onEnd: (span: ReadableSpan) => void waiting.push(span) } as unknown as SpanProcessor;
  const delivery = openDelivery(
    collector,
    openLog("silent", () => {}),
  );
  const counting = delivery.counting(processor, 2);
  for (const flags of [0, 1, 1, 1, 1]) counting.onEnd(spanWith(flags));
  expect([waiting.length, delivery.dropped()]).toEqual([2, 2]);
  delivery.exporter.export(waiting.splice(0), () => {});
  counting.onEnd(spanWith(1));
  expect([waiting.length, delivery.dropped()]).toEqual([1, 2]);
  code = 1;
  delivery.exporter.export(waiting.splice(0), () => {});
  expect(delivery.dropped()).toBe(3);
});
