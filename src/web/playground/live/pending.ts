/** Which utterances of a session are committed and not transcribed yet, so that it can end when none is. Pure. */
import type { LiveEvent } from "./utterances.ts";

const NOTHING_TO_COMMIT = "input_audio_buffer_commit_empty";

export type Pending = {
  /** `isExpected`: the answer to the last commit, which is no error of the user's. `isDone`: the session may end. */
  apply(event: LiveEvent): { isExpected: boolean; isDone: boolean };
  /** The last commit is on its way. */
  finish(): void;
};

export function openPending(): Pending {
  const waiting = new Set<string>();
  let isFinishing = false;
  let isCommitted = false;
  return {
    apply({ type, item_id, error }) {
      const isEmpty = isFinishing && type === "error" && error?.code === NOTHING_TO_COMMIT;
      if (type === "input_audio_buffer.committed") {
        waiting.add(item_id!);
        isCommitted = isFinishing;
      }
      if (isEmpty) isCommitted = true;
      if (/transcription\.(completed|failed)$/.test(type)) waiting.delete(item_id!);
      return { isExpected: isEmpty, isDone: isCommitted && waiting.size === 0 };
    },
    finish() {
      isFinishing = true;
    },
  };
}
