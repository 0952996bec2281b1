/** The speed of feature extraction and of text normalization on one core. */

import { normalizeText } from "../../src/speech/text/normalize.ts";
import { nemoFeatures } from "../../workers/features/nemo.ts";
import { openWhisperFeatures } from "../../workers/features/whisper.ts";
import { median, type Row, timed } from "../harness/row.ts";
import { textOf, uglyText } from "../harness/texts.ts";

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
  return [...rows, ...(await benchText())];
}

const CHARACTERS = 8000;

async function benchText(): Promise<Row[]> {
  const texts = {
    "the ugliest text": uglyText(CHARACTERS),
    prose: Array.from({ length: CHARACTERS / 200 }, (_, turn) => textOf(turn)).join(" "),
  };
  const rows: Row[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const ms: number[] = [];
    for (let round = 0; round < 4 * ROUNDS; round++)
      ms.push(await timed(async () => normalizeText(text, "en-US")));
    const row = { name: `features, 8,000 characters of ${name} read`, value: median(ms), unit: "ms" };
    rows.push({ ...row, target: "at most 20" });
  }
  return rows;
}
