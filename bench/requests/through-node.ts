/**
 * Speech through an engine node on the same machine, against the same server with its own engines. Both answer in turns.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { inParallel, median, type Row } from "../harness/row.ts";
import { announced, CHECKOUT, type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";

const SECRET = { LOQUAT_ENGINE_SECRET: "a secret of benchmarks, long enough to be one" };
const CALLERS = 8;
const ROUNDS = 5;
const TURNS = 16; // of a round

export async function benchEngineNode(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const environment = { LOQUAT_ROLE: "engine", PORT: "0", LOG_LEVEL: "warn", LOQUAT_DATA: folder };
  const node = Bun.spawn([...CHECKOUT, "serve"], {
    env: { PATH: Bun.env.PATH, ...SECRET, ...environment },
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const address = (await announced(node.stdout)).replace("http", "ws");
    await using local = await startServer();
    await using remote = await startServer({ ...SECRET, LOQUAT_ENGINES: address });
    const servers = { local, remote };
    for (const server of Object.values(servers))
      await inParallel(4, 8, async (turn) => void (await whole(server, textOf(turn))));
    return await compare(servers);
  } finally {
    node.kill();
    await node.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare({ local, remote }: { local: Server; remote: Server }): Promise<Row[]> {
  const waits: Record<"local" | "remote", number[]> = { local: [], remote: [] };
  const rates: Record<"local" | "remote", number[]> = { local: [], remote: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < TURNS; turn++) {
      waits.local.push(await firstAudio(local, textOf(turn)));
      waits.remote.push(await firstAudio(remote, textOf(turn)));
    }
    rates.local.push(await rateOf(local));
    rates.remote.push(await rateOf(remote));
  }
  const [direct, through] = [median(waits.local), median(waits.remote)];
  const throughput = median(rates.remote.map((rate, round) => rate / rates.local[round]!));
  return [
    { name: "first audio, 1 caller, its own engines, p50", value: direct, unit: "ms" },
    { name: "first audio, 1 caller, through an engine node, p50", value: through, unit: "ms" },
    {
      name: "first audio, added by the engine node",
      value: through - direct,
      unit: "ms",
      target: "at most 15",
    },
    {
      name: `synthesis, ${CALLERS} callers, its own engines`,
      value: median(rates.local),
      unit: "x realtime",
    },
    {
      name: `synthesis, ${CALLERS} callers, through an engine node`,
      value: median(rates.remote),
      unit: "x realtime",
    },
    { name: "synthesis, ratio of the two", value: throughput, unit: "x", target: "at least 0.9" },
  ];
}

/** Milliseconds. */
async function firstAudio(server: Server, input: string): Promise<number> {
  const begunMs = performance.now();
  const response = await speak(server, { input, response_format: "pcm", stream: true });
  let waitedMs: number | null = null;
  for await (const _chunk of response.body!) waitedMs ??= performance.now() - begunMs;
  return waitedMs ?? Number.NaN;
}

/** Seconds of audio made in a second. */
async function rateOf(server: Server): Promise<number> {
  let seconds = 0;
  const begunMs = performance.now();
  await inParallel(CALLERS, TURNS, async (turn) => {
    const made = await whole(server, textOf(turn));
    seconds += made;
  });
  return (seconds * 1000) / (performance.now() - begunMs);
}

async function whole(server: Server, input: string): Promise<number> {
  const bytes = await (await speak(server, { input })).arrayBuffer();
  return (bytes.byteLength - 44) / 2 / TTS_SAMPLE_RATE;
}

async function speak({ url, key }: Server, body: object): Promise<Response> {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-tts1", voice: "female-warm", ...body }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
