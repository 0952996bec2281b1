/**
 * Traces: the spans of a request, which say what it spent its time on. Only `tracing/open-telemetry.ts` knows the library,
 * and it is loaded where traces are configured.
 *
 *   request ──> admit ──> queue ──> engine ──> encode ──> charge
 *
 * Null stands for "not traced", so that tracing costs a comparison where it is off.
 */

/** A session, a charge or a segment may have several spans of one name. */
type SpanName = "admit" | "queue" | "engine" | "encode" | "charge";

/** Of a conversation, each response of which is one with parts. */
type ResponseSpanName = "response" | "transcribe" | "chat" | "synthesize";

/** Never an organization, a key, a text or a transcript. */
export type Attributes = Record<string, string | number | boolean>;

type Span = {
  /** Ends it now; `failure` is what was thrown, if anything was. */
  end(failure?: unknown): void;
};

/** What is over already. Times are of `performance.now()`; `failure`: the code of its error; `within`: its parts. */
export type TimedSpan = {
  name: ResponseSpanName;
  fromMs: number;
  untilMs: number;
  failure?: string | null;
  attributes?: Attributes;
  within?: TimedSpan[];
};

/** The trace of a request. */
export type Trace = {
  /** 32 hexadecimal digits. */
  id: string;
  begin(name: SpanName, attributes?: Attributes): Span;
  record(span: TimedSpan): void;
  /** Ends the span of the request with its status, and the code of its error. */
  end(status: number, errorCode: string | null, attributes: Attributes): void;
};

/** What a request is, for its span. */
export type TracedRequest = { id: string; method: string; endpoint: string };

export type Tracing = AsyncDisposable & {
  /** Begins a trace, or goes on with that of the caller, where `source` has its header `traceparent`. */
  open(request: TracedRequest, source: Request | null): Trace;
  /** The trace that was opened for a request; null for one that has none. */
  of(source: Request): Trace | null;
  /** Spans that were not delivered since the start. */
  dropped(): number;
};

/** Runs a step in a span of its own. */
export function inSpan<T>(
  trace: Trace | null | undefined,
  [name, attributes]: [SpanName, Attributes?],
  step: () => Promise<T>,
): Promise<T> {
  return trace ? measured(trace.begin(name, attributes), step) : step();
}

async function measured<T>(span: Span, step: () => Promise<T>): Promise<T> {
  try {
    const result = await step();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** For log lines. */
export const traceFields = (trace: Trace | null | undefined) => (trace ? { traceId: trace.id } : {});
