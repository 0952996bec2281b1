/**
 * Lets the threads of an engine deliver speech while they synthesize it, and stop when the caller leaves.
 *
 *   task ──port, cancel──> thread ──samples──> `early` of the claim
 *                                 ──the rest──> result, once all samples before it have arrived
 */
import type { Transferable } from "node:worker_threads";
import { type Claim, soleClaim } from "./claim.ts";
import type { DeliveredSamples, Delivery } from "./protocol/delivery.ts";
import type { SynthesisTask } from "./protocol/synthesis.ts";
import { isVoiceEncoding } from "./protocol/voice-encoding.ts";
import type { Runner } from "./runner.ts";

export const delivering = (runner: Runner): Runner => ({
  async run<T>(task: object, transfer: Transferable[] = [], claim: Claim = soleClaim()) {
    if (isVoiceEncoding(task)) return runner.run<T>(task, transfer);
    const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const stop = () => void Atomics.store(cancel, 0, 1);
    claim.signal.addEventListener("abort", stop, { once: true });
    const delivery = { port: null, cancel, dueInMs: claim.dueInMs ?? 0 };
    try {
      claim.signal.throwIfAborted();
      const result = isEarly(task as SynthesisTask, claim)
        ? await runEarly(runner, { task, transfer, delivery }, claim.early)
        : await runner.run({ ...task, delivery }, transfer);
      claim.signal.throwIfAborted(); // what was stopped is incomplete
      return result as T;
    } finally {
      claim.signal.removeEventListener("abort", stop);
    }
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});

type Early = NonNullable<Claim["early"]>;

/** Parts of a file are not sent before it is complete, so that until then it may be tried again elsewhere. */
const isEarly = ({ length }: SynthesisTask, claim: Claim): claim is Claim & { early: Early } =>
  claim.early !== undefined && claim.urgency !== "batch" && length === undefined;

type Sent = { task: object; transfer: Transferable[]; delivery: Delivery };

async function runEarly(runner: Runner, { task, transfer, delivery }: Sent, early: Early) {
  const { port1, port2 } = new MessageChannel();
  const { promise: all, resolve: allArrived } = Promise.withResolvers<void>();
  let arrived = 0;
  let posted = Number.POSITIVE_INFINITY;
  port1.onmessage = ({ data }) => {
    early(data as Float32Array);
    if (++arrived >= posted) allArrived();
  };
  try {
    const sent = { ...task, delivery: { ...delivery, port: port2 } };
    const result = await runner.run<DeliveredSamples | Float32Array>(sent, [...transfer, port2 as never]);
    if (result instanceof Float32Array) return result;
    posted = result.posted;
    if (arrived < posted) await all;
    return result.rest;
  } finally {
    port1.close();
  }
}
