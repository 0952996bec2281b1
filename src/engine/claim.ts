/** Whose task it is, and how long it may wait: what the scheduler orders tasks by. */

import type { Trace } from "../tracing/tracing.ts";
import type { Position } from "./queue/engine-tasks.ts";

export type Claim = Position & {
  signal: AbortSignal;
  trace?: Trace | null;
  /** Called when its turn has come, and the engine works on it. */
  begun?: () => void;
  /**
   * Receives samples of a synthesis while it runs, in order, from engines that deliver them; the result is then the rest.
   * Without it an engine returns all samples.
   */
  early?: (samples: Float32Array) => void;
};

/** Made once: an error records the stack that it is made on. */
const NO_LONGER_NEEDED = new Error("the result is no longer needed");

/** The same claim, which its tasks can also be called back from before its caller leaves. */
export function recallable(claim: Claim): { claim: Claim; recall: () => void } {
  const controller = new AbortController();
  const left = () => controller.abort(claim.signal.reason);
  if (claim.signal.aborted) left();
  else claim.signal.addEventListener("abort", left, { once: true });
  return {
    claim: { ...claim, signal: controller.signal },
    recall() {
      claim.signal.removeEventListener("abort", left);
      controller.abort(NO_LONGER_NEEDED);
    },
  };
}

/** A claim for engines without other callers. */
export function soleClaim(signal = new AbortController().signal): Claim {
  return { urgency: "batch", organization: "", request: "", signal };
}

/** A flag for threads, which is set once the signal aborts or by `stop`; disposing of it leaves the signal alone. */
export function cancelFlag(signal: AbortSignal) {
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const stop = () => void Atomics.store(cancel, 0, 1);
  signal.addEventListener("abort", stop, { once: true });
  return { cancel, stop, [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
}
