/** Promise: features equal the goldens that the models were trained on, and do not depend on chunking. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import type { Features } from "../../../workers/features/frames.ts";
import { slaneyFilters } from "../../../workers/features/mel.ts";
import { NemoStream, nemoFeatures } from "../../../workers/features/nemo.ts";
import { Spectrum } from "../../../workers/features/spectrum.ts";
import { openWhisperFeatures } from "../../../workers/features/whisper.ts";
import { goldenSignal } from "./signal.ts";

const GOLDENS = new URL("../../../../shared/goldens/features.json", import.meta.url);
const hasGoldens = existsSync(GOLDENS);
const unlessGoldens = hasGoldens ? "" : " (skipped: no goldens here)";
const goldens = hasGoldens ? JSON.parse(readFileSync(GOLDENS, "utf8")) : {};

type Golden = { shape: [number, number]; mean: number; std: number; frames: Record<string, number[]> };

const signal = goldenSignal();

/** Whisper's last eight seconds are left-padded for smart-turn. */
const turn = () => {
  const padded = new Float32Array(8 * 16_000);
  padded.set(signal, padded.length - signal.length);
  return openWhisperFeatures(80, 8)(padded);
};

const CASES: [name: string, make: () => Features][] = [
  ["whisper80", () => openWhisperFeatures(80)(signal)],
  ["whisper128", () => openWhisperFeatures(128)(signal)],
  ["whisper80_8s_left_padded_smart_turn_unnormalised", turn],
  ["nemo128_per_feature", () => nemoFeatures(signal, 128, true)],
  ["nemo80_per_feature", () => nemoFeatures(signal, 80, true)],
  ["nemo128_no_norm(nemotron)", () => nemoFeatures(signal, 128, false)],
];

describe.skipIf(!hasGoldens)(`features equal the goldens${unlessGoldens}`, () => {
  test("the features of the test signal equal the goldens", () => {
    expect(signal).toHaveLength(goldens.signal.n);
    for (const [at, value] of goldens.signal.first8.entries()) expect(signal[at]).toBeCloseTo(value, 6);
    for (const [at, value] of Object.entries(goldens.signal.at as Record<string, number>))
      expect(signal[Number(at)]).toBeCloseTo(value, 6);
  });

  test.each(CASES)("of %s", (name, make) => {
    const golden = goldens[name] as Golden;
    const { frames, mels, rows } = make();
    expect([mels, frames]).toEqual(golden.shape);
    for (const [frame, values] of Object.entries(golden.frames))
      for (const [mel, value] of values.entries())
        expect(Math.abs(rows[Number(frame) * mels + mel]! - value)).toBeLessThan(1e-4);
    const mean = rows.reduce((sum, value) => sum + value, 0) / rows.length;
    const deviation = Math.sqrt(rows.reduce((sum, value) => sum + (value - mean) ** 2, 0) / rows.length);
    expect(Math.abs(mean - golden.mean)).toBeLessThan(1e-4);
    expect(Math.abs(deviation - golden.std)).toBeLessThan(1e-4);
  });

  test.each([
    [201, 80],
    [201, 128],
    [257, 80],
    [257, 128],
  ])("of Slaney's filters, %d bins, %d mels", (bins, mels) => {
    const golden = goldens[`filterbank_slaney_${bins}x${mels}`];
    const filters = slaneyFilters({ mels, fftSize: (bins - 1) * 2, sampleRate: 16_000 });
    const weights = Array.from({ length: bins }, (_, bin) => {
      const out = new Float64Array(mels);
      filters.apply(
        Float64Array.from({ length: bins }, (_, at) => (at === bin ? 1 : 0)),
        out,
      );
      return out;
    });
    const sum = weights.reduce((all, row) => all + row.reduce((one, value) => one + value, 0), 0);
    expect(Math.abs(sum - golden.sum)).toBeLessThan(1e-5);
    for (const [bin, value] of golden.row0.entries()) expect(weights[bin]![0]).toBeCloseTo(value, 6);
    for (const [bin, value] of golden.row_last_nonzero) expect(weights[bin]![mels - 1]).toBeCloseTo(value, 6);
  });
});

describe("the Fourier transform", () => {
  test.each([16, 20, 40, 400, 512])("of %d samples equals its definition", (size) => {
    const frame = Float64Array.from({ length: size }, (_, at) => Math.sin(at * at) + 0.1);
    const spectrum = new Spectrum(size);
    const power = new Float64Array(spectrum.bins);
    spectrum.power(frame, power);
    for (let k = 0; k < spectrum.bins; k++) {
      let [re, im] = [0, 0];
      for (let at = 0; at < size; at++) {
        re += frame[at]! * Math.cos((-2 * Math.PI * k * at) / size);
        im += frame[at]! * Math.sin((-2 * Math.PI * k * at) / size);
      }
      expect(Math.abs(power[k]! - (re * re + im * im))).toBeLessThan(1e-8);
    }
  });
});

test("a stream has the frames of the whole recording, for any chunking", () => {
  const whole = nemoFeatures(signal, 80, false).rows;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1 }), (sizes) => {
      const stream = new NemoStream(80);
      const rows: number[] = [];
      for (let at = 0, next = 0; at < signal.length; next++) {
        const size = sizes[next % sizes.length]!;
        rows.push(...stream.push(signal.subarray(at, at + size)));
        at += size;
      }
      rows.push(...stream.finish());
      expect(rows.slice(0, whole.length)).toEqual([...whole]);
    }),
    { numRuns: 20 },
  );
});

test.each([0, 1, 100, 159, 160, 161, 400])("%d samples give finite features", (length) => {
  const few = signal.subarray(0, length);
  expect(nemoFeatures(few, 80, false).frames).toBe(Math.floor(length / 160));
  expect(openWhisperFeatures(80)(few).rows.every(Number.isFinite)).toBe(true);
});
