/** Promise: an idle thread gives the memory of its decoder back, and recognizes the same words afterwards. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { openScheduler } from "../../../src/engine/scheduler.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { worker } from "../../../src/resources.ts";
import { recognize } from "../../../src/transcription/recognize.ts";
import { until } from "../../until.ts";

setDefaultTimeout(120_000);

const installed = installedFamilies().has("sphinx");
const unlessInstalled = installed ? "" : " (skipped: libpocketsphinx is not installed)";

const IDLE_MS = 300;
const LEAST_MIB = 60; // a decoder holds about 100

const anonymousMib = () =>
  Number(/^Pss_Anon:\s+(\d+)/m.exec(readFileSync("/proc/self/smaps_rollup", "utf8"))![1]) / 1024;

async function spokenSentence(): Promise<Float32Array> {
  await using voices = openThreadPool(worker("tts/flite/flite"), { size: 1 });
  const text = "The quick brown fox jumps over the lazy dog.";
  const task: SynthesisTask = {
    kind: "synthesis",
    text,
    speaker: "slt",
    language: "en",
    speed: 1,
    instructions: "",
  };
  return resample(await voices.run(task).then(samplesOf), TTS_SAMPLE_RATE, ASR_SAMPLE_RATE);
}

test.skipIf(!installed)(`an idle decoder is freed, and opened again on use${unlessInstalled}`, async () => {
  const spoken = await spokenSentence();
  const options = { size: 1, data: { idleMs: IDLE_MS } };
  await using recognizer = openScheduler(
    openThreadPool(worker("asr/pocketsphinx/pocketsphinx"), options),
    options,
  );
  const hypotheses = () =>
    Array.fromAsync(
      recognize(recognizer, {
        samples: spoken.slice(),
        spans: [{ start: 0, end: spoken.length }],
        language: null,
        prompt: "",
        claim: soleClaim(),
      }),
    );
  const first = await hypotheses();
  expect(first.flatMap(({ words }) => words).length).toBeGreaterThan(5);
  const loadedMib = anonymousMib();
  await until(() => anonymousMib() < loadedMib - LEAST_MIB);
  expect(await hypotheses()).toEqual(first);
});
