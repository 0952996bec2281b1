/** One writer at a time on a shelf: a file that names its process, and counts for nothing once that is gone. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskTrouble, ShelfError } from "./shelf-error.ts";

export async function inLock<T>(weights: string, work: () => Promise<T> | T): Promise<T> {
  const path = join(weights, "lock");
  try {
    mkdirSync(weights, { recursive: true });
    take(path);
    try {
      return await work();
    } finally {
      rmSync(path, { force: true });
    }
  } catch (error) {
    const why = diskTrouble(error);
    throw why ? new ShelfError(`${weights} ${why}`) : error;
  }
}

function take(path: string): void {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    const holder = Number(readFileSync(path, "utf8"));
    if (isAlive(holder))
      throw new ShelfError(
        `Another command (process ${holder}) is changing these models. Wait for it to end.`,
      );
    rmSync(path, { force: true });
    take(path);
  }
}

function isAlive(process_: number): boolean {
  if (!Number.isInteger(process_) || process_ <= 0) return false;
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
