/** The five encoders, each over the same minute of spoken English, as multiples of realtime on one thread. */
import { openEncoder } from "../../src/audio/encode.ts";
import { AUDIO_FORMATS, type AudioFormat } from "../../src/audio/formats.ts";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { median, type Row, timed } from "../harness/row.ts";
import { textOf } from "../harness/texts.ts";

const RUNS = 5;
const SLICE = TTS_SAMPLE_RATE / 2;

export async function benchEncode(): Promise<Row[]> {
  const samples = await speech();
  const seconds = samples.length / TTS_SAMPLE_RATE;
  const rows: Row[] = [];
  for (const format of AUDIO_FORMATS) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push(await timed(() => encode(format, samples)));
    rows.push({ name: `encode ${format}`, value: (seconds * 1000) / median(times), unit: "x realtime" });
  }
  return rows;
}

async function encode(format: AudioFormat, samples: Float32Array): Promise<void> {
  const encoder = await openEncoder(format, { sampleRate: TTS_SAMPLE_RATE, sampleCount: null });
  for (let offset = 0; offset < samples.length; offset += SLICE)
    encoder.encode(samples.slice(offset, offset + SLICE));
  encoder.finish();
}

/** A minute of it. */
async function speech(): Promise<Float32Array> {
  const pool = openThreadPool(new URL("../../workers/tts/flite/flite.ts", import.meta.url), {
    size: 1,
  });
  const parts: Float32Array[] = [];
  let count = 0;
  for (let turn = 0; count < 60 * TTS_SAMPLE_RATE; turn++) {
    const task: SynthesisTask = {
      kind: "synthesis",
      text: textOf(turn),
      speaker: "slt",
      language: "en-US",
      speed: 1,
      instructions: "",
    };
    const part = await pool.run(task).then(samplesOf);
    parts.push(part);
    count += part.length;
  }
  await pool[Symbol.asyncDispose]();
  const joined = new Float32Array(count);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
