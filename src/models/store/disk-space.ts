/** Whether the disk of the model store has room for what is to be installed. */

import { byteText } from "../../byte-text.ts";
import { diskOf } from "../../disk.ts";
import { ModelStoreError } from "./store-error.ts";

/** What a process without privileges may write to the disk of a folder; null where that is unknown. */
export const freeBytes = (folder: string): number | null => diskOf(folder)?.freeBytes ?? null;

/** What is missing, in a sentence; null where enough bytes are free. */
export function lackOfSpace(folder: string, neededBytes: number): string | null {
  const free = freeBytes(folder);
  if (free === null || free >= neededBytes) return null;
  return `The disk of ${folder} has ${byteText(free)} free; ${byteText(neededBytes)} are needed.`;
}

/** Refuses, with what to do, where fewer bytes are free than are needed. */
export function requireSpace(weights: string, neededBytes: number): void {
  const lack = lackOfSpace(weights, neededBytes);
  if (lack === null) return;
  throw new ModelStoreError(`${lack} Free some space, or set LOQUAT_WEIGHTS to a folder on another disk.`);
}
