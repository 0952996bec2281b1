/**
 * One task on its way to one node after another: what it has delivered so far, and when it is not tried again.
 *
 *   refused, nothing begun ──> the next node, as often as there are nodes
 *   failed, nothing delivered ──> the next node, once
 */
import type { RecognitionTask } from "../protocol/recognition.ts";
import { noNode, outcomeOf } from "./node-failure.ts";

const FAILURES_MAX = 2; // the first attempt and one more

export type Attempts = {
  /** For a node: its hypotheses are noticed. */
  task: object;
  /** Throws the error where the task must not be tried again. */
  failed(error: unknown): void;
  /** What to throw where no node is left. */
  reason(): unknown;
};

export function openAttempts(task: object): Attempts {
  const { port } = task as Partial<RecognitionTask>;
  let hasDelivered = false;
  let failures = 0;
  let last: unknown = null;
  const postMessage = (value: unknown) => {
    hasDelivered = true;
    port?.postMessage(value);
  };
  return {
    task: port ? { ...task, port: { postMessage } } : task,
    failed(error) {
      const outcome = hasDelivered ? null : outcomeOf(error);
      if (outcome === null || (outcome.begun && ++failures >= FAILURES_MAX)) throw error;
      last = outcome.begun ? null : error;
    },
    reason: () => last ?? noNode(),
  };
}
