/** Promise: an engine's speed is the audio of its tasks over the time in which it worked, loading left out. */

import { expect, test } from "bun:test";
import type { RecognitionTask } from "../../../src/engine/protocol/recognition.ts";
import { audioSecondsOf } from "../../../src/engine/speed/audio-seconds.ts";
import { openSpeedMeter } from "../../../src/engine/speed/speed-meter.ts";
import { SPEECH } from "../any-task.ts";

/** A meter whose time the test holds, and tasks that end when the test says so. */
function held() {
  let nowMs = 0;
  const meter = openSpeedMeter(() => nowMs);
  let measure = meter.started();
  return {
    meter,
    pass(ms: number) {
      nowMs += ms;
    },
    restart() {
      measure = meter.started();
    },
    begin(audioSeconds: number) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const done = measure(
        () => promise,
        () => audioSeconds,
      );
      return {
        async end() {
          resolve();
          await done;
        },
        async fail() {
          reject(new Error("broken"));
          await expect(done).rejects.toThrow("broken");
        },
      };
    },
  };
}

async function loaded() {
  const meter = held();
  const first = meter.begin(10);
  meter.pass(60_000);
  await first.end();
  return meter;
}

test("the first task of an engine, which waits for it to load, does not count", async () => {
  const { meter, begin, pass, restart } = await loaded();
  expect(meter.speed()).toBeNull();
  const task = begin(6);
  pass(2000);
  await task.end();
  expect(meter.speed()).toBe(3);
  restart();
  const reload = begin(1);
  pass(60_000);
  await reload.end();
  expect(meter.speed()).toBe(3);
});

test("time between tasks does not count, and time of several at once counts once", async () => {
  const { meter, begin, pass } = await loaded();
  const one = begin(3);
  pass(500);
  const other = begin(5);
  pass(500);
  await one.end();
  pass(1000);
  await other.end();
  pass(60_000);
  expect(meter.speed()).toBe(4);
});

test("what an engine did long ago counts for less than its last minute", async () => {
  const { meter, begin, pass } = await loaded();
  const run = async (audioSeconds: number) => {
    const task = begin(audioSeconds);
    pass(10_000);
    await task.end();
  };
  for (let each = 0; each < 100; each++) await run(50);
  expect(meter.speed()).toBeCloseTo(5);
  for (let each = 0; each < 12; each++) await run(10);
  expect(meter.speed()).toBeLessThan(2);
  expect(meter.speed()).toBeGreaterThan(1);
});

test("a failed task takes time and produces no audio", async () => {
  const { meter, begin, pass } = await loaded();
  const failing = begin(100);
  pass(1000);
  await failing.fail();
  expect(meter.speed()).toBeNull();
  const task = begin(4);
  pass(1000);
  await task.end();
  expect(meter.speed()).toBe(2);
});

test("an engine that failed its first task is not taken for loaded", async () => {
  const { meter, begin, pass } = held();
  await begin(1).fail();
  const first = begin(1);
  pass(60_000);
  await first.end();
  expect(meter.speed()).toBeNull();
});

test("audio is what was synthesized, recognized to its end, or sent to live streams", () => {
  const cancel = new Int32Array(new SharedArrayBuffer(4));
  const task: RecognitionTask = {
    ...{ kind: "recognition", samples: new Float32Array(32_000), spans: null, language: null, prompt: "" },
    ...{ wordTimes: true, precedence: "recording", cancel, port: new MessageChannel().port1 },
  };
  expect(audioSecondsOf("synthesis")!(SPEECH)(new Float32Array(48_000))).toBe(2);
  expect(audioSecondsOf("synthesis")!(SPEECH)(48_000)).toBe(0);
  const recognized = audioSecondsOf("recognition")!(task);
  task.samples = new Float32Array(0); // moved to the worker
  expect(recognized(1)).toBe(2);
  cancel[0] = 1;
  expect(recognized(1)).toBe(0);
  const recording = new Float32Array(32_000);
  const search = audioSecondsOf("recognition")!({ kind: "speech-search", recording });
  expect(search({ recording, spans: [] })).toBe(0); // its parts count
  const feed = [8000, 24_000].map((length, id) => ({ id, samples: new Float32Array(length) }));
  const streams = { kind: "streaming-recognition" as const, open: [], feed, finish: [], close: [] };
  expect(audioSecondsOf("streaming-recognition")!(streams)([])).toBe(2);
  cancel[0] = 0;
  const file = { ...task, samples: new Float32Array(32_000) };
  expect(audioSecondsOf("streaming-recognition")!(file)(1)).toBe(2);
  expect(audioSecondsOf("turn-detection")).toBeNull();
});
