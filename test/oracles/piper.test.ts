/**
 * Promise: Piper's voices get as many phoneme ids as in sherpa-onnx for a text of any language, for one caller and for
 * eight at once. Both use eSpeak NG with the same data.
 *
 * The graph gives 256 samples for each id, so that the length of the audio reveals their number.
 */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { piperContents, piperVoice } from "../../testing/packages/families/voices.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { sherpa, unlessSherpa } from "./sherpa.ts";

const hasEspeak = installedFamilies().has("espeak");
const folder = mkdtempSync(join(tmpdir(), "loquat-piper-"));
const store = openTestStore();
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const HOP = 256;
const RATE = 22_050;
const TEXTS = [
  "Guten Tag",
  "Heute ist ein schöner Tag.",
  "Guten Tag, Herr Müller!",
  "Die Kinder spielen im Garten, oder nicht?",
  "Er sagte (leise) nein.",
  'Er sagte "leise" nein, und ging.',
  "Ja! Nein? Gut.",
  "Wirklich?!",
  "Der 3. war z.B. ein Tag.",
];
const SENTENCE_SILENCE_SECONDS = 0.2;

/** eSpeak NG's data as files, out of the one the package brings along. */
function unpackEspeak(): string {
  const main = createRequire(import.meta.url).resolve("@echogarden/espeak-ng-emscripten");
  const data = readFileSync(join(dirname(main), "espeak-ng.data"));
  const table = readFileSync(main, "utf8").matchAll(
    /filename:"(\/usr\/share\/[^"]+)",start:(\d+),end:(\d+)/g,
  );
  for (const [, name, start, end] of table) {
    const path = join(folder, name!);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, data.subarray(Number(start), Number(end)));
  }
  return join(folder, "usr/share/espeak-ng-data");
}

test.skipIf(!sherpa || !hasEspeak)(`phoneme ids equal those of sherpa-onnx${unlessSherpa}`, async () => {
  const contents = piperContents();
  store.add("piper", "vits", { contents });
  const { phoneme_id_map } = piperVoice();
  const file = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const tokens = Object.entries<number[]>(phoneme_id_map).map(([letter, [id]]) => `${letter} ${id}`);
  const tts = new sherpa!.OfflineTts({
    model: {
      vits: {
        model: file("model.onnx", contents.model!.bytes),
        tokens: file("tokens.txt", tokens.join("\n")),
        dataDir: unpackEspeak(),
      },
      numThreads: 1,
      provider: "cpu",
    },
    maxNumSentences: 1,
  });
  const expected = TEXTS.map((text) => {
    const generationConfig = new sherpa!.GenerationConfig({ sid: 0, speed: 1 });
    return tts.generate({ text, generationConfig }).samples.length / HOP;
  });
  const compare = async (text: string, index: number) => {
    const task = {
      text,
      language: "de",
      speaker: "0",
      speed: 1,
      kind: "synthesis" as const,
      instructions: "",
    };
    const spoken = await store.registry.engine("piper").run(task, soleClaim()).then(samplesOf);
    const sentences = text.match(/[.!?]+ \p{Lu}/gu)?.length ?? 0;
    const seconds = spoken.length / TTS_SAMPLE_RATE - sentences * SENTENCE_SILENCE_SECONDS;
    expect(Math.round((seconds * RATE) / HOP)).toBe(expected[index]!);
  };
  for (const [index, text] of TEXTS.entries()) await compare(text, index);
  await Promise.all(TEXTS.slice(0, 8).map(compare));
});
