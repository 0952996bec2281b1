/** Promise: the speed that a trial measures is that of an engine that is loaded, however long loading took; the loudness is that of the voices without a gain. */
import { afterEach, expect, jest, spyOn, test } from "bun:test";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { type Package, readPackages } from "../../../src/models/packages/package.ts";
import { speedOf } from "../../../src/server/engines/speeds.ts";
import { synthesizeOnce } from "../../../src/server/engines/trial.ts";

const pkg = readPackages("models").get("piper-en-joe") as Package;
const SECOND = 24_000;

afterEach(() => jest.restoreAllMocks());

/** The speed of an engine that loads and then takes a second for each run, of two seconds of speech. */
async function speedAfter(loadingMs: number): Promise<number | null> {
  let nowMs = 0;
  let runs = 0;
  spyOn(performance, "now").mockImplementation(() => nowMs);
  const run = async () => {
    nowMs += runs++ === 0 ? loadingMs : 1000;
    return new Float32Array(2 * SECOND).map((_, at) => 0.2 * Math.sin(at / 9));
  };
  const engine = { run } as never;
  const open = { registry: { engine: () => engine }, record: null as never };
  const trial = await synthesizeOnce(engine, pkg, open);
  expect(trial.fault).toBeNull();
  return speedOf(pkg, trial);
}

test("an engine that loads for a minute, on a busy machine, is as fast as one that loads at once", async () => {
  const speed = await speedAfter(100);
  expect(speed).toBeGreaterThan(1.5);
  expect(await speedAfter(60_000)).toBeCloseTo(speed!, 0);
});

/** What a trial of a package measures: each voice speaks a tone of its amplitude, and a text takes so long. */
async function loudnessIn(pkg: Package, { voices, ms }: { voices: Record<string, number>; ms: number }) {
  let nowMs = 0;
  spyOn(performance, "now").mockImplementation(() => nowMs);
  const run = async (task: SynthesisTask) => {
    expect(task.gain).toBe(1);
    nowMs += ms;
    const amplitude = voices[task.speaker]!;
    return Float32Array.from({ length: 2 * SECOND }, (_, at) => amplitude * Math.sin((Math.PI * at) / 12));
  };
  const engine = { run } as never;
  return (await synthesizeOnce(engine, pkg, { registry: { engine: () => engine }, record: null as never }))
    .loudness;
}

const joe = pkg.voices![0]!;
const voicesOf = (...speakers: string[]) => speakers.map((speaker) => ({ ...joe, speaker }));

test("it measures each voice as its engine makes it", async () => {
  const two = { ...pkg, voices: voicesOf("joe", "jane") };
  const { joe: loud, jane: quiet } = await loudnessIn(two, { voices: { joe: 0.2, jane: 0.1 }, ms: 1000 });
  expect(loud).toBeCloseTo(-17, 0); // a tone of 1 kHz at -14 dBFS, in one channel
  expect(loud! - quiet!).toBeCloseTo(6.02, 1);
});

test("of many voices it measures those that ten seconds are enough for", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `v${index}`);
  const voices = Object.fromEntries(names.map((name) => [name, 0.1]));
  const measured = await loudnessIn({ ...pkg, voices: voicesOf(...names) }, { voices, ms: 1500 });
  expect(Object.keys(measured).length).toBeGreaterThan(2);
  expect(Object.keys(measured).length).toBeLessThan(9);
});

test("of voices whose loudness is published it measures one, which it speaks with anyway", async () => {
  const kokoro = readPackages("models").get("kokoro-82m") as Package;
  const measured = await loudnessIn(kokoro, { voices: { af_heart: 0.1 }, ms: 1000 });
  expect(Object.keys(measured)).toEqual(["af_heart"]);
});
