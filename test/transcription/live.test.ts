/** Promise: live words are never taken back, none is missing, and a failing engine fails one utterance. */
import { describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { RecognitionTask, Word } from "../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";
import type { Claim } from "../../src/engine/runner.ts";
import { Refusal } from "../../src/errors.ts";
import { openLiveStream } from "./live-stream.ts";

const SECOND = ASR_SAMPLE_RATE;

/** Hears one word a second: the level of that second, which only the second after it settles. */
function scripted(fail: (run: number) => boolean = () => false) {
  const runs: { seconds: number; urgency: Claim["urgency"]; spans: RecognitionTask["spans"] }[] = [];
  const engine: Engine = {
    async run<T>(task: object, { urgency }: Claim): Promise<T> {
      const { samples, port, spans } = task as RecognitionTask;
      runs.push({ seconds: samples.length / SECOND, urgency, spans });
      if (fail(runs.length)) throw new Error("torn");
      port.postMessage({ start: 0, end: samples.length / SECOND, words: wordsIn(samples) });
      return 1 as T;
    },
  };
  return { engine, runs };
}

function wordsIn(samples: Float32Array): Word[] {
  return Array.from({ length: Math.ceil(samples.length / SECOND) }, (_, index) => {
    const level = samples[Math.min(index * SECOND + 10, samples.length - 1)]!;
    const sure = samples.length >= (index + 1) * SECOND;
    return {
      text: sure ? `w${Math.round(level * 1000)}` : "er",
      start: index,
      end: index + 1,
      confidence: 1,
    };
  });
}

const second = (value: number) => new Float32Array(SECOND).fill(value / 1000);

function openStream(engine: Engine, spoken = true) {
  const sent: string[][] = [];
  return { sent, ...openLiveStream(engine, { spoken }, (words) => sent.push(words.map(({ text }) => text))) };
}

/** Until the engine's results have arrived: they need a few turns of the event loop. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

describe("a live stream", () => {
  test("sends words during speech, once each", async () => {
    const { engine, runs } = scripted();
    const { stream, sent, settled } = openStream(engine);
    for (let index = 1; index <= 5; index++) {
      stream.push(second(index));
      await idle();
    }
    expect(sent.flat()).toEqual(["w1", "w2", "w3", "w4"]);
    stream.finish(false);
    expect(await settled).toBe("completed");
    expect(sent.flat()).toEqual(["w1", "w2", "w3", "w4", "w5"]);
    expect(runs.at(-1)).toEqual({ seconds: 5, urgency: "streaming", spans: [{ start: 0, end: 5 * SECOND }] });
  });

  test("does not recognize an utterance again that ends after a pause", async () => {
    const { engine, runs } = scripted();
    const { stream, sent, settled } = openStream(engine);
    stream.push(second(1));
    await idle();
    stream.push(second(2).subarray(0, 1600));
    stream.pause();
    await idle();
    const before = runs.length;
    stream.push(second(0).subarray(0, 4800));
    stream.finish(true);
    expect(await settled).toBe("completed");
    expect([runs.length, sent.flat()]).toEqual([before, ["w1", "er"]]);
  });

  test("does not wait for a run of less when the utterance ends", async () => {
    const { engine, runs } = scripted();
    const stuck: Engine = {
      run: (task, claim, transfer) =>
        runs.length === 1
          ? new Promise((_, reject) => {
              runs.push({ seconds: 0, urgency: claim.urgency, spans: null });
              claim.signal.addEventListener("abort", () => reject(claim.signal.reason));
            })
          : engine.run(task, claim, transfer),
    };
    for (const paused of [false, true]) {
      runs.length = 0;
      const { stream, sent, settled } = openStream(stuck);
      stream.push(second(1));
      await idle();
      stream.push(second(2));
      stream.push(second(3));
      if (paused) stream.pause();
      stream.finish(paused);
      expect(await settled).toBe("completed");
      expect([sent.flat(), runs.at(-1)!.urgency]).toEqual([["w1", "w2", "w3"], "realtime"]);
    }
  });

  test("does not recognize the silence after a pause, and ends without waiting where it does", async () => {
    const { engine, runs } = scripted();
    const { stream, sent, settled } = openStream(engine);
    stream.push(second(1));
    await idle();
    stream.pause();
    await idle();
    const before = runs.length;
    for (let tenth = 0; tenth < 7; tenth++) stream.push(second(0).subarray(0, SECOND / 10));
    await idle();
    expect(runs).toHaveLength(before);
    stream.push(second(0).subarray(0, SECOND / 5));
    expect(runs).toHaveLength(before + 1);
    stream.finish(true);
    expect([await settled, sent.flat()]).toEqual(["completed", ["w1"]]);
  });

  test("recognizes an utterance committed during speech to its last sample", async () => {
    const { engine } = scripted();
    const { stream, sent, settled } = openStream(engine);
    stream.push(second(1));
    stream.pause();
    await idle();
    stream.push(second(2));
    stream.finish(false);
    await settled;
    expect(sent.flat()).toEqual(["w1", "w2"]);
  });

  test("without partial results recognizes an utterance at its end, a long one in parts", async () => {
    const { engine, runs } = scripted();
    const { stream, sent, settled } = openStream(engine, false);
    for (let index = 1; index <= 40; index++) stream.push(second(index));
    stream.finish(false);
    expect(await settled).toBe("completed");
    expect(Math.max(...runs.map(({ seconds }) => seconds))).toBeLessThanOrEqual(12);
    expect(runs.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(1.4 * 40);
    expect(runs.every(({ spans }) => spans === null)).toBe(true);
    expect(sent.flat().filter((text) => text !== "er")).toHaveLength(new Set(sent.flat()).size);
  });

  test("reports how far behind it is, and nothing once it is closed", async () => {
    const { engine } = scripted();
    const { stream, sent } = openStream(engine, false);
    for (let index = 1; index <= 3; index++) stream.push(second(index));
    expect(stream.behindSeconds()).toBe(3);
    stream.drop();
    expect(stream.behindSeconds()).toBe(0);
    await idle();
    expect(sent).toEqual([]);
  });

  test("completes an empty utterance with an empty transcript", async () => {
    const { stream, sent, settled } = openStream(scripted().engine);
    stream.finish(false);
    expect([await settled, sent]).toEqual(["completed", []]);
  });
});

describe("an engine failure", () => {
  test("an engine failure during an utterance is retried", async () => {
    const { engine } = scripted((run) => run === 1);
    const { stream, sent, settled } = openStream(engine);
    stream.push(second(1));
    await idle();
    stream.finish(false);
    expect([await settled, sent.flat()]).toEqual(["completed", ["w1"]]);
  });

  test("an engine failure at the end fails the utterance", async () => {
    const { engine } = scripted(() => true);
    const { stream, settled } = openStream(engine);
    stream.push(second(1));
    await idle();
    stream.finish(false);
    const outcome = await settled;
    expect(outcome).toBeInstanceOf(Refusal);
    expect(outcome).toMatchObject({ code: "transcription_failed" });
    expect(stream.behindSeconds()).toBe(0);
  });
});
