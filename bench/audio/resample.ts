/** The speed of rate conversions on one core: speech of eSpeak NG, uploads, and live audio in pieces of 20 ms. */
import { Resampler, resample } from "../../src/audio/resample/resample.ts";
import { median, type Row, timed } from "../harness/row.ts";

const SECONDS = 10;
const ROUNDS = 25;
const PIECE_SECONDS = 0.02;

export async function benchResample(): Promise<Row[]> {
  return [
    await row("22.05 to 24 kHz", () => resample(noise(22_050), 22_050, 24_000)),
    await row("44.1 to 16 kHz", () => resample(noise(44_100), 44_100, 16_000)),
    await row("24 to 16 kHz", () => resample(noise(24_000), 24_000, 16_000)),
    await row("24 to 16 kHz, in pieces of 20 ms", () => inPieces(24_000, 16_000)),
  ];
}

const noises = new Map<number, Float32Array>();

function noise(rate: number): Float32Array {
  const known = noises.get(rate);
  if (known) return known;
  const made = Float32Array.from({ length: SECONDS * rate }, () => Math.random() - 0.5);
  noises.set(rate, made);
  return made;
}

function inPieces(from: number, to: number): void {
  const samples = noise(from);
  const resampler = new Resampler(from, to);
  const length = from * PIECE_SECONDS;
  for (let at = 0; at < samples.length; at += length) resampler.push(samples.subarray(at, at + length));
}

async function row(name: string, convert: () => unknown): Promise<Row> {
  convert(); // the first time, nothing is compiled yet
  const ms: number[] = [];
  for (let round = 0; round < ROUNDS; round++) ms.push(await timed(async () => convert()));
  const value = (SECONDS * 1000) / median(ms);
  return { name: `resample, ${name}`, value, unit: "x realtime", target: "at least 1000" };
}
