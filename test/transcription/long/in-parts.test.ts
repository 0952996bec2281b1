/** Promise: a long recording uses the threads that no other task wants, and its words come in order, as those of the whole. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { RecognitionTask, Speech, SpeechTask } from "../../../src/engine/protocol/recognition.ts";
import { isOf } from "../../../src/engine/protocol/task.ts";
import { type Claim, type Runner, soleClaim } from "../../../src/engine/runner.ts";
import { openScheduler } from "../../../src/engine/scheduler.ts";
import { type Division, inParts } from "../../../src/transcription/long/in-parts.ts";
import { recognize } from "../../../src/transcription/recognize.ts";
import { takes } from "../../until.ts";

type Run = { task: RecognitionTask; request: string; finish(): void; fail(reason: Error): void };

const SPAN_SECONDS = 10;
const rate = ASR_SAMPLE_RATE;

/**
 * An engine that finds speech in every ten seconds, and recognizes in each span the number of its first sample. It
 * works on a task until it is told to finish.
 */
function openEngine({ size = 2, ...custom }: Partial<Division> & Slots = {}) {
  const running: Run[] = [];
  const ran: Run[] = [];
  const runner: Runner = {
    async run(task, _transfer, claim) {
      if (isOf(task, "speech-search")) return speechIn(task) as never;
      if (!isOf(task, "recognition")) throw new Error("a recognizer gets no other tasks");
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      const run: Run = {
        task,
        request: claim!.request,
        finish: () => resolve(answer(task) as never),
        fail: reject,
      };
      running.push(run);
      ran.push(run);
      void promise.catch(() => {}).finally(() => running.splice(running.indexOf(run), 1));
      return promise;
    },
    async [Symbol.asyncDispose]() {},
  };
  const queue = openScheduler(runner, { size });
  return { engine: inParts(queue, { ...division, threads: size, ...custom }), queue, running, ran };
}

type Slots = { size?: number };

const division = { spansAtOnce: 1, detects: false };

function speechIn({ recording }: Pick<SpeechTask, "recording">): Speech {
  const spans = Array.from({ length: recording.length / (SPAN_SECONDS * rate) }, (_, index) => ({
    start: (index * SPAN_SECONDS + 1) * rate,
    end: (index * SPAN_SECONDS + 8) * rate,
  }));
  return { recording, spans, peak: 0.25 };
}

function answer({ samples, spans, cancel, port, language }: RecognitionTask): number {
  const whole = spans ?? speechIn({ recording: samples }).spans;
  const recognized = whole.filter(() => cancel[0] === 0);
  for (const { start, end } of recognized) {
    const [from, to] = [start / rate, end / rate];
    const words = [{ text: String(samples[start]), start: from, end: to, confidence: 1 }];
    port.postMessage({ start: from, end: to, words, language: language ?? "de" });
  }
  return recognized.length;
}

/** Its samples say which second they are of. */
const recordingOf = (seconds: number) =>
  Float32Array.from({ length: seconds * rate }, (_, index) => Math.floor(index / rate));

const claimOf = (parts: Partial<Claim> = {}): Claim => ({ ...soleClaim(), request: "long", ...parts });

const listen = (engine: Parameters<typeof recognize>[0], seconds: number, claim = claimOf()) =>
  recognize(engine, {
    ...{ samples: recordingOf(seconds), spans: null, language: null, prompt: "", claim },
    keywords: ["Loquat"],
  });

const settle = () => takes(1); // messages of ports take a turn of the loop

/** Lets tasks finish, the one that `choose` names first, until `done` is. */
async function finishing<T>(done: Promise<T>, running: Run[], choose = () => 0): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  done.then(end, end);
  while (!isDone) {
    running[choose() % Math.max(1, running.length)]?.finish();
    await settle();
  }
  return done;
}

const textOf = (hypotheses: { words: { text: string }[] }[]) =>
  hypotheses.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");

