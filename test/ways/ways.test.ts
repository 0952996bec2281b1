/**
 * Promise: the way of a request is short. A file is on the way of a request if one of its lines runs equally often with
 * every request; workers are not counted. The ceilings are what was counted last; who shortens a way lowers its ceiling.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";

const ROOT = join(import.meta.dir, "../..");
const TIMES = [0, 17, 36]; // what timers run is seldom a multiple of both differences
const folder = mkdtempSync(join(tmpdir(), "loquat-ways-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The most files, and the goal. */
const CEILINGS: [way: string, ceiling: number, goal: number][] = [
  ["speech", 107, 60],
  ["transcription", 88, 50],
  ["frame", 17, 16],
  ["charge", 13, 10],
];

/** How often each line of each file of src ran. */
type Runs = Map<string, Map<number, number>>;

function readRuns(lcov: string): Runs {
  const runs: Runs = new Map();
  let lines = new Map<number, number>();
  for (const row of lcov.split("\n")) {
    if (row.startsWith("SF:")) {
      lines = new Map();
      runs.set(row.slice(3), lines);
    }
    if (!row.startsWith("DA:")) continue;
    const [line, count] = row.slice(3).split(",").map(Number);
    lines.set(line!, count!);
  }
  return new Map([...runs].filter(([path]) => path.startsWith("src/")));
}

async function runsOf(way: string, times: number): Promise<Runs> {
  const to = join(folder, `${way}-${times}`);
  const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${to}`];
  const child = Bun.spawn([process.execPath, "test", ...coverage, "./test/ways/requests.ts"], {
    cwd: ROOT,
    env: { ...Bun.env, LOQUAT_WAY: way, LOQUAT_TIMES: String(times) },
    stdout: "ignore",
    stderr: "pipe",
  });
  const output = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(output);
  return readRuns(readFileSync(join(to, "lcov.info"), "utf8"));
}

const unlessRecognition = installedFamilies().has("sphinx") ? "" : "libpocketsphinx is not installed";

for (const [way, ceiling, goal] of CEILINGS) {
  const missing = way === "transcription" ? unlessRecognition : "";
  const title = `the way of ${way === "frame" ? "a realtime frame" : way} has at most ${ceiling} files (goal: ${goal})`;
  test.skipIf(missing !== "")(missing ? `${title} (skipped: ${missing})` : title, async () => {
    const all: Runs[] = [];
    for (const times of TIMES) all.push(await runsOf(way, times));
    const count = (index: number, path: string, line: number) => all[index]!.get(path)?.get(line) ?? 0;
    const isEach = (index: number, path: string, line: number) => {
      const more = count(index, path, line) - count(index - 1, path, line);
      return more > 0 && more % (TIMES[index]! - TIMES[index - 1]!) === 0;
    };
    const runs = all.at(-1)!;
    const isOnTheWay = ([path, lines]: [string, Map<number, number>]) =>
      [...lines.keys()].some((line) => isEach(1, path, line) && isEach(2, path, line));
    const files = [...runs].filter(isOnTheWay).map(([path]) => path);
    const folders = new Set(files.map(dirname));
    expect(files.length).toBeGreaterThan(0);
    if (files.length > ceiling)
      throw new Error(`${files.length} files of ${folders.size} folders:\n${files.join("\n")}`);
  });
}
