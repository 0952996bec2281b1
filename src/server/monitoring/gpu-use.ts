/** What is used of NVIDIA's GPUs, as `nvidia-smi` tells. Where the driver did not bring that program, nothing is known. */
import type { GpuUse } from "../../cluster/node.ts";

/** Null: the program fails, as without a driver. */
export type ReadGpus = () => Promise<GpuUse[] | null>;

const QUERY = ["--query-gpu=name,utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits"];
const LIMIT_MS = 5000;
const MEBIBYTE = 1024 * 1024;

/** Null where there is no such program. */
export function openGpuReader(program = Bun.which("nvidia-smi")): ReadGpus | null {
  if (program === null) return null;
  return async () => {
    try {
      const child = Bun.spawn([program, ...QUERY], { stdin: "ignore", stderr: "ignore", timeout: LIMIT_MS });
      const text = await child.stdout.text();
      return (await child.exited) === 0 ? gpusIn(text) : null;
    } catch {
      return null;
    }
  };
}

/** A line for each GPU, such as "NVIDIA A10, 37, 1532, 23028": per cent and mebibytes. What it cannot tell is in brackets. */
function gpusIn(text: string): GpuUse[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [total, used, use, ...name] = line.split(",").toReversed();
      return {
        name: name.toReversed().join(",").trim(),
        use: numberIn(use, 1 / 100),
        memoryUsedBytes: numberIn(used, MEBIBYTE),
        memoryTotalBytes: numberIn(total, MEBIBYTE),
      };
    });
}

const numberIn = (text: string | undefined, unit: number): number | null =>
  text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) * unit : null;
