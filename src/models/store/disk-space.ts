/** Whether the disk of the model store has room for what is to be installed. */
import { statfsSync } from "node:fs";
import { byteText } from "../packages/size.ts";
import { ModelStoreError } from "./store-error.ts";

/** Refuses, with what to do, where fewer bytes are free than are needed. */
export function requireSpace(weights: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(weights);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  throw new ModelStoreError(
    `The disk of ${weights} has ${byteText(freeBytes)} free; ${byteText(neededBytes)} are needed. Free some space, or set LOQUAT_WEIGHTS to a folder on another disk.`,
  );
}
