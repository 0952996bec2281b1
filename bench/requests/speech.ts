/**
 * Time to first audio and throughput of speech over HTTP, with the real server.
 *
 * "The engine alone" is the same worker pool with the same plans and nothing around it; both run in turns.
 */

import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import type { Runner } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { inParallel, median, quantile, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";

const VOICE = { id: "female-warm", speaker: "slt" };
const CALLERS = [1, 8];
const TURNS = 40;
const ROUNDS = 5;

export async function benchSpeech(): Promise<Row[]> {
  await using server = await startServer();
  const size = navigator.hardwareConcurrency;
  const pool = openThreadPool(new URL("../../workers/tts/flite/flite.ts", import.meta.url), {
    size,
  });
  const rows: Row[] = [];
  try {
    await inParallel(4, 8, async (turn) => void (await whole(server, textOf(turn))));
    for (const callers of CALLERS) rows.push(...(await benchFirstAudio(server, callers)));
    for (const callers of CALLERS) rows.push(...(await benchRate(server, pool, callers)));
  } finally {
    await pool[Symbol.asyncDispose]();
  }
  return rows;
}

async function benchFirstAudio(server: Server, callers: number): Promise<Row[]> {
  const waits = await firstAudioWaits(server, callers);
  const name = `first audio, ${callers} callers, 200 characters`;
  const target = callers === 1 ? { target: "at most 150" } : {};
  return [
    { name: `${name}, p50`, value: median(waits), unit: "ms", ...target },
    { name: `${name}, p95`, value: quantile(waits, 0.95), unit: "ms" },
  ];
}

/** Milliseconds from each request of a stream to its first byte of audio. */
export async function firstAudioWaits(server: Server, callers: number): Promise<number[]> {
  const waits: number[] = [];
  await inParallel(callers, TURNS, async (turn) => {
    const begun = performance.now();
    const response = await speak(server, { input: textOf(turn), response_format: "pcm", stream: true });
    let first = true;
    for await (const _chunk of response.body!) {
      if (first) waits.push(performance.now() - begun);
      first = false;
    }
  });
  return waits;
}

async function benchRate(server: Server, pool: Runner, callers: number): Promise<Row[]> {
  const served: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    served.push(await rateOf(callers, (text) => whole(server, text)));
    alone.push(await rateOf(callers, (text) => engineOnly(pool, text)));
  }
  const name = `synthesis, ${callers} callers`;
  return [
    { name, value: median(served), unit: "x realtime" },
    { name: `${name}, the engine alone`, value: median(alone), unit: "x realtime" },
    {
      name: `${name}, ratio to the engine`,
      value: median(served) / median(alone),
      unit: "x",
      target: "at least 0.8",
    },
  ];
}

/** Seconds of audio made in a second. */
export async function rateOf(
  callers: number,
  make: (text: string) => Promise<number>,
  turns = TURNS,
): Promise<number> {
  let seconds = 0;
  const begun = performance.now();
  await inParallel(callers, turns, async (turn) => {
    const made = await make(textOf(turn)); // not in one line with the sum: it would lose what others add meanwhile
    seconds += made;
  });
  return (seconds * 1000) / (performance.now() - begun);
}

/** Seconds of the audio of a text, spoken as a whole. */
export async function whole(server: Server, input: string, fields: object = {}): Promise<number> {
  const response = await speak(server, { input, ...fields });
  const bytes = await response.arrayBuffer();
  return (bytes.byteLength - 44) / 2 / TTS_SAMPLE_RATE;
}

async function engineOnly(pool: Runner, input: string): Promise<number> {
  const segments = planSpeech(input, "en").map(({ text }) => {
    const task: SynthesisTask = {
      kind: "synthesis",
      text,
      speaker: VOICE.speaker,
      language: "en-US",
      speed: 1,
      instructions: "",
    };
    return pool.run(task).then(samplesOf);
  });
  const parts = await Promise.all(segments);
  return parts.reduce((sum, { length }) => sum + length, 0) / TTS_SAMPLE_RATE;
}

export async function speak({ url, key }: Server, body: object): Promise<Response> {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-tts1", voice: VOICE.id, ...body }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
