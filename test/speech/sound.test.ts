/** Promise: post-processing keeps the sound: no clicks at the edges, no pitch change with the pace, no clipping. */
import { describe, expect, test } from "bun:test";
import { timeStretch } from "../../src/audio/time-stretch.ts";
import { amplify } from "../../workers/tts/level.ts";
import { parseProsody } from "../../workers/tts/prosody.ts";
import { trimEdges } from "../../workers/tts/trim-silence.ts";

const RATE = 24_000;
const tone = (seconds: number, hertz = 200, gain = 0.5) =>
  Float32Array.from(
    { length: Math.round(seconds * RATE) },
    (_, i) => gain * Math.sin((2 * Math.PI * hertz * i) / RATE),
  );
const silence = (seconds: number) => new Float32Array(Math.round(seconds * RATE));
const join = (...parts: Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));
const crossings = (samples: Float32Array) =>
  samples.reduce((count, sample, i) => count + (i > 0 && samples[i - 1]! < 0 && sample >= 0 ? 1 : 0), 0);

describe("trimming", () => {
  test("removes silence around speech, and keeps silence inside", () => {
    const { samples: trimmed } = trimEdges(
      join(silence(1), tone(0.5), silence(0.7), tone(0.5), silence(2)),
      RATE,
    );
    expect(trimmed.length / RATE).toBeCloseTo(1.7 + 0.06, 2);
  });
  test("fades a clip that starts and ends at full amplitude", () => {
    const { samples: trimmed } = trimEdges(new Float32Array(RATE).fill(0.8), RATE);
    expect(trimmed[0]).toBe(0);
    expect(trimmed.at(-1)).toBe(0);
    expect(trimmed[RATE / 2]).toBeCloseTo(0.8);
  });
  test("silence alone is trimmed to nothing", () => {
    expect(trimEdges(silence(1), RATE).samples.length).toBe(0);
    expect(trimEdges(silence(0), RATE).samples.length).toBe(0);
  });
});

describe("time stretching", () => {
  test.each([0.5, 0.8, 1.25, 1.6, 2])("to pace %d scales the length and keeps the pitch", (tempo) => {
    const stretched = timeStretch(tone(2), tempo, RATE);
    expect(stretched.length / RATE).toBeCloseTo(2 / tempo, 2);
    expect(crossings(stretched) / (stretched.length / RATE)).toBeCloseTo(200, -1);
  });
  test("returns clips unchanged that are too short", () => {
    const clip = tone(0.01);
    expect(timeStretch(clip, 2, RATE)).toBe(clip);
  });
});

describe("instructions", () => {
  test.each([
    ["", { rate: 1, pitch: 1, gain: 1 }],
    ["Speak SLOWER, and softer.", { rate: 0.8, pitch: 1, gain: 0.5 }],
    ["quickly! higher! louder!", { rate: 1.25, pitch: 1.2, gain: 1.6 }],
    ["like a pirate; __proto__ constructor", { rate: 1, pitch: 1, gain: 1 }],
    ["fasten your seatbelt slowly", { rate: 0.8, pitch: 1, gain: 1 }],
  ])("%j are parsed", (instructions, delivery) => {
    expect(parseProsody(instructions)).toEqual(delivery);
  });
  test("for loudness never clip when louder, and always shrink when softer", () => {
    const loud = tone(0.1, 200, 0.9);
    amplify(loud, 1.6);
    expect(Math.max(...loud)).toBeLessThanOrEqual(0.78);
    const soft = tone(0.1, 200, 0.9);
    amplify(soft, 0.5);
    expect(Math.max(...soft)).toBeCloseTo(0.45, 2);
  });
});
