/**
 * Promise: the way of a request is short. A file is on the way of a request if one of its lines runs equally often with
 * every request, and not while there are none; workers are not counted. The ceilings are what was counted last; who shortens a
 * way lowers its ceiling.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";

const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "loquat-ways-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TIMES = [0, 17, 36];
const TIMES_OF_SLOW = [0, 5, 12];

/** The most files, and the goal. */
const CEILINGS: [way: string, times: number[], ceiling: number, goal: number][] = [
  ["speech", TIMES, 86, 60],
  ["transcription", TIMES_OF_SLOW, 77, 50],
  ["frame", TIMES, 16, 16],
  ["charge", TIMES, 12, 10],
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

const known = new Map<string, Promise<Runs>>();

/** After so many requests, and a time without any. */
function runsOf(way: string, times: number, idleMs = 0): Promise<Runs> {
  const name = `${way}-${times}-${idleMs}`;
  if (!known.has(name)) known.set(name, counted(name, { way, times, idleMs }));
  return known.get(name)!;
}

async function counted(name: string, { way, times, idleMs }: { way: string; times: number; idleMs: number }) {
  const to = join(folder, name);
  const begun = performance.now();
  const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${to}`];
  const child = Bun.spawn([process.execPath, "test", ...coverage, "./test/ways/requests.ts"], {
    cwd: ROOT,
    env: { ...Bun.env, LOQUAT_WAY: way, LOQUAT_TIMES: String(times), LOQUAT_IDLE_MS: String(idleMs) },
    stdout: "ignore",
    stderr: "pipe",
  });
  const output = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(output);
  longestMs = Math.max(longestMs, performance.now() - begun);
  return readRuns(readFileSync(join(to, "lcov.info"), "utf8"));
}

/** Of a run; at first, longer than most timers of an idle server. On a busy machine those of a minute run too. */
let longestMs = 6000;

/** Whether a line runs by a timer. */
async function timed(): Promise<(path: string, line: number) => boolean> {
  const [before, after] = [await runsOf("speech", 0), await runsOf("speech", 0, Math.ceil(longestMs))];
  return (path, line) => (after.get(path)?.get(line) ?? 0) > (before.get(path)?.get(line) ?? 0);
}

const unlessRecognition = installedFamilies().has("sphinx") ? "" : "libpocketsphinx is not installed";

for (const [way, times, ceiling, goal] of CEILINGS) {
  const missing = way === "transcription" ? unlessRecognition : "";
  const title = `the way of ${way === "frame" ? "a realtime frame" : way} has at most ${ceiling} files (goal: ${goal})`;
  test.skipIf(missing !== "")(
    missing ? `${title} (skipped: ${missing})` : title,
    async () => {
      const all: Runs[] = [];
      for (const count of times) all.push(await runsOf(way, count));
      const isTimed = await timed();
      const count = (index: number, path: string, line: number) => all[index]!.get(path)?.get(line) ?? 0;
      const isEach = (index: number, path: string, line: number) => {
        const more = count(index, path, line) - count(index - 1, path, line);
        return more > 0 && more % (times[index]! - times[index - 1]!) === 0;
      };
      const runs = all.at(-1)!;
      const isOnTheWay = ([path, lines]: [string, Map<number, number>]) =>
        [...lines.keys()].some(
          (line) => isEach(1, path, line) && isEach(2, path, line) && !isTimed(path, line),
        );
      const files = [...runs].filter(isOnTheWay).map(([path]) => path);
      const folders = new Set(files.map(dirname));
      expect(files.length).toBeGreaterThan(0);
      if (files.length > ceiling)
        throw new Error(`${files.length} files of ${folders.size} folders:\n${files.join("\n")}`);
    },
    600_000,
  );
}
