/**
 * Sends traces to a collector by OTLP over HTTP, as JSON: the only file that uses OpenTelemetry.
 *
 *   span ends ──> waiting (bounded) ──every five seconds, or 512──> collector
 *                    └─ full: dropped      not delivered: dropped ─┘
 *
 * Requests never wait for it. The library reads the variables OTEL_* that it defines, such as OTEL_TRACES_SAMPLER.
 */

import {
  type Context,
  trace as context,
  type Span as Recorded,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import { type ExportResult, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { version } from "../../package.json";
import { endsWithin } from "../clock.ts";
import { Refusal } from "../errors.ts";
import type { Log } from "../log/log.ts";
import type { Attributes, TimedSpan, Trace, TracedRequest, Tracing } from "./tracing.ts";

const WAITING_MAX = 2048; // spans
const SHUTDOWN_MS = 2000;

/** `url`: of the collector's traces, as in http://localhost:4318/v1/traces. */
export function openTracing({ url }: { url: string }, log: Log): Tracing {
  const delivery = openDelivery(new OTLPTraceExporter({ url }), log);
  const batches = new BatchSpanProcessor(delivery.exporter, { maxQueueSize: WAITING_MAX });
  const resource = resourceFromAttributes({ "service.name": "loquat", "service.version": version });
  const provider = new BasicTracerProvider({
    resource: resource.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [delivery.counting(batches, WAITING_MAX)],
  });
  const tracer = provider.getTracer("loquat", version);
  const propagator = new W3CTraceContextPropagator();
  const opened = new WeakMap<Request, Trace>();
  return {
    open(request, source) {
      const parent = source ? propagator.extract(ROOT_CONTEXT, source.headers, HEADERS) : ROOT_CONTEXT;
      const trace = begin(tracer, request, parent);
      if (source) opened.set(source, trace);
      return trace;
    },
    of: (source) => opened.get(source) ?? null,
    dropped: delivery.dropped,
    async [Symbol.asyncDispose]() {
      const ended = provider.shutdown().catch(() => {});
      await endsWithin(SHUTDOWN_MS, ended);
    },
  };
}

const HEADERS = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
};

function begin(tracer: Tracer, { id, method, endpoint }: TracedRequest, parent: Context): Trace {
  const attributes = { "http.request.method": method, "http.route": endpoint, "loquat.request.id": id };
  const request = tracer.startSpan(`${method} ${endpoint}`, { kind: SpanKind.SERVER, attributes }, parent);
  const within = context.setSpan(ROOT_CONTEXT, request);
  return {
    id: request.spanContext().traceId,
    begin(name, attributes = {}) {
      const span = tracer.startSpan(name, { attributes }, within);
      return {
        end(failure) {
          if (failure !== undefined) fail(span, typeOf(failure));
          span.end();
        },
      };
    },
    record: (span) => record(tracer, span, within),
    end(status, errorCode, attributes: Attributes) {
      request.setAttributes({ ...attributes, "http.response.status_code": status });
      if (status >= 500) fail(request, errorCode ?? String(status));
      else if (errorCode !== null) request.setAttribute("error.type", errorCode);
      request.end();
    },
  };
}

function record(tracer: Tracer, span: TimedSpan, parent: Context): void {
  const { name, fromMs, untilMs, failure = null, attributes = {}, within = [] } = span;
  const { timeOrigin } = performance;
  const recorded = tracer.startSpan(name, { attributes, startTime: timeOrigin + fromMs }, parent);
  for (const part of within) record(tracer, part, context.setSpan(parent, recorded));
  if (failure !== null) fail(recorded, failure);
  recorded.end(timeOrigin + untilMs);
}

function fail(span: Recorded, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** A code or the name of a class: messages may hold what customers wrote. */
const typeOf = (failure: unknown): string =>
  failure instanceof Refusal ? failure.code : failure instanceof Error ? failure.name : "unknown";

const SAMPLED = 1; // the flag of W3C's trace context

/**
 * Whether spans reach the collector: counts those that do not, and logs once that it fails and once that it works again. @internal
 */
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
