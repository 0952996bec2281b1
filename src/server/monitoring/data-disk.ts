/**
 * Whether the disk of the data folder has room for work: below a minimum, requests are refused before they begin, and nodes are
 * not ready. What runs may still be charged and logged in what is left. Each change is logged when something asks.
 */
import type { Clock } from "../../clock.ts";
import { noSpaceLeft } from "../../errors.ts";
import type { Log } from "../../log/log.ts";
import { freeBytes } from "../../models/store/disk-space.ts";

/** `hasSpace` of a folder that cannot be asked is true: whatever fails there tells why. */
export type DataDisk = { hasSpace(): boolean; requireSpace(): void };

/** A long answer beside the log of the database and its copy. */
const SPACE_LEAST_BYTES = 16 * 1024 * 1024;
/** How long an answer of the disk is reused. */
const CACHE_MS = 1000;

export function openDataDisk(
  folder: string,
  deps: { clock: Clock; log: Log },
  freeBytesOf = freeBytes,
): DataDisk {
  const { clock, log } = deps;
  let last = { at: Number.NEGATIVE_INFINITY, hasSpace: true };
  const hasSpace = () => {
    const now = clock.now();
    if (Math.abs(now - last.at) < CACHE_MS) return last.hasSpace;
    const free = freeBytesOf(folder);
    const had = last.hasSpace;
    last = { at: now, hasSpace: (free ?? SPACE_LEAST_BYTES) >= SPACE_LEAST_BYTES };
    if (had && !last.hasSpace) log.error("disk_full", { freeBytes: free });
    if (!had && last.hasSpace) log.info("disk_available");
    return last.hasSpace;
  };
  return {
    hasSpace,
    requireSpace() {
      if (!hasSpace()) throw noSpaceLeft();
    },
  };
}
