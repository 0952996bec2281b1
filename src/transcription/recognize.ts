/**
 * Recognizes a recording: sends the task to an engine and yields its hypotheses.
 *
 * Hypotheses arrive on a port while the task runs. The task's result is their count, because the result and the port are
 * separate channels, and either may arrive first.
 */

import type { Hypothesis, Precedence, RecognitionTask } from "../engine/protocol/recognition.ts";
import type { Engine } from "../engine/registry.ts";
import { type Claim, cancelFlag, recallable } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";

export type Recognition = Pick<
  RecognitionTask,
  "samples" | "spans" | "peak" | "language" | "languages" | "translate" | "prompt" | "keywords" | "mustPrefer"
> & {
  claim: Claim;
  /** Default: true. */
  wordTimes?: boolean;
  /** Default: that of a recording, by the urgency of the claim. */
  precedence?: Precedence;
  /** Receives how many seconds are recognized, also where the hypotheses are not read yet. */
  reached?: (seconds: number) => void;
};

/** Transfers the samples' buffer. Leaving the loop early, or aborting the claim, stops the engine at its next frame. */
export async function* recognize(
  engine: Engine,
  {
    claim: caller,
    wordTimes = true,
    precedence = caller.urgency === "background" ? "background" : "recording",
    reached = () => {},
    ...recording
  }: Recognition,
): AsyncGenerator<Hypothesis> {
  const { claim, recall } = recallable(caller);
  const { signal } = claim;
  const { port1, port2 } = new MessageChannel();
  using flag = cancelFlag(signal);
  const queue = openMessageQueue(port1, reached);
  try {
    signal.throwIfAborted();
    const task: RecognitionTask = {
      kind: "recognition",
      ...recording,
      wordTimes,
      precedence,
      cancel: flag.cancel,
      port: port2,
    };
    const posted = engine.run(task, claim, [port2 as never, recording.samples.buffer as ArrayBuffer]);
    posted.then(queue.expect, queue.fail);
    for await (const hypothesis of queue.messages()) {
      signal.throwIfAborted();
      yield hypothesis;
    }
    signal.throwIfAborted(); // a stopped task also ends, with an incomplete result
  } finally {
    flag.stop();
    recall();
    port1.close();
  }
}

/** The messages of a port in order, until the announced number has arrived. */
function openMessageQueue(port: MessagePort, reached: (seconds: number) => void) {
  const arrived: Hypothesis[] = [];
  let announced = Number.POSITIVE_INFINITY;
  let failure: unknown = null;
  let wake = () => {};
  port.onmessage = ({ data }) => {
    const hypothesis = data as Hypothesis;
    arrived.push(hypothesis);
    reached(hypothesis.end);
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

/** The refusal that a client receives when an engine fails. */
export function recognitionFault(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  return new Refusal("transcription_failed", "The transcription engine failed. Try again.", { cause });
}
