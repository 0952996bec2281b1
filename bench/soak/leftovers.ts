/** What a server holds when nothing is under way. What it holds more after a soak than before, it has lost. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { childrenOf, residentKib } from "../harness/process.ts";
import type { Server } from "../harness/server.ts";

export type Held = {
  memoryMib: number;
  descriptors: number;
  processes: number;
  /** Files in the folder for temporary files, and in the server's own. */
  files: number;
  /** Tasks, live sessions and bytes of audio, as the metrics have them. */
  underWay: number;
};

const GAUGES =
  /^(?:loquat_engine_tasks|loquat_live_sessions|loquat_audio_memory_bytes)(?:\{[^}]*\})? (\S+)$/gm;

/** Once nothing is under way and a moment has passed. */
export async function settled(
  server: Server,
  { temporary, settleMs }: { temporary: string; settleMs: number },
): Promise<Held> {
  const underWay = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return [...text.matchAll(GAUGES)].reduce((sum, [, value]) => sum + Number(value), 0);
  };
  for (let tries = 0; tries < 100 && (await underWay()) > 0; tries++) await Bun.sleep(100);
  await Bun.sleep(settleMs);
  const { pid, folder } = server;
  return {
    memoryMib: residentKib(pid) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: childrenOf(pid).length,
    files: filesIn(temporary) + filesIn(join(folder, "spool")),
    underWay: await underWay(),
  };
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0; // it was not needed
  }
}
