/** Why a package cannot be installed, with a message that says what to do. What was installed is unchanged. */

import { OperatorError } from "../../errors.ts";

export class ModelStoreError extends OperatorError {}

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
