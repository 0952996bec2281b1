/** The open descriptors of this process, and how many it may have. Linux only: elsewhere there is no such metric. */
import { readdirSync, readFileSync } from "node:fs";

type Samples = number | [];

/** Without the one that reads them. */
export function openDescriptors(): Samples {
  try {
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return [];
  }
}

export function descriptorLimit(): Samples {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? [] : Number(soft);
  } catch {
    return [];
  }
}
