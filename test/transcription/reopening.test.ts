/** Promise: a live utterance whose engine is lost has the same words as without, each once, or fails; none is taken back. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import type { StreamingResult, StreamingTask } from "../../src/engine/protocol/streaming-recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";
import { Refusal } from "../../src/errors.ts";
import type { LiveOptions, LiveRecognizer } from "../../src/transcription/live.ts";
import { withReopening } from "../../src/transcription/reopening.ts";
import { openStreamingRecognition } from "../../src/transcription/streaming-recognition.ts";

const TENTH = ASR_SAMPLE_RATE / 10;

/** Says the level of each tenth of a second, once it is complete; is lost at its `lostAt`th task. */
function listening({ lostAt = Number.POSITIVE_INFINITY, says = (level: number) => `w${level}` } = {}) {
  const streams = new Map<number, number[]>();
  let tasks = 0;
  const engine: Engine = {
    async run<T>(task: object): Promise<T> {
      await Promise.resolve();
      if (++tasks >= lostAt) throw new Error("the node is lost");
      const { open, feed, finish, close } = task as StreamingTask;
      for (const { id } of open) streams.set(id, []);
      const results = new Map<number, StreamingResult>(
        finish.map((id) => [id, { id, words: [], language: null }]),
      );
      for (const { id, samples } of feed) {
        const all = streams.get(id)!;
        const words: Word[] = [];
        for (const sample of samples) {
          all.push(sample);
          if (all.length % TENTH === 0)
            words.push({ text: says(Math.round(sample * 1000)), start: 0, end: all.length, confidence: 1 });
        }
        results.set(id, { id, words, language: null });
      }
      for (const id of close) streams.delete(id);
      return [...results.values()] as T;
    },
  };
  return { engine, open: () => streams.size };
}

/** The engines of a recognizer, each after the loss of the one before it. */
function inTurn(...engines: Engine[]): LiveRecognizer {
  let count = 0;
  return withReopening(openStreamingRecognition(() => engines[Math.min(count++, engines.length - 1)]!));
}

function openUtterance(recognizer: LiveRecognizer) {
  const words: string[] = [];
  const { promise: settled, resolve } = Promise.withResolvers<"completed" | Refusal>();
  const stream = recognizer.open({
    ...{ engine: "e", language: null, prompt: "", organization: "org", request: "req", spoken: true },
    words: (more) => words.push(...more.map(({ text }) => text)),
    progressed() {},
    settled: resolve,
  });
  return { stream, words, settled };
}

const tenth = (level: number, part = 1) => new Float32Array(TENTH * part).fill(level / 1000);
const turn = () => new Promise(setImmediate);

test("whenever the engine is lost, and however audio comes, the words are those of an engine that is not", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 99 }), fc.constantFrom(1, 2, 0.5), fc.boolean()), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.integer({ min: 1, max: 12 }),
      async (audio, lostAt) => {
        const textOf = async (recognizer: LiveRecognizer) => {
          const { stream, words, settled } = openUtterance(recognizer);
          for (const [level, part, waits] of audio) {
            stream.push(tenth(level, part));
            if (waits) await turn();
          }
          stream.finish(false);
          return { outcome: await settled, words };
        };
        const whole = await textOf(inTurn(listening().engine));
        expect(await textOf(inTurn(listening({ lostAt }).engine, listening().engine))).toEqual(whole);
        expect(whole.outcome).toBe("completed");
      },
    ),
    { numRuns: 200 },
  ));

describe("an utterance fails, with what was sent still as it was, where", () => {
  const failing = async (recognizer: LiveRecognizer, tenths = 5) => {
    const { stream, words, settled } = openUtterance(recognizer);
    for (let level = 1; level <= tenths; level++) {
      stream.push(tenth(level));
      await turn();
    }
    stream.finish(false);
    return { outcome: await settled, words };
  };

  test("the other engine hears something else", async () => {
    const other = listening({ says: (level) => `other${level}` });
    const { outcome, words } = await failing(inTurn(listening({ lostAt: 4 }).engine, other.engine));
    expect(outcome).toMatchObject({ code: "transcription_failed" });
    expect(words).toEqual(["w1", "w2", "w3"]);
    await turn();
    expect(other.open()).toBe(0);
  });

  test("the other engine hears less", async () => {
    const { outcome, words } = await failing(
      inTurn(listening({ lostAt: 4 }).engine, {
        run: async (task) =>
          (task as StreamingTask).finish.map((id) => ({ id, words: [], language: null })) as never,
      }),
    );
    expect(outcome).toMatchObject({ code: "transcription_failed" });
    expect(words).toEqual(["w1", "w2", "w3"]);
  });

  test("the other engine is lost too", async () => {
    const lost = () => listening({ lostAt: 3 }).engine;
    expect((await failing(inTurn(lost(), lost(), listening().engine))).outcome).toMatchObject({
      code: "transcription_failed",
    });
  });

  test("it is longer than what is kept", async () => {
    const { outcome } = await failing(inTurn(listening({ lostAt: 305 }).engine, listening().engine), 310);
    expect(outcome).toMatchObject({ code: "transcription_failed" });
  });

  test("what was asked is refused", async () => {
    let opened = 0;
    const refusing = withReopening({
      open(listener) {
        opened++;
        queueMicrotask(() =>
          listener.settled(new Refusal("unsupported_parameter", "no", { param: "keywords" })),
        );
        return { push() {}, pause() {}, finish() {}, drop() {}, behindSeconds: () => 0 };
      },
    });
    const { settled } = openUtterance(refusing);
    expect(await settled).toMatchObject({ code: "unsupported_parameter", param: "keywords" });
    expect(opened).toBe(1);
  });
});

test("many utterances of one engine are all reopened, and one that was dropped is not", async () => {
  const next = listening();
  const recognizer = inTurn(listening({ lostAt: 3 }).engine, next.engine);
  const all = Array.from({ length: 20 }, () => openUtterance(recognizer));
  const dropped = openUtterance(recognizer);
  for (const { stream } of [...all, dropped]) stream.push(tenth(1));
  await turn();
  for (const { stream } of [...all, dropped]) stream.push(tenth(2));
  dropped.stream.drop();
  await turn();
  for (const { stream } of all) stream.finish(false);
  for (const { settled, words } of all) {
    expect(await settled).toBe("completed");
    expect(words).toEqual(["w1", "w2"]);
  }
  await turn();
  expect(next.open()).toBe(0);
});

test("the audio of all utterances has a limit: what comes after it is not kept until others have ended", async () => {
  const opened: LiveOptions[] = [];
  const idle = { push() {}, pause() {}, finish() {}, drop() {}, behindSeconds: () => 0 };
  const silent = (listener: LiveOptions) => {
    opened.push(listener);
    return idle;
  };
  const completing = (listener: LiveOptions) => {
    queueMicrotask(() => listener.settled("completed"));
    return idle;
  };
  const recognizer = withReopening({ open: silent }, { open: completing });
  const long = tenth(1, 299);
  const outcomeOf = async (index: number) => {
    opened[index]!.settled(new Refusal("transcription_failed", "lost"));
    return all[index]!.settled;
  };
  const all = Array.from({ length: 140 }, () => openUtterance(recognizer));
  for (const { stream } of all) stream.push(long);
  expect(await outcomeOf(0)).toBe("completed");
  expect(await outcomeOf(139)).toMatchObject({ code: "transcription_failed" });
  for (const { stream } of all) stream.drop();
  all.push(openUtterance(recognizer));
  all.at(-1)!.stream.push(long);
  expect(await outcomeOf(140)).toBe("completed");
});
