/**
 * Spoken turns of this server and of a Pipecat pipeline, in turns of one run: the same recording and frames of 20 ms, the
 * recognizer and the voice of this server, the same stub of a language model, and a pause of 500 ms that ends a turn.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toInt16 } from "../../src/audio/pcm.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { pythonCommand } from "../../test/api/v1/clients/python.ts";
import { openStub } from "../../test/llm-stub.ts";
import { median, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { dial, framesOf, stream } from "./caller.ts";

const ROUNDS = 2;
const FRAME_MS = 20;
const PAUSE_MS = 500;

/** `question`: 24 kHz pcm. No rows where Pipecat cannot be installed. */
export async function* besidePipecat(question: Uint8Array, turns: number): AsyncGenerator<Row> {
  const { command } = pythonCommand(new URL("pipecat_turns.py", import.meta.url).href);
  if (command === null) return;
  await using stub = await openStub();
  await using server = await startServer({
    ...{ LOQUAT_THREADS: "2", LOQUAT_PLAN: "unmetered" }, // whose voices have the names that Pipecat takes
    ...{ LOQUAT_LLM_URL: stub.url, LOQUAT_LLM_API: "vllm", LOQUAT_LLM_MODEL: "echo" },
  });
  using recording = recordingOf(question);
  const [ours, theirs]: number[][] = [[], []];
  const each = Math.ceil(turns / ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < each; turn++) ours!.push(await firstSound(server, question));
    const run = [...command, server.url, server.key, stub.url, recording.path, String(each)];
    const child = Bun.spawn(run, { stdout: "pipe", stderr: "ignore" });
    const found = (await child.stdout.json()) as (number | null)[];
    theirs!.push(...found.map((ms) => ms ?? Number.POSITIVE_INFINITY)); // it did not answer
  }
  const [own, other] = [median(ours!) - PAUSE_MS, median(theirs!) - PAUSE_MS];
  yield { name: "in turns with Pipecat: first sound beyond the pause, p50", value: own, unit: "ms" };
  yield { name: "Pipecat: first sound beyond the pause, p50", value: other, unit: "ms" };
  yield { name: "Pipecat's, of ours", value: other / own, unit: "x" };
}

/** In a file, as Pipecat listens. */
function recordingOf(question: Uint8Array): Disposable & { path: string } {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const path = join(folder, "question.pcm");
  const samples = Float32Array.from(new Int16Array(question.slice().buffer), (sample) => sample / 32_768);
  writeFileSync(path, new Uint8Array(toInt16(resample(samples, 24_000, 16_000)).buffer));
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Of an answer, in milliseconds after the last sample of speech. */
async function firstSound(server: Server, question: Uint8Array): Promise<number> {
  const caller = await dial(server, "model=assistant");
  let atMs: number | null = null;
  const sound = caller.next("output_audio.delta").then((ms) => {
    atMs = ms;
  });
  await stream(caller, framesOf(question, FRAME_MS), FRAME_MS);
  const spokenMs = performance.now();
  const quiet = framesOf(new Uint8Array(48 * FRAME_MS), FRAME_MS);
  while (atMs === null)
    await Promise.race([sound, stream(caller, quiet, FRAME_MS).then(() => Bun.sleep(FRAME_MS))]);
  caller.close();
  return atMs - spokenMs;
}
