/** Reads manifests and other small files of a model store, in whose place anything may lie: a folder, a pipe, gigabytes. */
import { readFileSync, statSync } from "node:fs";

const MAX_BYTES = 1024 * 1024;

/** Throws an `Error` that says what is wrong with the file. */
export function readSmallFile(path: string): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error("it is not a file");
  if (found.size > MAX_BYTES) throw new Error(`it has ${found.size} bytes, more than ${MAX_BYTES}`);
  return readFileSync(path, "utf8");
}
