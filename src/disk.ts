/** The disk of a folder. */
import { statfsSync } from "node:fs";

/** `freeBytes`: what a process without privileges may write. */
export type Disk = { freeBytes: number; totalBytes: number };

/** Null where that is unknown. */
export function diskOf(folder: string): Disk | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}