describe("what is recognized in parts", () => {
  test("is what would be recognized in the whole, in order, whichever part ends first", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 7, max: 15 }),
        fc.record({ spansAtOnce: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 4 }) }),
        fc.infiniteStream(fc.nat(3)),
        async (spans, options, choices) => {
          const { engine, running } = openEngine(options);
          const whole = openEngine({ size: 1 });
          const [inOrder, expected] = await Promise.all([
            finishing(
              Array.fromAsync(listen(engine, spans * SPAN_SECONDS)),
              running,
              () => choices.next().value!,
            ),
            finishing(Array.fromAsync(listen(whole.queue, spans * SPAN_SECONDS)), whole.running),
          ]);
          expect(inOrder).toEqual(expected);
        },
      ),
      { numRuns: 25 },
    ));

  test("is passed on while later parts are not recognized yet", async () => {
    const { engine, running } = openEngine({ size: 1 });
    const hypotheses = listen(engine, 70);
    const first = hypotheses.next();
    while (running.length === 0) await settle();
    running[0]!.finish();
    expect((await first).value).toMatchObject({ start: 1, words: [{ text: "1" }] });
    await finishing(Array.fromAsync(hypotheses), running);
  });

  test("has the loudness of the whole recording, and keeps what the caller asked for", async () => {
    const { engine, running, ran } = openEngine();
    await finishing(Array.fromAsync(listen(engine, 70)), running);
    const kept = { peak: 0.25, prompt: "", keywords: ["Loquat"], wordTimes: true };
    for (const { task } of ran) expect(task).toMatchObject(kept);
    expect(ran.map(({ task }) => task.samples.length / rate)).toEqual([11, 10, 10, 10, 10, 10, 9]);
  });

  test("has the language of the first span, which is recognized alone", async () => {
    const { engine, running, ran } = openEngine({ size: 3, detects: true, spansAtOnce: 2 });
    const done = Array.fromAsync(listen(engine, 90));
    while (running.length === 0) await settle();
    await settle();
    expect(ran.map(({ task }) => task.spans!.length)).toEqual([1]);
    await finishing(done, running);
    expect(ran.map(({ task }) => task.language)).toEqual([null, "de", "de", "de", "de"]);
  });
});

describe("the threads of a long recording", () => {
  test("are all that are free, and one for each half a minute", async () => {
    const { engine, running } = openEngine({ size: 8 });
    const done = Array.fromAsync(listen(engine, 100));
    while (running.length < 4) await settle();
    await settle();
    expect(running).toHaveLength(4);
    await finishing(done, running);
  });

  test("are one for a minute or less, in one task", async () => {
    const { engine, running, ran } = openEngine();
    await finishing(Array.fromAsync(listen(engine, 60)), running);
    expect(ran).toHaveLength(1);
    expect(ran[0]!.task.spans).toBeNull();
  });

  test("go to another organization's recording after a part, and come back", async () => {
    const { engine, queue, running, ran } = openEngine();
    const done = Array.fromAsync(listen(engine, 120));
    while (running.length < 2) await settle();
    const other = Array.fromAsync(listen(queue, 20, claimOf({ organization: "other", request: "short" })));
    await settle();
    expect(running.map(({ request }) => request)).toEqual(["long", "long"]);
    running[1]!.finish();
    while (!running.some(({ request }) => request === "short")) await settle();
    expect(running.map(({ request }) => request)).toEqual(["long", "short"]);
    running[0]!.finish();
    await settle();
    await settle();
    expect(running.map(({ request }) => request)).toEqual(["short", "long"]);
    running[0]!.finish();
    expect(textOf(await other)).toBe("1 11");
    while (running.length < 1) await settle();
    await finishing(done, running);
    expect(ran.filter(({ request }) => request === "long")).toHaveLength(12);
  });
});

describe("parts that are no longer needed", () => {
  test("are not started after a failure, which reaches the caller at once", async () => {
    const { engine, queue, running, ran } = openEngine();
    const done = Array.fromAsync(listen(engine, 120));
    while (running.length < 2) await settle();
    running[1]!.fail(new Error("out of memory"));
    await settle();
    expect(running[0]!.task.cancel[0]).toBe(1);
    running[0]!.finish();
    await expect(done).rejects.toMatchObject({ code: "transcription_failed" });
    await settle();
    expect(queue.load()).toEqual({ running: 0, waiting: 0 });
    expect(ran).toHaveLength(2);
  });

  test("are not started after the caller has left", async () => {
    const { engine, queue, running, ran } = openEngine();
    const left = new AbortController();
    const done = Array.fromAsync(listen(engine, 120, claimOf({ signal: left.signal })));
    while (running.length < 2) await settle();
    left.abort(new Error("the caller left"));
    expect(running.map(({ task }) => task.cancel[0])).toEqual([1, 1]);
    for (const run of [...running]) run.finish();
    await expect(done).rejects.toThrow("the caller left");
    await settle();
    expect(queue.load()).toEqual({ running: 0, waiting: 0 });
    expect(ran).toHaveLength(2);
  });
});
