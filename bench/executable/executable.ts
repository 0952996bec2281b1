/**
 * The executables that `npm run build` made for this machine, against the checkout: size, start, memory and throughput.
 *
 * Starts are of a server that ran before: its database is migrated, its libraries are unpacked. Where a start is cold, the
 * program and its libraries are not in the page cache. Both run in turns.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ALL_FLAVOURS,
  type Flavour,
  fileName,
  hostTarget,
  OUTPUT,
  targetOf,
} from "../../deploy/build/target.ts";
import { residentKib } from "../harness/process.ts";
import { median, type Row } from "../harness/row.ts";
import { CHECKOUT } from "../harness/server.ts";
import { startOf } from "./start.ts";
import { benchThroughput } from "./throughput.ts";

const RUNS = 9;
const SETTLE_MS = 1500;
const MB = 1_000_000;
const SIZES: Record<Flavour, string> = { full: "at most 200", apache: "at most 150" };

export async function benchExecutable(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const flavour of ALL_FLAVOURS) {
    const path = join(OUTPUT, fileName(targetOf(hostTarget()), flavour));
    if (!existsSync(path))
      return [{ name: 'executable: "npm run build" was not run', value: 0, unit: "runs" }];
    const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
    try {
      const size = {
        name: `${flavour}: size`,
        value: statSync(path).size / MB,
        unit: "MB",
        target: SIZES[flavour],
      };
      rows.push(size, ...(await benchStarts(flavour, path, folder)));
      if (flavour === "full") rows.push(...(await benchThroughput([path], join(folder, "cache"))));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return rows;
}

async function benchStarts(flavour: Flavour, path: string, folder: string): Promise<Row[]> {
  const cache = join(folder, "cache");
  const start = (command: readonly string[]) => startOf(command, { data: join(folder, "data"), cache });
  await start([path]); // creates the database and unpacks the libraries
  const libraries = readdirSync(cache, { recursive: true }).map((name) => join(cache, String(name)));
  const found = {
    warm: [] as number[],
    cold: [] as number[],
    checkout: [] as number[],
    memory: [] as number[],
  };
  for (let run = 0; run < RUNS; run++) {
    found.warm.push((await start([path])).ms);
    found.checkout.push((await start(CHECKOUT)).ms);
    forget([path, ...libraries]);
    found.cold.push((await start([path])).ms);
  }
  for (const command of [[path], CHECKOUT]) {
    const { value } = await startOf(command, { data: join(folder, "data"), cache }, async (pid) => {
      await Bun.sleep(SETTLE_MS);
      return residentKib(pid) / 1024;
    });
    found.memory.push(value!);
  }
  return [
    {
      name: `${flavour}: start to listening, warm`,
      value: median(found.warm),
      unit: "ms",
      target: "at most 150",
    },
    {
      name: `${flavour}: start to listening, cold`,
      value: median(found.cold),
      unit: "ms",
      target: "at most 300",
    },
    { name: "the checkout's start, warm", value: median(found.checkout), unit: "ms" },
    {
      name: `${flavour}: memory ${SETTLE_MS / 1000} s after the start`,
      value: found.memory[0]!,
      unit: "MiB",
    },
    { name: "the checkout's memory", value: found.memory[1]!, unit: "MiB" },
  ];
}

/** Takes files out of the page cache, as far as no process maps them. */
function forget(paths: readonly string[]): void {
  Bun.spawnSync(["sync"]);
  for (const path of paths.filter((each) => statSync(each).isFile()))
    Bun.spawnSync(["dd", `if=${path}`, "iflag=nocache", "count=0", "status=none"]);
}
