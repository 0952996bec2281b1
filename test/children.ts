/** What the children of the test's own process run; those that have ended, and nobody waited for, run "". */
import { readdirSync, readFileSync } from "node:fs";

/** Linux only. */
export function commandsOfChildren(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
        return parent === process.pid ? [readFileSync(`/proc/${pid}/cmdline`, "latin1")] : [];
      } catch {
        return []; // it ended since
      }
    });
}
