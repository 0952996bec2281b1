/**
 * A streamed body: pulled as fast as the client reads, ended by the client's leaving, and honest about failure.
 *
 * `end` is called exactly once, with what happened.
 */
type Ending = { how: "complete" } | { how: "left" } | { how: "failed"; reason: unknown };

type StreamOptions = {
  /** The last words of a body that failed; null breaks the connection off, so that nobody takes it for whole. */
  lastWords: ((reason: unknown) => Uint8Array) | null;
  end: (ending: Ending) => void;
};

export const STREAM_HEADERS = {
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export function streamOf(
  chunks: AsyncGenerator<Uint8Array, unknown>,
  { lastWords, end }: StreamOptions,
): ReadableStream<Uint8Array> {
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
          endOnce({ how: "complete" });
          controller.close();
        } catch (reason) {
          if (ended) return; // the client left while we worked
          endOnce({ how: "failed", reason });
          if (lastWords === null) return controller.error(reason);
          controller.enqueue(lastWords(reason));
          controller.close();
        }
      },
      cancel() {
        endOnce({ how: "left" });
        chunks.return(undefined).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

const utf8 = new TextEncoder();

/** One server-sent event. `data` stands on one line, which is how line-by-line readers want it. */
export function event(name: string, data: object): Uint8Array {
  return utf8.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
