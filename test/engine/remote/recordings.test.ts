/** Promise: a recording runs on a node hypothesis by hypothesis, and elsewhere only where none was delivered. */
import { expect, test } from "bun:test";
import type { Hypothesis, RecognitionTask } from "../../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../../src/engine/registry.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { recognize } from "../../../src/transcription/recognize.ts";
import { takes, until } from "../../until.ts";
import { join, openFleet } from "./joined.ts";

const local: Engine = { run: async () => "local" as never };

const hypothesis = (start: number): Hypothesis => ({ start, end: start + 1, words: [] });
const recording = () => ({ samples: new Float32Array(8), spans: null, language: null, prompt: "" });

/** Posts hypotheses, and then fails or ends. */
const recognizer =
  (count: number, fail: Error | null = null) =>
  async (task: object) => {
    const { port, samples } = task as RecognitionTask;
    expect(samples.length).toBe(8);
    for (let start = 0; start < count; start++) port.postMessage(hypothesis(start));
    if (fail) await takes(20);
    if (fail) throw fail;
    return count as never;
  };

test("hypotheses come in order, and a recording that delivered none is tried again elsewhere", async () => {
  using fleet = openFleet();
  const { cut } = await join(fleet, { name: "a", run: recognizer(0, new Error("broke")) });
  await join(fleet, { name: "b", run: recognizer(3) });
  for (let round = 0; round < 4; round++) {
    const found = await Array.fromAsync(
      recognize(fleet.engine("e", null), { ...recording(), claim: soleClaim() }),
    );
    expect(found).toEqual([0, 1, 2].map(hypothesis));
  }
  cut();
});

test("a recording that delivered a hypothesis is not tried again", async () => {
  using fleet = openFleet();
  let attempts = 0;
  const run = (task: object) => {
    attempts++;
    return recognizer(1, new Error("broke"))(task);
  };
  await join(fleet, { name: "a", run });
  await join(fleet, { name: "b", run });
  const found: Hypothesis[] = [];
  const reading = (async () => {
    for await (const each of recognize(fleet.engine("e", local), { ...recording(), claim: soleClaim() }))
      found.push(each);
  })();
  expect(await reading.catch((error) => error.code)).toBe("transcription_failed");
  expect([found.length, attempts]).toEqual([1, 1]);
});

test("leaving a recognition sets the flag of the engine that works on it", async () => {
  using fleet = openFleet();
  let wasStopped = false;
  await join(fleet, {
    name: "a",
    run: async (task) => {
      const { port, cancel } = task as RecognitionTask;
      port.postMessage(hypothesis(0));
      await until(() => cancel[0] !== 0);
      wasStopped = true;
      return 1 as never;
    },
  });
  for await (const _ of recognize(fleet.engine("e", null), { ...recording(), claim: soleClaim() })) break;
  await until(() => wasStopped);
});
