/** Promise: organizations take turns at the encoders, and a cancelled clip frees its encoder. */
import { expect, test } from "bun:test";
import { type Claim, type Runner, soleClaim } from "../../src/engine/runner.ts";
import { type ClipTask, type ClipWork, openEncoders } from "../../src/speech/encoders.ts";

/** A thread that takes a turn of the loop for every task, and notes what it was asked. */
function openThread() {
  const asked: ClipTask[] = [];
  const runner: Runner<ClipWork> = {
    async run(task) {
      asked.push(task);
      await new Promise(setImmediate);
      return new Uint8Array(1) as never;
    },
    async [Symbol.asyncDispose]() {},
  };
  return { asked, runner };
}

const of = (organization: string, request: string, signal?: AbortSignal): Claim => ({
  ...soleClaim(signal),
  organization,
  request,
});
const noAac = () => {
  throw new Error("no clip here is AAC");
};
const CLIP = { format: "mp3", sampleCount: null } as const;

test("an organization with one clip waits for at most one slice of another's many", async () => {
  const { asked, runner } = openThread();
  await using encoders = openEncoders({ openThread: () => runner, openProcess: noAac, count: 1 });
  const many = await Promise.all(
    Array.from({ length: 5 }, (_, i) => encoders.open(CLIP, of("many", `${i}`))),
  );
  const one = await encoders.open(CLIP, of("one", "a"));
  asked.length = 0;
  const slices = many.map((clip) => clip.encode(new Float32Array(1)));
  slices.push(one.encode(new Float32Array(1)));
  await Promise.all(slices);
  expect(asked.map(({ id }) => id).indexOf(5)).toBe(1);
});

test("a cancelled clip is closed on its own thread", async () => {
  const { asked, runner } = openThread();
  await using encoders = openEncoders({ openThread: () => runner, openProcess: noAac, count: 1 });
  const listener = new AbortController();
  const clip = await encoders.open(CLIP, of("a", "1", listener.signal));
  listener.abort(new Error("left"));
  await expect(clip.encode(new Float32Array(1))).rejects.toThrow("left");
  clip.close();
  expect(asked.map(({ op }) => op)).toEqual(["open", "close"]);
});
