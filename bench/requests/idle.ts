/**
 * What a server takes that does little: memory when idle, after one transcription, and when idle again; time of a start.
 *
 * Memory is that of the server and its processes, as on a machine of their own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOf } from "../executable/start.ts";
import { clipOf, transcriptOf } from "../harness/client.ts";
import { ownKib } from "../harness/process.ts";
import { median, type Row } from "../harness/row.ts";
import { CHECKOUT, type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";

const SERVERS = 3;
const STARTS = 9;
const SETTLE_MS = 5000;
/** By then an engine has given back what it keeps for the next sentence. */
export const AFTER_WORK_MS = 15_000;
const UNLOAD = { minutes: "1", ms: 65_000 };

export async function benchIdle(): Promise<Row[]> {
  const found = { idle: [] as number[], transcribed: [] as number[], unloaded: [] as number[] };
  for (let round = 0; round < SERVERS; round++) {
    await using server = await startServer({ LOQUAT_UNLOAD_MINUTES: UNLOAD.minutes });
    found.idle.push(await settledMib(server));
    await transcriptOf(server, await clipOf(server, textOf(0)));
    found.transcribed.push(await settledMib(server, AFTER_WORK_MS));
    await Bun.sleep(UNLOAD.ms);
    found.unloaded.push(await settledMib(server));
  }
  return [
    { name: "memory, idle", value: median(found.idle), unit: "MiB", target: "at most 120" },
    {
      name: `memory ${AFTER_WORK_MS / 1000} s after speech and one transcription`,
      value: median(found.transcribed),
      unit: "MiB",
      target: "at most 250",
    },
    {
      name: "memory once PocketSphinx is unloaded",
      value: median(found.unloaded),
      unit: "MiB",
      target: "at most 150",
    },
    { name: "start of the checkout to listening", value: median(await starts()), unit: "ms" },
  ];
}

export async function settledMib({ pid }: Server, afterMs = SETTLE_MS): Promise<number> {
  await Bun.sleep(afterMs);
  return ownKib(pid) / 1024;
}

/** Milliseconds, each of a server that ran before. */
async function starts(): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const folders = { data: folder, cache: join(folder, "cache") };
  const found: number[] = [];
  try {
    await startOf(CHECKOUT, folders);
    for (let run = 0; run < STARTS; run++) found.push((await startOf(CHECKOUT, folders)).ms);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}
