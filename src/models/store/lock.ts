/**
 * One writer at a time in a model store: a lock file that names the process that holds it, and is ignored when that
 * process has ended. A process is identified by its id and start time: in containers ids repeat. Each writer first removes
 * what others abandoned.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeAbandoned } from "./incoming.ts";
import { CHOOSE, diskFailure, ModelStoreError } from "./store-error.ts";

/** Another process is writing. */
export class StoreLocked extends ModelStoreError {}

const SELF = `${process.pid} ${performance.timeOrigin}`;

export async function inLock<T>(weights: string, work: () => Promise<T> | T): Promise<T> {
  const path = join(weights, "lock");
  makeFolder(weights);
  try {
    take(path);
    try {
      removeAbandoned(weights, statSync(path).mtimeMs); // the time by the clock of the disk
      return await work();
    } finally {
      rmSync(path, { force: true });
    }
  } catch (error) {
    const why = diskFailure(error);
    throw why ? new ModelStoreError(`${weights} ${why}`) : error;
  }
}

function makeFolder(weights: string): void {
  try {
    mkdirSync(weights, { recursive: true });
  } catch (error) {
    const why = diskFailure(error) ?? `cannot be created (${(error as Error).message}). ${CHOOSE}`;
    throw new ModelStoreError(`${weights} ${why}`);
  }
}

function take(path: string): void {
  try {
    writeFileSync(path, SELF, { flag: "wx" });
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    const holder = readFileSync(path, "utf8");
    const number = Number(holder.split(" ")[0]);
    if (holder === SELF || (number !== process.pid && isAlive(number)))
      throw new StoreLocked(
        `Another command (process ${number}) is changing these models. Wait for it to end.`,
      );
    rmSync(path, { force: true });
    take(path);
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
