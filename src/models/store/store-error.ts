/** Why a package cannot be installed, with a message that says what to do. What was installed is unchanged. */

import { OperatorError } from "../../errors.ts";

type Details = ErrorOptions & { summary?: string; isUnanswered?: boolean };

/** `summary`: what happened, in one sentence without the advice. `isUnanswered`: a host gave no answer. */
export class ModelStoreError extends OperatorError {
  readonly summary: string;
  readonly isUnanswered: boolean;

  constructor(message = "", { summary = message, isUnanswered = false, ...options }: Details = {}) {
    super(message, options);
    this.summary = summary;
    this.isUnanswered = isUnanswered;
  }
}

const AGAIN = "What was downloaded is kept: free some space and run the command again.";
export const CHOOSE = "Set LOQUAT_WEIGHTS to a writable folder.";

/** Errors of the file system, in words for the operator. */
const DISK: Record<string, string> = {
  ENOSPC: `is on a disk that is full. ${AGAIN}`,
  EDQUOT: `is more than may be used of the disk. ${AGAIN}`,
  EACCES: `is not writable. ${CHOOSE}`,
  EROFS: `is on a read-only disk. ${CHOOSE}`,
  ENOTDIR: `is not a folder. ${CHOOSE}`,
  EISDIR: "has a folder in place of a file. Remove it.",
};

/** What is wrong with the disk, or null where it is something else. */
export function diskFailure(error: unknown): string | null {
  return DISK[(error as { code?: string }).code ?? ""] ?? null;
}
