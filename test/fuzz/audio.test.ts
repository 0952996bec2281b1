/** Promise: a damaged upload is answered without delay, with its samples or with a refusal. */

import { afterAll, expect, test } from "bun:test";
import { statusOf } from "../../src/api/middleware/faults.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type DecodeProgram, WITH_FFMPEG } from "../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../src/engine/media/media-decoder.ts";
import { openDecoder } from "../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { FORMATS, packed } from "../audio/packed.ts";
import { mutate } from "./mutate.ts";
import { FUZZ_TIMEOUT_MS, fuzz } from "./random.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const REFUSALS = ["invalid_audio", "audio_too_long"] as const;
const TIMEOUT_MS = 60_000;
const TOGETHER = 4; // uploads of one case: children start while others decode

const wavReader = openThreadPool<WavWork>(new URL("../../workers/media/wav.ts", import.meta.url), {
  size: 1,
});
afterAll(() => wavReader[Symbol.asyncDispose]());
const open = (program: DecodeProgram) =>
  openDecoder({
    maxSeconds: 600,
    timeoutMs: TIMEOUT_MS,
    childrenMax: TOGETHER,
    wavReader,
    program,
  });
const decoder = open(WITH_FFMPEG);

let count = 0;

/** The seconds that were heard, or why none were. */
async function answer(bytes: Uint8Array, by = decoder): Promise<number | string> {
  const decoded = await by.decode(bytes, { ...soleClaim(), organization: String(++count) });
  return "refusal" in decoded ? decoded.refusal : decoded.durationSeconds;
}

test.skipIf(!installed)(
  `damaged recordings of every format are decoded or refused${needsFfmpeg}`,
  async () => {
    const originals = await Promise.all(FORMATS.map(packed));
    const seen = new Set<string>();
    await fuzz(async (chance) => {
      const startedMs = performance.now();
      const uploads = Array.from({ length: TOGETHER }, () => mutate(chance.pick(originals), chance));
      for (const outcome of await Promise.all(uploads.map((bytes) => answer(bytes)))) {
        if (typeof outcome === "string") expect(REFUSALS as readonly string[]).toContain(outcome);
        else expect(outcome).toBeWithin(Number.MIN_VALUE, 600.001);
        seen.add(typeof outcome);
      }
      expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS / 2); // none was ended for taking too long
    });
    expect(seen.size).toBeGreaterThan(0);
  },
  FUZZ_TIMEOUT_MS,
);

test.each(REFUSALS.map((code) => [code]))("%s is a client error", (code) => {
  expect(statusOf(code)).toBe(400);
});

test("a decoder that crashes is a refusal", async () => {
  expect(
    await answer(
      Buffer.from("anything"),
      open({ ...WITH_FFMPEG, script: new URL("crash.ts", import.meta.url) }),
    ),
  ).toBe("invalid_audio");
});
