/** Promise: organizations take turns at the decoders, and no backlog shuts other organizations out. */
import { afterAll, expect, test } from "bun:test";
import { type Claim, soleClaim } from "../../../src/engine/claim.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { WITH_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import { type DecoderOptions, openDecoder } from "../../../src/engine/media/media-decoder.ts";
import type { Runner } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import type { Refusal } from "../../../src/errors.ts";
import { tone } from "../../audio/hostile.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const reader = openThreadPool(new URL("../../../workers/media/wav.ts", import.meta.url), {
  size: 1,
  queueMax: 64,
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
  `an organization holds at most half of the places, and a later organization is served next${needsFfmpeg}`,
  async () => {
    const decoder = open();
    const mp3 = await tone("mp3");
    const order: string[] = [];
    const decode = async (organization: string, urgency: Claim["urgency"] = "batch") => {
      await decoder.decode(mp3, { ...soleClaim(), organization, urgency });
      order.push(organization);
    };
    const many = Array.from({ length: 6 }, () => decode("many", "streaming"));
    const asked = [...many, decode("late"), decode("later")];
    const codes = (await Promise.allSettled(asked)).map((answer) =>
      answer.status === "rejected" ? (answer.reason as Refusal).code : "served",
    );
    expect(codes).toEqual([...Array(5).fill("served"), "service_unavailable", "served", "served"]);
    expect(order.slice(0, 3)).toEqual(["many", "late", "later"]);
  },
);

test("WAV files are read in turns too, and those of one organization do not fill the queue", async () => {
  const reads: string[] = [];
  const slow: Runner = {
    async run(task) {
      reads.push(String((task as { bytes: Uint8Array }).bytes.length));
      await new Promise(setImmediate);
      return new Float32Array(1) as never;
    },
    async [Symbol.asyncDispose]() {},
  };
  const decoder = open({ wavReader: slow });
  const wav = (bytes: number) => Buffer.concat([Buffer.from("RIFF....WAVE"), new Uint8Array(bytes - 12)]);
  const decode = (organization: string, bytes: number) =>
    decoder.decode(wav(bytes), { ...soleClaim(), organization });
  const many = Array.from({ length: 40 }, () => decode("many", 100));
  const late = decode("late", 200);
  const refused = (await Promise.allSettled(many)).filter(({ status }) => status === "rejected");
  await late;
  expect([refused.length, reads.indexOf("200"), reads.length]).toEqual([40 - 33, 1, 34]);
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
