/** A process whose allocations are counted (see `counters.ts`). */
import { fileURLToPath } from "node:url";
import { type LineProcess, startLineProcess } from "../harness/line-process.ts";
import type { Counters } from "./counters.ts";

const COUNTERS = fileURLToPath(new URL("counters.ts", import.meta.url));

export type Counted<T> = LineProcess<T> & {
  count(): Promise<Counters>;
  /** Counts what is left of all objects, or of those made since the last time. Needs an environment in which it may be collected. */
  countLeft(of: "all" | "new"): Promise<Counters>;
};

/** `command`: the script and its arguments. Collects nothing, unless the environment says otherwise. */
export async function openCounted<T>(
  command: readonly string[],
  environment: Record<string, string>,
): Promise<Counted<T>> {
  const uncollected = { BUN_JSC_useGC: "0", ...environment };
  const child = await startLineProcess<T>(["--preload", COUNTERS, ...command], uncollected);
  return { ...child, count: () => child.ask("count"), countLeft: (of) => child.ask(`collect ${of}`) };
}
