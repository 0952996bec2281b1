/** The machine of this node: its processors, memory, disk and GPUs, as they were when it was last looked at. */
import { cpus, freemem, totalmem } from "node:os";
import type { MachineUse } from "../../cluster/node.ts";
import { diskOf } from "../../disk.ts";
import { openGpuReader, type ReadGpus } from "./gpu-use.ts";

export type Hardware = {
  /** Processors are measured from one look to the next. */
  look(): Promise<void>;
  use(): MachineUse;
};

/** A look at the GPUs starts a program: at every second look at the rest. */
const GPU_LOOKS = 2;

/** `folder`: whose disk is meant. */
export function openHardware(folder: string, readGpus: ReadGpus | null = openGpuReader()): Hardware {
  let last = times();
  let looks = 0;
  const measured: Pick<MachineUse, "cpu" | "processCpu" | "gpus"> = {
    cpu: null,
    processCpu: null,
    gpus: null,
  };
  return {
    async look() {
      const now = times();
      Object.assign(measured, partsOf(last, now));
      last = now;
      if (readGpus && looks++ % GPU_LOOKS === 0) measured.gpus = await readGpus();
    },
    use: () => ({
      ...measured,
      cores: last.cores,
      memoryUsedBytes: totalmem() - freemem(),
      memoryTotalBytes: totalmem(),
      disk: diskOf(folder),
    }),
  };
}

/** Milliseconds of all processors together since the machine started, and of this process. */
type Times = { cores: number; busyMs: number; allMs: number; processMs: number; atMs: number };

function times(): Times {
  const all = cpus();
  const sum = (of: (each: (typeof all)[number]["times"]) => number) =>
    all.reduce((total, each) => total + of(each.times), 0);
  const { user, system } = process.cpuUsage(); // microseconds
  return {
    cores: all.length,
    busyMs: sum((each) => each.user + each.nice + each.sys + each.irq),
    allMs: sum((each) => each.user + each.nice + each.sys + each.irq + each.idle),
    processMs: (user + system) / 1000,
    atMs: performance.now(),
  };
}

/** Null where no time has passed, as with a system that does not count it. */
function partsOf(before: Times, after: Times) {
  const part = (used: number, of: number) => (of > 0 ? Math.min(1, Math.max(0, used / of)) : null);
  return {
    cpu: part(after.busyMs - before.busyMs, after.allMs - before.allMs),
    processCpu: part(after.processMs - before.processMs, (after.atMs - before.atMs) * after.cores),
  };
}
