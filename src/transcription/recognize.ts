/**
 * A recording to hypotheses: the server's side of an engine that hears.
 *
 * Hypotheses arrive on a port while the task runs. The task answers how many it posted, because its answer and the
 * port are separate channels and may overtake each other.
 */

import type { Claim } from "../engine/claim.ts";
import type { Hypothesis, RecognitionTask } from "../engine/protocol/recognition.ts";
import type { Engine } from "../engine/registry.ts";
import { Refusal } from "../errors.ts";

export type Recognition = Pick<RecognitionTask, "samples" | "spans" | "language" | "prompt"> & {
  claim: Claim;
};

/** Takes the samples' buffer away. Ending the loop early, or the claim's signal, stops the engine at its next frame. */
export async function* recognize(
  engine: Engine,
  { samples, spans, language, prompt, claim }: Recognition,
): AsyncGenerator<Hypothesis> {
  const { signal } = claim;
  const { port1, port2 } = new MessageChannel();
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const stop = () => void Atomics.store(cancel, 0, 1);
  const queue = openMessageQueue(port1);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    const task: RecognitionTask = {
      samples,
      spans,
      language,
      prompt,
      urgent: claim.urgency === "realtime",
      cancel,
      port: port2,
    };
    const posted = engine.run<number>(task, claim, [port2 as never, samples.buffer as ArrayBuffer]);
    posted.then(queue.expect, queue.fail);
    for await (const hypothesis of queue.messages()) {
      signal.throwIfAborted();
      yield hypothesis;
    }
    signal.throwIfAborted(); // a task that was stopped also ends, with less than all of it
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
    port1.close();
  }
}

/** What a port brought, in order, until as many messages came as were announced. */
function openMessageQueue(port: MessagePort) {
  const arrived: Hypothesis[] = [];
  let announced = Number.POSITIVE_INFINITY;
  let failure: unknown = null;
  let wake = () => {};
  port.onmessage = ({ data }) => {
    arrived.push(data as Hypothesis);
    wake();
  };
  return {
    expect(count: number) {
      announced = count;
      wake();
    },
    fail(reason: unknown) {
      failure = reason ?? new Error("the engine failed without a reason");
      wake();
    },
    async *messages(): AsyncGenerator<Hypothesis> {
      for (let taken = 0; taken < announced; ) {
        const next = arrived.shift();
        if (next) {
          taken++;
          yield next;
          continue;
        }
        if (failure !== null) throw recognitionFault(failure);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** What a caller is told of an engine that failed. */
export function recognitionFault(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  return new Refusal("transcription_failed", "The transcription engine failed. Try again.", { cause });
}
