/** The descriptors of this process: how many are open, and whether enough are free for work. What needs none goes on without. */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { Log } from "../../log/log.ts";

type Samples = number | [];

/** Without the one that reads them. Linux only: elsewhere there is no such metric. */
export function openDescriptors(): Samples {
  try {
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return [];
  }
}

/** How many this process may have. Linux only. */
export function descriptorLimit(): Samples {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? [] : Number(soft);
  } catch {
    return [];
  }
}

/** `areFree`: whether enough were when it was looked. */
export type Descriptors = Disposable & { areFree(): boolean };

/** What a decoder and the threads of an engine need to start, about eight each. */
const LEAST = 16;
const LOOK_MS = 1000;

/** Looks once a second, and logs each change. */
export function watchDescriptors(log: Log, canOpen = canOpenMore, lookMs = LOOK_MS): Descriptors {
  let areFree = true;
  const look = () => {
    const had = areFree;
    areFree = canOpen(LEAST);
    if (had && !areFree) log.error("descriptors_exhausted", { limit: descriptorLimit() });
    if (!had && areFree) log.info("descriptors_available");
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    areFree: () => areFree,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** By opening as many for a moment: to count the open ones takes longer, the more there are. */
function canOpenMore(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
