/**
 * Promise: Kokoro gives the samples of kokoro-js, for any phonemes at any speed, for one caller and for eight at once.
 *
 * kokoro-js uses the style row of one phoneme more than hexgrad/kokoro and we do. So it gets our voice with an extra
 * first row.
 */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { env, StyleTextToSpeech2Model, Tensor } from "@huggingface/transformers";
import { KokoroTTS } from "kokoro-js";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { kokoroContents, kokoroFrames } from "../../testing/packages/families/voices.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { kokoroIds } from "../../workers/tts/kokoro/phonemes.ts";
import { amplify } from "../../workers/tts/level.ts";

const VOICE = "af_heart";
const root = mkdtempSync(join(tmpdir(), "loquat-kokoro-js-"));
const store = openTestStore();
env.allowRemoteModels = false;
env.localModelPath = root;
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

/** The real voice that kokoro-js brings along. */
const style = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve("kokoro-js")), "..", "voices", `${VOICE}.bin`),
);

/** Our row for n phonemes is the one before theirs. */
const shifted = Buffer.from(style.subarray(256 * 4));

const SYMBOLS = [..."abdefhijklmnopstuvwzɑɐæəɛɡɪŋɹʃʊʌʒˈˌː .,!?"];

test("speech equals that of kokoro-js", async () => {
  const contents = kokoroContents();
  contents["voice-af_heart"]!.bytes = shifted;
  store.add("kokoro-82m", "kokoro", { contents });
  const { path, bytes } = contents.model!;
  mkdirSync(dirname(join(root, "kokoro", path)), { recursive: true });
  writeFileSync(join(root, "kokoro", path), bytes);
  writeFileSync(
    join(root, "kokoro", "config.json"),
    JSON.stringify({ model_type: "style_text_to_speech_2" }),
  );
  const model = await StyleTextToSpeech2Model.from_pretrained("kokoro", { dtype: "fp32", device: "cpu" });
  const kokoro = new KokoroTTS(model as never, null as never);
  const random = openRandom(5);
  const texts = Array.from({ length: 20 }, (_, run) => ({
    phonemes: Array.from({ length: 5 + run * 12 }, () => SYMBOLS[Math.floor(random() * SYMBOLS.length)]).join(
      "",
    ),
    speed: 0.613 + run * 0.0531, // never half a frame: halves are rounded in two ways
  }));
  const compared = await Promise.all(
    texts.map(async ({ phonemes, speed }) => {
      const ids = [0, ...kokoroIds(phonemes), 0];
      const tensor = new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]);
      const theirs = await kokoro.generate_from_ids(tensor as never, { voice: VOICE, speed });
      const length = kokoroFrames(ids, speed) * 600;
      const wave = theirs.audio as Float32Array;
      expect(wave.length).toBe(length);
      amplify(wave, 1); // as every engine limits its peaks
      return { phonemes, speed, length, wave };
    }),
  );
  const compare = async ({ phonemes, speed, length, wave }: (typeof compared)[number]) => {
    expect(await ours(phonemes, speed, "measure")).toBe(length);
    const spoken = samplesOf(await ours(phonemes, speed, length));
    const worst = spoken
      .subarray(200, -200)
      .reduce((most, sample, at) => Math.max(most, Math.abs(sample - wave[at + 200]!)), 0);
    expect(worst).toBeLessThan(1e-4);
  };
  for (const each of compared) await compare(each);
  await Promise.all(compared.slice(0, 8).map(compare));
}, 120_000);

function ours(phonemes: string, speed: number, length: "measure" | number) {
  const task: SynthesisTask = {
    kind: "synthesis",
    text: "",
    language: "en-US",
    speaker: VOICE,
    speed,
    instructions: "",
    length,
    phonemes,
    gain: 1,
  };
  return store.registry.engine("kokoro-82m").run(task, soleClaim());
}
