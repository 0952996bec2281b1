/**
 * Lets the threads of an engine deliver speech while they synthesize it.
 *
 *   task ──port──> thread ──samples──> `early` of the claim
 *                         ──the rest──> result, once all samples before it have arrived
 */
import type { Transferable } from "node:worker_threads";
import { type Delivery, isDelivered } from "./protocol/delivery.ts";
import type { SynthesisResult, SynthesisTask } from "./protocol/synthesis.ts";
import { type Claim, type Runner, soleClaim, withKind } from "./runner.ts";

export const withDelivery = (runner: Runner): Runner =>
  withKind(runner, "synthesis", async (task, transfer = [], claim = soleClaim()) => {
    const delivery = { port: null, dueInMs: claim.dueInMs ?? 0 };
    return isEarly(task, claim)
      ? runEarly(runner, { task, transfer, delivery, claim })
      : runner.run({ ...task, delivery }, transfer, claim);
  });

type EarlyClaim = Claim & Required<Pick<Claim, "early">>;

/** Parts of a file are not sent before it is complete, so that until then it may be tried again elsewhere. */
const isEarly = ({ length }: SynthesisTask, claim: Claim): claim is EarlyClaim =>
  claim.early !== undefined && claim.urgency !== "batch" && length === undefined;

type Sent = { task: SynthesisTask; transfer: Transferable[]; delivery: Delivery; claim: EarlyClaim };

async function runEarly(runner: Runner, { task, transfer, delivery, claim }: Sent): Promise<SynthesisResult> {
  const { port1, port2 } = new MessageChannel();
  const { promise: all, resolve: allArrived } = Promise.withResolvers<void>();
  let arrived = 0;
  let posted = Number.POSITIVE_INFINITY;
  port1.onmessage = ({ data }) => {
    claim.early(data as Float32Array);
    if (++arrived >= posted) allArrived();
  };
  try {
    const sent = { ...task, delivery: { ...delivery, port: port2 } };
    const ports = [...transfer, port2 as never];
    const result = await runner.run(sent, ports, claim);
    if (!isDelivered(result)) return result;
    posted = result.posted;
    if (arrived < posted) await all;
    return result.rest;
  } finally {
    port1.close();
  }
}
