/**
 * What keys, limits, the ledger and the request log cost a request: the metered route against the same route without
 * its meter, both with an engine that responds immediately, in turns.
 *
 * Saturation is requests a second of callers that never pause. Latency is taken at half of the metered one's
 * saturation, with arrivals that do not wait for answers, so that a server that falls behind cannot hide it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withDatabase } from "../harness/postgres.ts";
import { median, quantile, type Row } from "../harness/row.ts";
import { openWire, post, type Wire } from "../harness/wire.ts";
import type { InstantOptions } from "./instant.ts";

const SERVER = fileURLToPath(new URL("instant.ts", import.meta.url));
export const BODY = JSON.stringify({
  model: "svc-tts1",
  voice: "male-classic",
  input: "Go on.",
  response_format: "pcm",
});
export const REDIS = "redis://127.0.0.1:6379/15";
const CALLERS = 32;
export const ROUNDS = 5;
const ROUND_MS = 2000;
export const CALM_PER_SECOND = 500;
const EVENTS = 1_000_000;
const ORGANIZATIONS = 1000;

export const ONE: InstantOptions = { organizations: 1, metered: true };

export async function benchMetered(): Promise<Row[]> {
  return [
    ...(await againstUnmetered("SQLite", {}, ["at most 1", "at most 3", "at least 0.4"])),
    ...(await withDatabase((url) =>
      againstUnmetered("PostgreSQL and Redis", { DATABASE_URL: url, REDIS_URL: REDIS }, [
        "at most 3",
        undefined,
        undefined,
      ]),
    )),
    await saturationRatio(
      `${ORGANIZATIONS} organizations to one`,
      { ...ONE, organizations: ORGANIZATIONS },
      "at least 0.85",
    ),
    await saturationRatio(
      `${EVENTS} usage events to none`,
      { ...ONE, seeds: { events: EVENTS } },
      "at least 0.9",
    ),
  ];
}

type Environment = Record<string, string>;
export type Target = AsyncDisposable & {
  pid: number;
  keys: string[];
  /** `requestOf`: the next request with that key; the same one each time without it. */
  saturation(requestOf?: (key: string) => Uint8Array, ms?: number): Promise<number>;
  latencies(perSecond: number): Promise<number[]>;
};

async function againstUnmetered(
  stores: string,
  environment: Environment,
  [p50, p99, share]: (string | undefined)[],
): Promise<Row[]> {
  await using metered = await start(ONE, environment);
  await using unmetered = await start({ ...ONE, metered: false }, environment);
  await inTurns(metered, unmetered, (target) => target.saturation()); // until what is hot is compiled
  const [rate, bare] = await inTurns(metered, unmetered, (target) => target.saturation());
  const half = await added(metered, unmetered, median(rate) / 2);
  const calm = await added(metered, unmetered, CALM_PER_SECOND);
  const row = (name: string, figure: Pick<Row, "value" | "unit">, target?: string): Row => ({
    name: `${stores}: ${name}`,
    ...figure,
    ...(target && { target }),
  });
  const ms = (value: number) => ({ value, unit: "ms" });
  return [
    row("saturation, metered", { value: median(rate), unit: "requests/s" }),
    row("saturation, ratio to unmetered", { value: median(rate) / median(bare), unit: "x" }, share),
    row("added to p50 at half of that", ms(half.p50), p50),
    row("added to p99 at half of that", ms(half.p99), p99),
    row(`added to p50 at ${CALM_PER_SECOND} requests/s`, ms(calm.p50)),
    row(`added to p99 at ${CALM_PER_SECOND} requests/s`, ms(calm.p99)),
  ];
}

/** Milliseconds that the meter adds. */
async function added(metered: Target, unmetered: Target, perSecond: number) {
  const [ours, theirs] = await inTurns(metered, unmetered, (target) => target.latencies(perSecond));
  const medianAt = (rounds: number[][], q: number) => median(rounds.map((round) => quantile(round, q)));
  return {
    p50: medianAt(ours, 0.5) - medianAt(theirs, 0.5),
    p99: medianAt(ours, 0.99) - medianAt(theirs, 0.99),
  };
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

/** `script`: the server, of this checkout or another one. */
export async function start(
  options: InstantOptions,
  environment: Environment,
  script = SERVER,
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const env = { PATH: Bun.env.PATH, LOQUAT_DATA: folder, LOG_LEVEL: "warn", ...environment };
  const child = Bun.spawn([process.execPath, script, JSON.stringify(options)], {
    env,
    stdout: "pipe",
    stderr: "inherit",
  });
  const { port, keys } = await firstLine<{ port: number; keys: string[] }>(child.stdout);
  const requests = keys.map((key) => post("/v1/audio/speech", key, BODY));
  let turn = 0;
  const asking = (next: () => Uint8Array) => async (wire: Wire) => {
    const status = await wire.ask(next());
    if (status !== 200) throw new Error(`the server answered ${status}`);
  };
  const ask = asking(() => requests[turn++ % requests.length]!);
  return {
    ...{ pid: child.pid, keys },
    saturation: (requestOf, ms = ROUND_MS) =>
      overWires(port, (wires) => saturation(wires, requestOf ? asking(() => requestOf(keys[0]!)) : ask, ms)),
    latencies: (perSecond) => overWires(port, (wires) => latencies(wires, ask, perSecond)),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Connections of their own for each measurement: the server closes those that are idle meanwhile. */
async function overWires<T>(port: number, measure: (wires: Wire[]) => Promise<T>): Promise<T> {
  const wires = await Promise.all(Array.from({ length: CALLERS }, () => openWire(port)));
  try {
    return await measure(wires);
  } finally {
    for (const wire of wires) wire.close();
  }
}

type Asking = (wire: Wire) => Promise<void>;

async function saturation(wires: Wire[], ask: Asking, ms: number): Promise<number> {
  const until = performance.now() + ms;
  let answered = 0;
  const caller = async (wire: Wire) => {
    for (; performance.now() < until; answered++) await ask(wire);
  };
  await Promise.all(wires.map(caller));
  return (answered * 1000) / ms;
}

/**
 * Milliseconds to each answer, waiting for a free connection included. What is due goes out once a millisecond: a
 * client that waits busily would take one of the cores that are measured.
 */
async function latencies(wires: Wire[], ask: Asking, perSecond: number): Promise<number[]> {
  const took: number[] = [];
  const idle = [...wires];
  const waiting: ((wire: Wire) => void)[] = [];
  const fire = async () => {
    const begun = performance.now();
    const wire = idle.pop() ?? (await new Promise<Wire>((resolve) => waiting.push(resolve)));
    await ask(wire);
    took.push(performance.now() - begun);
    const next = waiting.shift();
    if (next) next(wire);
    else idle.push(wire);
  };
  const fired: Promise<void>[] = [];
  const begun = performance.now();
  for (let sinceMs = 0; sinceMs < ROUND_MS; sinceMs = performance.now() - begun) {
    while (fired.length < (sinceMs * perSecond) / 1000) fired.push(fire());
    await Bun.sleep(1);
  }
  await Promise.all(fired);
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
