/**
 * Promise: live text of PocketSphinx has the words of recorded people as the file has them, whatever the frames in which the
 * audio arrives and the pauses in it: none is lost, none is doubled.
 */
import { afterAll, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import type { Engine } from "../../src/engine/registry.ts";
import { lazily, soleClaim } from "../../src/engine/runner.ts";
import { openScheduler } from "../../src/engine/scheduler.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { clip, hasClips, references } from "../clips.ts";
import { until } from "../until.ts";
import { openLiveStream } from "./live-stream.ts";

const isInstalled = installedFamilies().has("sphinx");
const unless = isInstalled && hasClips ? "" : " (skipped: libpocketsphinx or the recordings are not here)";
const WORKER = new URL("../../workers/asr/pocketsphinx/pocketsphinx.ts", import.meta.url);
const recognizer = openScheduler(
  lazily(() => openThreadPool(WORKER, { size: 1 })),
  { size: 1 },
);
afterAll(() => recognizer[Symbol.asyncDispose]());

const FRAMES_MS = [20, 100, 400, 1500];
const RECORDINGS = ["LJ001-0002", "LJ001-0008", "0930", "0880"];

async function textOf(samples: Float32Array): Promise<string> {
  const task = { samples: samples.slice(), spans: null, language: null, prompt: "", claim: soleClaim() };
  const hypotheses = await Array.fromAsync(recognize(recognizer, task));
  return hypotheses.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

/** In frames of any length, with a pause after some of them; the engine is waited for after some. */
async function liveTextOf(samples: Float32Array, seed: number): Promise<string> {
  const random = openRandom(seed);
  let running = 0;
  const engine: Engine = {
    run: async (...task) => {
      running++;
      return recognizer.run(...task).finally(() => running--);
    },
  };
  const texts: string[] = [];
  const { stream, settled } = openLiveStream(engine, { spoken: true, now: () => 0 }, (added) => {
    texts.push(...added.map(({ text }) => text));
  });
  for (let at = 0; at < samples.length; ) {
    const next = at + (FRAMES_MS[Math.floor(FRAMES_MS.length * random())]! * ASR_SAMPLE_RATE) / 1000;
    stream.push(samples.slice(at, next));
    at = next;
    if (random() < 0.1) stream.pause();
    if (random() < 0.5) await until(() => running === 0);
  }
  stream.finish(false);
  expect(await settled).toBe("completed");
  return texts.join(" ");
}

test.skipIf(unless !== "")(
  `live text of recorded people has the words of the file${unless}`,
  async () => {
    const chosen = references().filter(([path]) => RECORDINGS.some((name) => path.includes(name)));
    expect(chosen).toHaveLength(RECORDINGS.length);
    for (const [index, [path]] of chosen.entries()) {
      const samples = await clip(path);
      expect([path, await liveTextOf(samples, index + 1)]).toEqual([path, await textOf(samples)]);
    }
  },
  300_000,
);
