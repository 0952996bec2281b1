/**
 * Files on their way into the model store: downloads that can be resumed, and what an import or a pull writes before it is
 * linked. Only the holder of the store's lock writes here.
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "./model-store.ts";

const KEPT_MS = 14 * 24 * 60 * 60 * 1000; // a download is resumed within two weeks or not at all

const folderIn = (weights: string) => join(weights, "incoming");

/** Path of a file while it is downloaded or imported. */
export function incomingOf(weights: string, name: string): string {
  mkdirSync(folderIn(weights), { recursive: true });
  return join(folderIn(weights), name);
}

/**
 * Removes what was abandoned: downloads that nothing was added to for two weeks, and at once what cannot be resumed. To be
 * called by the holder of the lock, before it writes.
 */
export function removeAbandoned(weights: string, nowMs: number): void {
  for (const name of namesIn(folderIn(weights))) {
    const path = join(folderIn(weights), name);
    if (!isResumable(name) || nowMs - changedMs(path) > KEPT_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

/** A partial download, or the note of which of its ranges are complete. */
const isResumable = (name: string) => /\.part(\.note)?$/.test(name);

const changedMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
