/** Promise: every accepted format is decoded by a process that is confined by every available layer. */

import { afterAll, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { toFloat } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { WITH_FFMPEG } from "../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../src/engine/media/media-decoder.ts";
import { openDecoder } from "../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { FORMATS, packed } from "./packed.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const path = fileURLToPath(WITH_FFMPEG.script);
const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const mayBeNobody =
  process.getuid?.() === 0 &&
  Bun.which("setpriv") !== null &&
  Bun.spawnSync([...NOBODY, "test", "-r", path]).success;
const needsUser = installed && mayBeNobody ? "" : " (skipped: needs node-av, and root to become another)";

const wavReader = openThreadPool<WavWork>(new URL("../../workers/media/wav.ts", import.meta.url), {
  size: 1,
});
afterAll(() => wavReader[Symbol.asyncDispose]());
const decoder = openDecoder({
  maxSeconds: 600,
  timeoutMs: 30_000,
  childrenMax: 2,
  wavReader,
  program: WITH_FFMPEG,
});

function expectTone(samples: Float32Array): void {
  expect(Math.abs(samples.length / ASR_SAMPLE_RATE - 1)).toBeLessThan(0.05);
  const middle = samples.subarray(4000, 12_000);
  const power = middle.reduce((sum, value) => sum + value * value, 0) / middle.length;
  expect(Math.sqrt(2 * power)).toBeCloseTo(0.5, 1);
}

describe("a tone of one second is decoded", () => {
  test.skipIf(!installed).each(FORMATS.map((format) => [format]))(`from %s${needsFfmpeg}`, async (format) => {
    const answer = await decoder.decode(await packed(format), soleClaim());
    if ("refusal" in answer) throw new Error(answer.message);
    expectTone(answer.samples);
  });

  test.skipIf(needsUser !== "").each(FORMATS.map((format) => [format]))(
    `from %s, by a server of an ordinary user${needsUser}`,
    async (format) => {
      const file = await packed(format);
      const child = Bun.spawn([...NOBODY, process.execPath, path, "600", String(file.length)], {
        stdin: file,
        env: {},
        cwd: "/",
        stderr: "ignore",
      });
      expectTone(toFloat(new Int16Array(await new Response(child.stdout).arrayBuffer())));
      expect(await child.exited).toBe(0);
    },
  );
});
