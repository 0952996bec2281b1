/**
 * Promise: with `semantic_vad` and published weights, a whole sentence ends soon, half of one is waited for, and the turn
 * detector is loaded before anyone speaks.
 *
 * The audio comes window by window, each after what the one before caused: as in real time on a machine that is fast enough.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join, toInt16 } from "../../../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { TurnDetector } from "../../../../src/realtime/session-runner.ts";
import { turnDetectorOf } from "../../../../src/server/live-engines.ts";
import { realStore, unlessReal } from "../../../../testing/packages/real-weights.ts";
import { clip } from "../../../clips.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { dial, scriptedLive } from "./live.ts";

setDefaultTimeout(120_000);

const unless = unlessReal("whisper", "vad", "turn");
const WINDOW = 512;
const quiet = (seconds: number) => new Float32Array(seconds * ASR_SAMPLE_RATE);
const joined = (...parts: Float32Array[]) => parts.reduce((all, part) => join(all, part));
const toMs = (samples: number) => (samples * 1000) / ASR_SAMPLE_RATE;

describe.skipIf(unless !== "")(`semantic_vad${unless}`, () => {
  let harness: Harness;
  let real: TurnDetector;
  const answers: number[] = [];
  let pending: Promise<unknown> = Promise.resolve();
  const turnDetector: TurnDetector = {
    warm: () => real.warm(),
    detect(samples) {
      const answer = real.detect(samples)!;
      pending = answer.then((probability) => answers.push(probability));
      return answer;
    },
  };

  beforeAll(async () => {
    harness = await openHarness({
      environment: { LOQUAT_WEIGHTS: realStore() },
      services: { live: scriptedLive().live, turnDetector },
    });
    real = turnDetectorOf(harness.parts.store, harness.parts.registry);
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  /** Where turns end, in milliseconds, and what the turn detector answered. */
  async function turnsOf(samples: Float32Array, eagerness = "auto") {
    answers.length = 0;
    const client = await dial(harness);
    const format = { type: "audio/pcm", rate: ASR_SAMPLE_RATE };
    const turn_detection = { type: "semantic_vad", eagerness };
    client.update({ type: "transcription", audio: { input: { format, turn_detection } } });
    await client.until("updated");
    const loaded = harness.parts.registry.loads().map(({ name }) => name);
    for (let from = 0, updates = 2; from < samples.length; from += WINDOW, updates++) {
      client.append(new Uint8Array(toInt16(samples.slice(from, from + WINDOW)).buffer));
      client.update({});
      await client.until("updated", updates);
      await pending;
    }
    client.close();
    const ends = client.events.flatMap(({ audio_end_ms: ms }) => (ms === undefined ? [] : [Number(ms)]));
    return { ends, loaded, answers: [...answers] };
  }

  test("ends a whole sentence soon after it, with the turn detector loaded before", async () => {
    const sentence = await clip("speech-en/quilter.wav");
    const { ends, loaded } = await turnsOf(joined(sentence, quiet(1)));
    expect(loaded).toContain("smart-turn-v3");
    expect(ends).toHaveLength(1);
    expect(ends[0]).toBeLessThan(toMs(sentence.length) + 400);
  });

  test("waits for the rest of a sentence that its speaker breaks off, and hears one turn", async () => {
    const sentence = await clip("speech-en/quilter.wav");
    const half = Math.floor(sentence.length * 0.6);
    const { ends } = await turnsOf(
      joined(sentence.slice(0, half), quiet(1.6), sentence.slice(half), quiet(1)),
    );
    expect(ends).toHaveLength(1);
    expect(ends[0]).toBeGreaterThan(toMs(sentence.length) + 1000);
  });

  test("ends half a sentence at the limit of eagerness, and asks again meanwhile", async () => {
    const sentence = await clip("speech-en/LJ001-0004.wav");
    const { ends, answers } = await turnsOf(joined(sentence, quiet(2.5)), "high");
    expect(answers.slice(-4).every((probability) => probability < 0.5)).toBe(true);
    expect(answers.length).toBeGreaterThanOrEqual(4);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toBeWithin(toMs(sentence.length) + 1600, toMs(sentence.length) + 2100);
  });
});
