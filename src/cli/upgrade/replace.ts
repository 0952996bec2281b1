/** Puts a new executable in the place of another one, and keeps that. There is always one of them at the path. */
import { linkSync, renameSync, rmSync } from "node:fs";

/** Returns the path of the previous file. */
export function replace(executable: string, by: string): string {
  const previous = `${executable}.previous`;
  rmSync(previous, { force: true });
  if (process.platform === "win32")
    renameSync(executable, previous); // a program that runs can be renamed, not replaced
  else linkSync(executable, previous);
  renameSync(by, executable);
  return previous;
}
