/**
 * The report of `wyoming-bench` on the server's Wyoming port and on those of wyoming-faster-whisper and wyoming-piper, on the
 * same weights with as many threads: Whisper tiny.en, whose weights are the same numbers in another format, and Piper's Joe.
 * The servers of one kind run at once and are asked in turn; the others have nothing to do then.
 *
 *   BENCH_WYOMING_ROUNDS=3 npm run bench -- wyoming
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { clip, references } from "../../test/clips.ts";
import { freePort } from "../../test/free-port.ts";
import {
  REAL_VOICES,
  realStore,
  realVoices,
  realWeights,
  unlessReal,
} from "../../testing/packages/real-weights.ts";
import { pythonWith } from "../../testing/python.ts";
import type { Row } from "../harness/row.ts";
import { startNode, wyomingKeyIn } from "../harness/server.ts";

const PACKAGES = ["wyoming-bench==2026.10.0", "wyoming-faster-whisper==3.8.1", "wyoming-piper==2.5.2"];
const ASK = "from wyoming_bench.cli import main; main()";
const THREADS = 2;
const ROUNDS = Bun.env.BENCH_WYOMING_ROUNDS ?? "3";
const READY_MS = 120_000;
const POLL_MS = 200;
const PIPER_VOICE = "en_US-joe-medium";

/** A server on a port of this machine. */
type Served = AsyncDisposable & { port: number };

export async function* benchWyoming(): AsyncGenerator<Row> {
  const missing = unlessReal("whisper", "vad", "turn", "piper", "kokoro");
  const python = missing === "" ? pythonWith(PACKAGES) : null;
  if (python === null) {
    const why = missing || ` (skipped: ${PACKAGES.join(", ")} cannot be installed)`;
    return yield { name: `wyoming-bench${why}`, value: 0, unit: "reports" };
  }
  const folder = mkdtempSync(join(tmpdir(), "loquat-wyoming-"));
  try {
    yield await transcription(python, folder);
    yield await synthesis(python, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The servers are closed once the report is complete. */
async function transcription(python: string, folder: string): Promise<Row> {
  const corpus = join(folder, "corpus");
  mkdirSync(corpus);
  for (const [index, [path, text]] of references().entries()) {
    const samples = toInt16(await clip(path));
    const wav = [wavHeader(samples.length, ASR_SAMPLE_RATE), new Uint8Array(samples.buffer)];
    writeFileSync(join(corpus, `${index}.wav`), Buffer.concat(wav));
    writeFileSync(join(corpus, `${index}.txt`), text);
  }
  await using own = await loquat(realStore(), folder);
  await using peer = await program(python, "wyoming-faster-whisper", [
    ...["--model", realWeights("whisper")!, "--language", "en", "--stt-library", "faster-whisper"],
    ...["--cpu-threads", `${THREADS}`, "--data-dir", folder, "--local-files-only"],
  ]);
  return await report(python, [own, peer], ["stt", "--corpus", corpus]);
}

async function synthesis(python: string, folder: string): Promise<Row> {
  await using own = await loquat(realVoices(), folder);
  await using peer = await program(python, "wyoming-piper", [
    ...["--voice", PIPER_VOICE, "--data-dir", realWeights("piper")!, "--download-dir", folder],
    "--local-files-only",
  ]);
  const names = [REAL_VOICES.piper, PIPER_VOICE];
  const config = names.map((name) => JSON.stringify({ voice: { name } }));
  for (const [index, served] of [own, peer].entries())
    await report(python, [served], ["tts", "--config", config[index]!]);
  return { name: "wyoming-bench tts, Loquat and wyoming-piper", value: 2, unit: "reports" };
}

/** Prints what wyoming-bench says of servers, which it asks in turn. */
async function report(python: string, servers: Served[], [command, ...options]: string[]): Promise<Row> {
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  const asked = [python, "-c", ASK, command!, ...addresses, ...options];
  const child = Bun.spawn([...asked, "--rounds", ROUNDS], { stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`wyoming-bench ${command} failed`);
  return { name: `wyoming-bench ${command}, its report is above`, value: servers.length, unit: "servers" };
}

async function loquat(weights: string, folder: string): Promise<Served> {
  const LOQUAT_DATA = mkdtempSync(join(folder, "data-"));
  const plan = { LOQUAT_PLAN: "unmetered" }; // of the organization that the first start makes
  const LOQUAT_WYOMING_KEY = await wyomingKeyIn({ LOQUAT_DATA, ...plan });
  const port = freePort();
  const listening = { LOQUAT_DATA, LOQUAT_WYOMING_KEY, LOQUAT_WYOMING_PORT: `${port}` };
  const engines = { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: `${THREADS}` };
  const node = await startNode({ ...listening, ...engines, ...plan });
  return { port, [Symbol.asyncDispose]: () => node[Symbol.asyncDispose]() };
}

async function program(python: string, name: string, options: string[]): Promise<Served> {
  const port = freePort();
  const env = { ...process.env, OMP_NUM_THREADS: `${THREADS}` };
  const command = [python, "-m", name.replaceAll("-", "_"), "--uri", `tcp://127.0.0.1:${port}`, ...options];
  const child = Bun.spawn(command, { env, stdout: "inherit", stderr: "inherit" });
  for (let waited = 0; !(await listens(port)); waited += POLL_MS) {
    if (child.exitCode !== null || waited > READY_MS) throw new Error(`${name} does not listen`);
    await Bun.sleep(POLL_MS);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
