/**
 * One writer at a time in a model store, which may be a folder that several machines share: a lock file that names the
 * process that holds it, by its machine, its id and its start time, since ids repeat in containers.
 *
 * On its own machine, the lock of a process that has ended is ignored. Of a process elsewhere only the file is seen: its
 * holder touches it every five seconds, and after a minute without that it is ignored. Each writer first removes what
 * others abandoned.
 */
import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { removeAbandoned } from "./incoming.ts";
import { CHOOSE, diskFailure, ModelStoreError } from "./store-error.ts";

/** Another process is writing. */
export class StoreLocked extends ModelStoreError {}

const TOUCH_MS = 5000;
const ENDED_MS = 60_000;

const SELF = `${process.pid} ${performance.timeOrigin} ${hostname()}`;

export async function inLock<T>(weights: string, work: () => Promise<T> | T): Promise<T> {
  const path = join(weights, "lock");
  makeFolder(weights);
  try {
    take(path);
    const touching = setInterval(() => touch(path), TOUCH_MS);
    touching.unref();
    try {
      removeAbandoned(weights, statSync(path).mtimeMs); // the time by the clock of the disk
      return await work();
    } finally {
      clearInterval(touching);
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

/** Writes it again, so that its time is by the clock of the disk. */
function touch(path: string): void {
  try {
    if (readFileSync(path, "utf8") === SELF) writeFileSync(path, SELF, { flag: "r+" });
  } catch {} // the next time
}

function take(path: string): void {
  try {
    writeFileSync(path, SELF, { flag: "wx" });
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    const holder = readFileSync(path, "utf8");
    refuseAlive(path, holder);
    removeLock(path, holder);
    take(path);
  }
}

/** Throws where its holder still works. */
function refuseAlive(path: string, holder: string): void {
  const [id, , host = hostname()] = holder.split(" ");
  const number = Number(id);
  if (host !== hostname()) {
    if (ageMs(path) >= ENDED_MS) return;
    throw new StoreLocked(`Another node (${host}) is changing these models. Wait for it to end.`);
  }
  if (holder === SELF || (number !== process.pid && isAlive(number)))
    throw new StoreLocked(
      `Another command (process ${number}) is changing these models. Wait for it to end.`,
    );
}

/** By the clock of the disk, which is another machine's where the folder is shared. */
function ageMs(path: string): number {
  const probe = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(probe, "");
  const { mtimeMs: nowMs } = statSync(probe);
  rmSync(probe, { force: true });
  return nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs);
}

/** Moves it away first: another process may have removed it too, and hold the lock by now. */
function removeLock(path: string, holder: string): void {
  const aside = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // it is gone
  }
  try {
    if (readFileSync(aside, "utf8") !== holder) linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
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
