/** What a server holds when nothing is under way. What it holds more after a soak than before, it has lost. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { childrenOf, residentKib } from "../harness/process.ts";
import type { Server } from "../harness/server.ts";

export type Held = {
  memoryMib: number;
  /** What each is open on, without those of its callers' connections, which clients keep open for later requests. */
  descriptors: string[];
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
    descriptors: descriptorsOf(pid, new URL(server.url).port),
    processes: childrenOf(pid).length,
    files: filesIn(temporary) + filesIn(join(folder, "spool")),
    underWay: await underWay(),
  };
}

function descriptorsOf(pid: number, port: string): string[] {
  const callers = new Set(
    ["tcp", "tcp6"].flatMap((table) => connectionsIn(`/proc/${pid}/net/${table}`, port)),
  );
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  return open.filter((link) => link !== null).filter((link) => !callers.has(link));
}

/** The descriptors of `late` beyond those of `early`; the numbers of sockets and pipes say nothing. */
export function moreDescriptors(early: Held, late: Held): string[] {
  const known = early.descriptors.map(kindOf);
  return late.descriptors.map(kindOf).filter((kind) => {
    const at = known.indexOf(kind);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

const kindOf = (link: string): string => link.replace(/:\[\d+\]$/, "");

const ESTABLISHED = "01";

/** The sockets of a listener's connections, as descriptors name them. Source: proc_net_tcp of the kernel's documentation. */
function connectionsIn(table: string, port: string): string[] {
  const local = `:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync(table, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(local) && state === ESTABLISHED)
    .map((fields) => `socket:[${fields[9]}]`);
}

/** Null where it has been closed since. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0; // it was not needed
  }
}
