/** Promise: samples that a thread posts reach the listener before the result. */

import { expect, test } from "bun:test";
import { withDelivery } from "../../src/engine/delivering-runner.ts";
import type { Delivery } from "../../src/engine/protocol/delivery.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { openRegistry } from "../../src/engine/registry.ts";
import { type Claim, type Runner, soleClaim } from "../../src/engine/runner.ts";
import { audioSecondsOf } from "../../src/engine/speed/audio-seconds.ts";
import { takes } from "../until.ts";
import { SPEECH } from "./any-task.ts";

type Asked = { delivery: Delivery };

const runnerOf = (run: (task: Asked) => Promise<unknown>): Runner => ({
  run: (task) => run(task as Asked) as Promise<never>,
  async [Symbol.asyncDispose]() {},
});
const posting = runnerOf(async ({ delivery: { port } }) => {
  if (!port) return Float32Array.of(1, 2, 3);
  port.postMessage(Float32Array.of(1));
  port.postMessage(Float32Array.of(2));
  return { rest: Float32Array.of(3), posted: 2 };
});
const listening = (urgency: Claim["urgency"], arrived: number[], signal?: AbortSignal): Claim => ({
  ...soleClaim(signal),
  urgency,
  early: (samples) => arrived.push(...samples),
});

test("what is posted arrives before the result; a file is returned whole", async () => {
  const arrived: number[] = [];
  const runner = withDelivery(posting);
  expect(await runner.run(SPEECH, [], listening("streaming", arrived)).then(samplesOf)).toEqual(
    Float32Array.of(3),
  );
  expect(arrived).toEqual([1, 2]);
  expect(await runner.run(SPEECH, [], listening("batch", arrived)).then(samplesOf)).toEqual(
    Float32Array.of(1, 2, 3),
  );
  expect(arrived).toHaveLength(2);
});

test("the speed of an engine counts what was delivered early", async () => {
  const second = new Float32Array(24_000);
  const run = async ({ delivery: { port } }: Asked) => {
    for (let at = 0; at < 9; at++) port?.postMessage(second);
    await takes(2);
    return { rest: second, posted: 9 };
  };
  await using registry = openRegistry(() => ({
    key: "e",
    idleMs: null,
    options: { size: 1 },
    start: () => withDelivery(runnerOf(run)),
    audioSeconds: audioSecondsOf("synthesis"),
  }));
  const engine = registry.engine("e");
  let worked = 0;
  for (let at = 0; at < 3; at++) {
    const begunMs = performance.now();
    await engine.run(SPEECH, listening("streaming", []));
    if (at > 0) worked += performance.now() - begunMs; // the first opens the engine
  }
  expect(registry.speed("e")! * (worked / 1000)).toBeGreaterThanOrEqual(20);
});
