/** Something that keeps a package from the shelf; the message says what, and what to do. Nothing has changed. */
export class ModelStoreError extends Error {}

const AGAIN = "What came so far is kept: make room and run the command again.";
const CHOOSE = "Set LOQUAT_WEIGHTS to a folder that can be written.";

/** What a disk says, for who can mend it. */
const DISK: Record<string, string> = {
  ENOSPC: `is on a disk that is full. ${AGAIN}`,
  EDQUOT: `is more than may be used of the disk. ${AGAIN}`,
  EACCES: `may not be written. ${CHOOSE}`,
  EROFS: `lies on a disk that may only be read. ${CHOOSE}`,
  ENOTDIR: `is no folder. ${CHOOSE}`,
  EISDIR: "has a folder where a file must be. Take it away.",
};

/** What is wrong with the disk, where that is it. */
export function diskFailure(error: unknown): string | null {
  return DISK[(error as { code?: string }).code ?? ""] ?? null;
}
