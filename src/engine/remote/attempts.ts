/**
 * One task on its way to one node after another: what it has delivered so far, and when it is not tried again.
 *
 *   refused, nothing begun ──> the next node, as often as there are nodes
 *   failed, nothing delivered ──> the next node, once
 */

import type { HypothesisPort } from "../protocol/recognition.ts";
import { isOf, type Task } from "../protocol/task.ts";
import type { Claim } from "../runner.ts";
import { NodeFailure, noNode, outcomeOf } from "./node-failure.ts";

const FAILURES_MAX = 2; // the first attempt and one more

export type Attempts<T extends Task> = {
  /** For a node: its hypotheses are noticed, and its early samples. */
  task: T;
  claim: Claim;
  /** Throws the error where the task must not be tried again. */
  failed(error: unknown): void;
  /** What to throw where no node is left: as the last one failed, unless it was lost. */
  reason(): unknown;
};

export function openAttempts<T extends Task>(task: T, claim: Claim): Attempts<T> {
  let hasDelivered = false;
  let failures = 0;
  let last: unknown = null;
  const noticed = (port: HypothesisPort): HypothesisPort => ({
    postMessage(hypothesis) {
      hasDelivered = true;
      port.postMessage(hypothesis);
    },
  });
  const { early } = claim;
  const deliver = (samples: Float32Array) => {
    hasDelivered = true;
    early?.(samples);
  };
  return {
    task: isOf(task, "recognition") ? { ...task, port: noticed(task.port) } : task,
    claim: early ? { ...claim, early: deliver } : claim,
    failed(error) {
      const outcome = hasDelivered ? null : outcomeOf(error);
      if (outcome === null || (outcome.begun && ++failures >= FAILURES_MAX)) throw error;
      last = error instanceof NodeFailure && error.kind === "lost" ? null : error;
    },
    reason: () => last ?? noNode(),
  };
}
