/**
 * Streamed response bodies: pulled as fast as the client reads, and ended when it disconnects.
 *
 * `end` is called exactly once, with the outcome.
 */
import { isLeft, Refusal } from "../../errors.ts";
import { type Ending, failedEnding } from "../../metered/ending.ts";
import { envelope, type Fault, toFault } from "./faults.ts";

const ARRIVAL_MS = 1000;

/** An aborted connection drops what its client has not read yet: time for it to arrive, since it is charged. */
const arrival = (signal: AbortSignal) => Bun.sleep(isLeft(signal) ? 0 : ARRIVAL_MS);

type End = (ending: Ending) => void;
type Chunks = AsyncGenerator<Uint8Array, unknown>;

type Sending = {
  /** How long the client may read nothing before it counts as disconnected. */
  unreadMs: number;
  /** Aborts with a refusal where the server cannot wait for the end. */
  signal: AbortSignal;
  end: End;
};

/** Raw bytes cannot carry an error: a failing body is aborted, so that it is not taken for complete. */
export function byteStream(
  chunks: Chunks,
  { mediaType, ...sending }: Sending & { mediaType: string },
): Response {
  return respond(bodyOf(chunks, null, sending), mediaType);
}

/** Server-sent events. If they fail, the last event is the error envelope. */
export function eventStream(
  events: Chunks,
  { requestId, ...sending }: Sending & { requestId: string },
): Response {
  const errorChunk = (reason: unknown) => event("error", envelope(interrupted(reason), requestId));
  return respond(bodyOf(events, errorChunk, sending), "text/event-stream; charset=utf-8");
}

/** One server-sent event, with `data` on a single line, as simple parsers expect. */
export function event(name: string, data: object): Uint8Array {
  return utf8.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

const utf8 = new TextEncoder();

/**
 * A JSON object with bytes as base64 in one more member, written while they come. Three bytes are four characters, so that
 * pieces of a multiple of three are one text together.
 */
export async function* withBase64(
  document: object,
  member: string,
  chunks: Chunks,
): AsyncGenerator<Uint8Array> {
  const head = JSON.stringify({ ...document, [member]: "" });
  yield Buffer.from(head.slice(0, -2));
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk);
    const whole = bytes.length - (bytes.length % 3);
    rest = Uint8Array.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.subarray(0, whole).toString("base64"));
  }
  yield Buffer.from(`${Buffer.from(rest).toString("base64")}"}`);
}

/** What is not metered, a piece at a time as its reader takes it. `failed`: hears why it ends before its announced length. */
export const pulled = (
  pieces: AsyncGenerator<Uint8Array>,
  failed: (cause: unknown) => void,
): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (cause) {
          failed(cause);
          controller.error(cause); // ends the connection
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );

function respond(body: ReadableStream, mediaType: string): Response {
  const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
  return new Response(body, { headers: { ...headers, "content-type": mediaType } });
}

type ErrorChunk = (reason: unknown) => Uint8Array;

function bodyOf(
  chunks: Chunks,
  errorChunk: ErrorChunk | null,
  { unreadMs, signal, end }: Sending,
): ReadableStream<Uint8Array> {
  let ended = false;
  let unread: Timer | undefined;
  const endOnce = (ending: Ending) => {
    clearTimeout(unread);
    if (!ended) end(ending);
    ended = true;
  };
  const leave = () => {
    endOnce({ status: 499 });
    chunks.return(undefined).catch(() => {});
  };
  const fail = async (controller: ReadableStreamDefaultController<Uint8Array>, reason: unknown) => {
    if (errorChunk === null) await arrival(signal);
    if (errorChunk === null) return controller.error(reason);
    controller.enqueue(errorChunk(reason));
    controller.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const cutOff = () => {
          if (ended || isLeft(signal)) return; // a client that leaves cancels the body
          endOnce({ status: 503 });
          chunks.return(undefined).catch(() => {});
          void fail(controller, signal.reason);
        };
        signal.addEventListener("abort", cutOff, { once: true });
      },
      async pull(controller) {
        clearTimeout(unread);
        try {
          const step = await chunks.next();
          if (ended) return;
          if (!step.done) {
            controller.enqueue(step.value);
            unread = setTimeout(() => {
              leave();
              controller.error(new Error("the client read nothing before the time limit"));
            }, unreadMs);
            return;
          }
          endOnce({ status: 200 });
          controller.close();
        } catch (reason) {
          if (ended) return; // the client disconnected meanwhile
          endOnce(failedEnding(signal, reason));
          await fail(controller, reason);
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}

/** Engine failures in a stream are reported as `stream_interrupted`. */
function interrupted(reason: unknown): Fault {
  const fault = toFault(reason);
  if (!["internal_error", "inference_unavailable", "transcription_failed"].includes(fault.code)) return fault;
  return toFault(new Refusal("stream_interrupted", "The engine stopped before the end.", { cause: reason }));
}
