/**
 * One task on its way to one node after another: what it has delivered so far, and when it is not tried again.
 *
 *   refused, nothing begun ──> the next node, as often as there are nodes
 *   failed, nothing delivered ──> the next node, once
 */
import type { Claim } from "../claim.ts";
import type { RecognitionTask } from "../protocol/recognition.ts";
import { NodeFailure, noNode, outcomeOf } from "./node-failure.ts";

const FAILURES_MAX = 2; // the first attempt and one more

export type Attempts = {
  /** For a node: its hypotheses are noticed, and its early samples. */
  task: object;
  claim: Claim;
  /** Throws the error where the task must not be tried again. */
  failed(error: unknown): void;
  /** What to throw where no node is left: as the last one failed, unless it was lost. */
  reason(): unknown;
};

export function openAttempts(task: object, claim: Claim): Attempts {
  const { port } = task as Partial<RecognitionTask>;
  let hasDelivered = false;
  let failures = 0;
  let last: unknown = null;
  const postMessage = (value: unknown) => {
    hasDelivered = true;
    port?.postMessage(value);
  };
  const { early } = claim;
  const deliver = (samples: Float32Array) => {
    hasDelivered = true;
    early?.(samples);
  };
  return {
    task: port ? { ...task, port: { postMessage } } : task,
    claim: early ? { ...claim, early: deliver } : claim,
    failed(error) {
      const outcome = hasDelivered ? null : outcomeOf(error);
      if (outcome === null || (outcome.begun && ++failures >= FAILURES_MAX)) throw error;
      last = error instanceof NodeFailure && error.kind === "lost" ? null : error;
    },
    reason: () => last ?? noNode(),
  };
}
