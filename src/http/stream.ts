/**
 * A streamed body: pulled as fast as the client reads, ended by the client's leaving, and honest about failure.
 *
 * `end` is called exactly once, with what happened.
 */
import { envelope, Fault, toFault } from "../errors.ts";

/** How a body ended, as the status it is logged with: whole, left by its listener (499), or failed under way. */
export type Ending = { status: 200 | 499 } | { status: 502; cause: unknown };

type End = (ending: Ending) => void;
type Chunks = AsyncGenerator<Uint8Array, unknown>;

/** Raw bytes have no room for an error: a body that fails is broken off, so that nobody takes it for whole. */
export function byteStream(chunks: Chunks, mediaType: string, end: End): Response {
  return respond(bodyOf(chunks, null, end), mediaType);
}

/** Server-sent events; where they fail under way, the last one is the error envelope. */
export function eventStream(events: Chunks, requestId: string, end: End): Response {
  const lastWords = (reason: unknown) => event("error", envelope(interrupted(reason), requestId));
  return respond(bodyOf(events, lastWords, end), "text/event-stream; charset=utf-8");
}

/** One server-sent event. `data` stands on one line, which is how line-by-line readers want it. */
export function event(name: string, data: object): Uint8Array {
  return utf8.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

const utf8 = new TextEncoder();

function respond(body: ReadableStream, mediaType: string): Response {
  const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
  return new Response(body, { headers: { ...headers, "content-type": mediaType } });
}

type LastWords = (reason: unknown) => Uint8Array;

function bodyOf(chunks: Chunks, lastWords: LastWords | null, end: End): ReadableStream<Uint8Array> {
  let ended = false;
  const endOnce = (ending: Ending) => {
    if (!ended) end(ending);
    ended = true;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const step = await chunks.next();
          if (!step.done) return controller.enqueue(step.value);
          endOnce({ status: 200 });
          controller.close();
        } catch (reason) {
          if (ended) return; // the client left while we worked
          endOnce({ status: 502, cause: reason });
          if (lastWords === null) return controller.error(reason);
          controller.enqueue(lastWords(reason));
          controller.close();
        }
      },
      cancel() {
        endOnce({ status: 499 });
        chunks.return(undefined).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

/** A stream that an engine ended never says less than that it was interrupted. */
function interrupted(reason: unknown): Fault {
  const fault = toFault(reason);
  if (!["internal_error", "inference_unavailable", "transcription_failed"].includes(fault.code)) return fault;
  return new Fault("stream_interrupted", "The engine stopped before the end.", { cause: reason });
}
