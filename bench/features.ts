/** How fast sound becomes the features that models read, on one core. */

import { nemoFeatures } from "../workers/asr/nemo/features.ts";
import { openWhisperFeatures } from "../workers/features/whisper.ts";
import { median, type Row, timed } from "./row.ts";

const SECONDS = 30;
const ROUNDS = 9;

export async function benchFeatures(): Promise<Row[]> {
  const samples = Float32Array.from({ length: SECONDS * 16_000 }, () => Math.random() - 0.5);
  const whisper = openWhisperFeatures(128);
  const makers: Record<string, () => unknown> = {
    "whisper, 128 mels": () => whisper(samples),
    "nemo, 128 mels": () => nemoFeatures(samples, 128, true),
  };
  const rows: Row[] = [];
  for (const [name, make] of Object.entries(makers)) {
    make(); // the first time, nothing is compiled yet
    const ms: number[] = [];
    for (let round = 0; round < ROUNDS; round++) ms.push(await timed(async () => make()));
    const value = (SECONDS * 1000) / median(ms);
    rows.push({ name: `features, ${name}`, value, unit: "x realtime", target: "at least 300" });
  }
  return rows;
}
