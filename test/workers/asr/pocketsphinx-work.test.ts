/** Promise: the work on an utterance is bounded by its length, whatever it sounds like, and ends when its caller leaves. */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { SPHINX_FILES } from "../../../src/engine/families/pocketsphinx-files.ts";
import type { Decoder } from "../../../workers/asr/pocketsphinx/decoder.ts";
import { clip, hasClips } from "../../clips.ts";
import { babble, shuffledFrames } from "./worst-speech.ts";

setDefaultTimeout(120_000);

const runs = installedFamilies().has("sphinx") && hasClips;
const unless = runs ? "" : " (skipped: libpocketsphinx or the shared recordings are not here)";
const SECONDS = 8;
const SEARCHED_SECONDS = 3; // of what is hard to search, which takes as long as it sounds
const FRAME = 320; // 20 ms
const STATES_MAX = 15_000; // 5,000 are kept, and enter others

const folder = mkdtempSync(join(tmpdir(), "loquat-sphinx-"));
const isNeverCancelled = () => false;
const openLibrary = () =>
  dlopen(SPHINX_FILES.libraries.find((paths) => paths.every(existsSync))![0], {
    err_set_logfile: { args: [FFIType.ptr], returns: FFIType.i32 },
  });
const library = runs ? openLibrary() : null;
let logs = 0;
let decoder: Decoder;
let speech: Float32Array;
const secondsOf = (samples: Float32Array, seconds: number) => samples.subarray(0, seconds * ASR_SAMPLE_RATE);

beforeAll(async () => {
  if (!runs) return;
  const { openDecoder } = await import("../../../workers/asr/pocketsphinx/decoder.ts");
  decoder = openDecoder();
  speech = secondsOf(await clip("speech-en/LJ001-0003.wav"), SECONDS);
});
afterAll(() => {
  decoder?.free();
  rmSync(folder, { recursive: true });
});

/** How many states of the dictionary were searched in each frame, in the mean, as the library itself counts. */
function statesPerFrame(samples: Float32Array): number {
  const log = join(folder, `${++logs}`);
  const logTo = (path: string) => library!.symbols.err_set_logfile(ptr(Buffer.from(`${path}\0`)));
  logTo(log);
  decoder.decode(toInt16(samples), isNeverCancelled);
  logTo("/dev/null"); // closes the other
  const [, count] = /channels searched \((\d+)\/fr\)/.exec(readFileSync(log, "utf8"))!;
  return Number(count);
}

describe("the states searched in a frame are bounded", () => {
  test.skipIf(!runs)(`of speech${unless}`, () => {
    expect(statesPerFrame(speech)).toBeWithin(500, STATES_MAX);
  });

  test.skipIf(!runs)(`of shuffled frames of speech${unless}`, () => {
    expect(statesPerFrame(secondsOf(shuffledFrames(speech, FRAME), SEARCHED_SECONDS))).toBeWithin(
      500,
      STATES_MAX,
    );
  });

  test.skipIf(!runs)(`of eight voices at once${unless}`, () => {
    expect(statesPerFrame(secondsOf(babble(speech, 8), SEARCHED_SECONDS))).toBeWithin(500, STATES_MAX);
  });
});

describe("an utterance whose caller has left", () => {
  test.skipIf(!runs)(`ends at the next second${unless}`, () => {
    let asked = 0;
    const leaves = () => ++asked > 3;
    expect(decoder.decode(toInt16(shuffledFrames(speech, FRAME)), leaves)).toBeNull();
    expect(asked).toBe(4);
  });

  test.skipIf(!runs)(`leaves nothing behind for the next one${unless}`, () => {
    const pcm = toInt16(secondsOf(speech, 4));
    const words = decoder.decode(pcm, isNeverCancelled);
    for (const seconds of [0, 1, 3]) {
      let left = seconds;
      expect(decoder.decode(toInt16(shuffledFrames(speech, FRAME)), () => left-- === 0)).toBeNull();
      expect(decoder.decode(pcm, isNeverCancelled)).toEqual(words);
    }
    expect(words!.length).toBeGreaterThan(10);
  });
});
