/**
 * What keys, limits, the ledger and the request log cost a request: the metered route against the same route without
 * its meter, both with an engine that answers at once, in turns.
 *
 * Saturation is requests a second of callers who never rest. Latency is taken at half of the metered one's
 * saturation, from the moment a request was due, so that a server that falls behind cannot hide it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { InstantOptions } from "./instant.ts";
import { inParallel, median, quantile, type Row } from "./row.ts";
import { openWire, post, type Wire } from "./wire.ts";

const SERVER = fileURLToPath(new URL("instant.ts", import.meta.url));
const BODY = JSON.stringify({
  model: "svc-tts1",
  voice: "male-classic",
  input: "Go on.",
  response_format: "pcm",
});
const POSTGRES = "postgres://root@127.0.0.1:5432";
const REDIS = "redis://127.0.0.1:6379/15";
const CALLERS = 32;
const ROUNDS = 5;
const ROUND_MS = 2000;
const EVENTS = 1_000_000;
const ORGANIZATIONS = 1000;

const ONE: InstantOptions = { organizations: 1, events: 0, metered: true };

export async function benchMetered(): Promise<Row[]> {
  return [
    ...(await againstUnmetered("SQLite", {}, ["at most 1", "at most 3", "at least 0.4"])),
    ...(await withDatabase((environment) =>
      againstUnmetered("PostgreSQL and Redis", environment, ["at most 3", undefined, undefined]),
    )),
    await saturationRatio(`${ORGANIZATIONS} organizations to one`, { ...ONE, organizations: ORGANIZATIONS }),
    await saturationRatio(`${EVENTS} usage events to none`, { ...ONE, events: EVENTS }, "at least 0.9"),
  ];
}

type Environment = Record<string, string>;
type Target = AsyncDisposable & {
  saturation(): Promise<number>;
  latencies(perSecond: number): Promise<number[]>;
};

async function againstUnmetered(
  stores: string,
  environment: Environment,
  [p50, p99, share]: (string | undefined)[],
): Promise<Row[]> {
  await using metered = await start(ONE, environment);
  await using unmetered = await start({ ...ONE, metered: false }, environment);
  const [rate, bare] = await inTurns(metered, unmetered, (target) => target.saturation());
  const perSecond = median(rate) / 2;
  const [latencies, without] = await inTurns(metered, unmetered, (target) => target.latencies(perSecond));
  const at = (q: number) => median(latencies.map((round) => quantile(round, q)));
  const added = (q: number) => at(q) - median(without.map((round) => quantile(round, q)));
  const row = (name: string, value: number, unit: string, target?: string): Row => ({
    name: `${stores}: ${name}`,
    value,
    unit,
    ...(target && { target }),
  });
  return [
    row("saturation, metered", median(rate), "requests/s"),
    row("saturation, ratio to unmetered", median(rate) / median(bare), "x", share),
    row("p50 at half of it", at(0.5), "ms"),
    row("p99 at half of it", at(0.99), "ms"),
    row("added to p50", added(0.5), "ms", p50),
    row("added to p99", added(0.99), "ms", p99),
  ];
}

async function saturationRatio(name: string, options: InstantOptions, target?: string): Promise<Row> {
  await using other = await start(options, {});
  await using plain = await start(ONE, {});
  const [theirs, ours] = await inTurns(other, plain, (one) => one.saturation());
  return {
    name: `SQLite: saturation, ${name}`,
    value: median(theirs) / median(ours),
    unit: "x",
    ...(target && { target }),
  };
}

async function inTurns<T>(
  a: Target,
  b: Target,
  measure: (target: Target) => Promise<T>,
): Promise<[T[], T[]]> {
  const [ofA, ofB]: [T[], T[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ofA.push(await measure(a));
    ofB.push(await measure(b));
  }
  return [ofA, ofB];
}

async function start(options: InstantOptions, environment: Environment): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const env = { PATH: Bun.env.PATH, LOQUAT_DATA: folder, LOG_LEVEL: "warn", ...environment };
  const child = Bun.spawn([process.execPath, SERVER, JSON.stringify(options)], {
    env,
    stdout: "pipe",
    stderr: "inherit",
  });
  const { port, keys } = await firstLine<{ port: number; keys: string[] }>(child.stdout);
  const requests = keys.map((key) => post("/v1/audio/speech", key, BODY));
  const wires = await Promise.all(Array.from({ length: CALLERS }, () => openWire(port)));
  let turn = 0;
  const ask = async (wire: Wire) => {
    const status = await wire.ask(requests[turn++ % requests.length]!);
    if (status !== 200) throw new Error(`the server answered ${status}`);
  };
  return {
    saturation: () => saturation(wires, ask),
    latencies: (perSecond) => latencies(wires, ask, perSecond),
    async [Symbol.asyncDispose]() {
      for (const wire of wires) wire.close();
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Asking = (wire: Wire) => Promise<void>;

async function saturation(wires: Wire[], ask: Asking): Promise<number> {
  const until = performance.now() + ROUND_MS;
  let answered = 0;
  const caller = async (wire: Wire) => {
    for (; performance.now() < until; answered++) await ask(wire);
  };
  await Promise.all(wires.map(caller));
  return (answered * 1000) / ROUND_MS;
}

/** Milliseconds from when each request was due to its answer. */
async function latencies(wires: Wire[], ask: Asking, perSecond: number): Promise<number[]> {
  const begun = performance.now();
  const count = Math.floor((perSecond * ROUND_MS) / 1000);
  const took: number[] = [];
  const idle = [...wires];
  await inParallel(wires.length, count, async (turn) => {
    const due = begun + (turn * 1000) / perSecond;
    while (performance.now() < due) await Bun.sleep(due - performance.now());
    const wire = idle.pop()!;
    await ask(wire);
    idle.push(wire);
    took.push(performance.now() - due);
  });
  return took;
}

async function firstLine<T>(stdout: ReadableStream<Uint8Array>): Promise<T> {
  let text = "";
  for await (const chunk of stdout.pipeThrough(new TextDecoderStream() as never)) {
    text += chunk;
    if (text.includes("\n")) return JSON.parse(text) as T;
  }
  throw new Error("the server ended before it listened");
}

/** A database of the bench's own; no rows where no PostgreSQL answers. */
async function withDatabase(measure: (environment: Environment) => Promise<Row[]>): Promise<Row[]> {
  const admin = new Client(`${POSTGRES}/test`);
  const name = `loquat_bench_${process.pid}`;
  try {
    await admin.connect();
  } catch {
    process.stdout.write("  (no PostgreSQL on 127.0.0.1: its figures are left out)\n");
    return [];
  }
  await admin.query(`create database ${name}`);
  try {
    return await measure({ DATABASE_URL: `${POSTGRES}/${name}`, REDIS_URL: REDIS });
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}
