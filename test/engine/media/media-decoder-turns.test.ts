/** Promise: whatever was admitted is decoded, organizations take turns, and no backlog shuts other organizations out. */

import { afterAll, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { WITH_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../../src/engine/media/media-decoder.ts";
import { type DecoderOptions, openDecoder } from "../../../src/engine/media/media-decoder.ts";
import { type Claim, type Runner, soleClaim } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { tone } from "../../audio/hostile.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const reader = openThreadPool<WavWork>(new URL("../../../workers/media/wav.ts", import.meta.url), {
  size: 1,
});
afterAll(() => reader[Symbol.asyncDispose]());

const open = (options: Partial<DecoderOptions> = {}) =>
  openDecoder({
    maxSeconds: 600,
    timeoutMs: 30_000,
    childrenMax: 1,
    wavReader: reader,
    program: WITH_FFMPEG,
    ...options,
  });

test.skipIf(!installed)(
  `a cancelled task leaves the queue at once, and the next one is served${needsFfmpeg}`,
  async () => {
    const decoder = open();
    const mp3 = await tone("mp3");
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const caller = new AbortController();
    const first = decoder.decode(mp3, soleClaim()).then(note("first"));
    const second = decoder.decode(mp3, soleClaim(caller.signal)).catch(note("second"));
    const third = decoder.decode(mp3, soleClaim()).then(note("third"));
    const fourth = decoder.decode(mp3, soleClaim()).then(note("fourth"));
    caller.abort();
    await Promise.all([first, second, third, fourth]);
    expect(order).toEqual(["second", "first", "third", "fourth"]);
  },
);

test.skipIf(!installed)(
  `sixty uploads of one organization are decoded, and a later organization is served next${needsFfmpeg}`,
  async () => {
    const decoder = open({ childrenMax: 2 });
    const mp3 = await tone("mp3");
    const order: string[] = [];
    const decode = async (organization: string, urgency: Claim["urgency"] = "batch") => {
      const decoded = await decoder.decode(mp3, { ...soleClaim(), organization, urgency });
      order.push(organization);
      return "samples" in decoded;
    };
    const many = Array.from({ length: 60 }, () => decode("many", "streaming"));
    const all = await Promise.all([...many, decode("late")]);
    expect(all.filter((isDecoded) => isDecoded)).toHaveLength(61);
    expect(order.indexOf("late")).toBeLessThan(5);
  },
);

test.skipIf(!installed)(`a lone organization uses every decoder${needsFfmpeg}`, async () => {
  const decoder = open({
    childrenMax: 3,
    program: { ...WITH_FFMPEG, script: new URL("stuck.ts", import.meta.url) },
  });
  const callers = new AbortController();
  const claim = { ...soleClaim(callers.signal), organization: "a" };
  const held = ["slow", "slow"].map((kind) => decoder.decode(Buffer.from(kind), claim).catch(() => "left"));
  expect(await decoder.decode(Buffer.from("quick"), claim)).toMatchObject({ durationSeconds: 1 / 16_000 });
  callers.abort();
  expect(await Promise.all(held)).toEqual(["left", "left"]);
});

test("WAV files are read in turns too, and none of one organization's is refused", async () => {
  const reads: string[] = [];
  const slow: Runner<WavWork> = {
    async run(task) {
      reads.push(String(task.bytes.length));
      await new Promise(setImmediate);
      return { samples: new Float32Array(1), report: {} } as never;
    },
    async [Symbol.asyncDispose]() {},
  };
  const decoder = open({ wavReader: slow });
  const wav = (bytes: number) => Buffer.concat([Buffer.from("RIFF....WAVE"), new Uint8Array(bytes - 12)]);
  const decode = (organization: string, bytes: number) =>
    decoder.decode(wav(bytes), { ...soleClaim(), organization });
  const many = Array.from({ length: 200 }, () => decode("many", 100));
  await Promise.all([...many, decode("late", 200)]);
  expect([reads.indexOf("200"), reads.length]).toEqual([1, 201]);
});

test.skipIf(!installed)(
  `two organizations with slow files leave a decoder to a third${needsFfmpeg}`,
  async () => {
    const decoder = open({
      childrenMax: 3,
      program: { ...WITH_FFMPEG, script: new URL("stuck.ts", import.meta.url) },
    });
    const callers = new AbortController();
    const held = ["a", "a", "a", "b", "b", "b"].map((organization) =>
      decoder.decode(Buffer.from("slow"), { ...soleClaim(callers.signal), organization }).catch(() => "left"),
    );
    const answer = await decoder.decode(Buffer.from("quick"), { ...soleClaim(), organization: "c" });
    callers.abort();
    expect(answer).toMatchObject({ durationSeconds: 1 / 16_000 });
    expect(await Promise.all(held)).toEqual(Array(6).fill("left"));
  },
);
