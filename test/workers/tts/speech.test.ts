/** Promise: every voice of the catalogue speaks its language at every accepted speed, whatever the text. */

import { afterAll, describe, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { readConfig } from "../../../src/config/config.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { openProcessPool } from "../../../src/engine/process-pool.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../../src/engine/protocol/synthesis.ts";
import type { Runner } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { readManifests } from "../../../src/models/manifest.ts";

const worker = (name: string) => new URL(`../../../workers/${name}.ts`, import.meta.url);
const options = { size: 2 };
const engines: Record<string, Runner> = {
  flite: openThreadPool(worker("tts/flite/flite"), options),
  espeak: openProcessPool(worker("tts/espeak/espeak"), options),
};
afterAll(() => Promise.all(Object.values(engines).map((engine) => engine[Symbol.asyncDispose]())));

const speaks = installedFamilies().has("espeak");
const unlessEspeak = speaks ? "" : " (skipped: @echogarden/espeak-ng-emscripten is not installed)";

const SENTENCES: Record<string, string> = {
  en: "The weather is very fine today.",
  es: "Hoy hace muy buen tiempo.",
  fr: "Il fait très beau aujourd'hui.",
  de: "Das Wetter ist heute sehr schön.",
  it: "Oggi il tempo è molto bello.",
  pt: "O tempo está muito bom hoje.",
  hi: "आज मौसम बहुत अच्छा है।",
  zh: "今天天气很好，我们去公园吧。",
  ru: "Сегодня очень хорошая погода.",
};

const voices = readManifests(readConfig({}).models.folder)
  .flatMap((manifest) => (manifest.type === "tts" ? manifest.voices : []))
  .filter(({ engine }) => Object.hasOwn(engines, engine)); // those of packages speak where they are installed
const task = (extra: Partial<SynthesisTask>): SynthesisTask => ({
  kind: "synthesis",
  text: SENTENCES.en!,
  speaker: "kal16",
  language: "en",
  speed: 1,
  instructions: "",
  ...extra,
});
const seconds = async (family: string, extra: Partial<SynthesisTask>) =>
  (await engines[family]!.run(task(extra)).then(samplesOf)).length / TTS_SAMPLE_RATE;

test("svc-tts1 offers 20 voices in 9 languages, and every language has a test sentence", () => {
  const offered = readManifests(readConfig({}).models.folder).find(({ model }) => model === "svc-tts1")!;
  const voices = offered.type === "tts" ? offered.voices : [];
  expect(voices.length).toBe(20);
  expect(new Set(voices.map(({ language }) => language))).toEqual(new Set(Object.keys(SENTENCES)));
});

for (const { id, engine, speaker, language } of voices) {
  const missing = engine === "espeak" && !speaks;
  test.skipIf(missing)(`${id} speaks ${language}${missing ? unlessEspeak : ""}`, async () => {
    const samples = await engines[engine]!.run(task({ text: SENTENCES[language]!, speaker, language })).then(
      samplesOf,
    );
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(samples.length / TTS_SAMPLE_RATE).toBeGreaterThan(0.8);
    expect(samples.length / TTS_SAMPLE_RATE).toBeLessThan(6);
    expect(peak).toBeGreaterThan(0.1);
    expect(peak).toBeLessThanOrEqual(1);
    expect(Math.abs(samples[0]!) + Math.abs(samples.at(-1)!)).toBeLessThan(0.01);
  });
}

const FAMILIES: [family: string, speaker: string, language: string, missing: boolean][] = [
  ["flite", "slt", "en", false],
  ["espeak", "es+f2", "es", !speaks],
];

for (const [family, speaker, language, missing] of FAMILIES) {
  describe.skipIf(missing)(`${family}${missing ? unlessEspeak : ""}`, () => {
    const text = SENTENCES[language]!;

    test.each([0.25, 0.5, 2, 4])("at speed %d scales the length", async (speed) => {
      const text = `${SENTENCES[language]} `.repeat(4); // long enough for its edges not to count
      const natural = await seconds(family, { speaker, language, text });
      const paced = await seconds(family, { speaker, language, text, speed });
      expect((paced * speed) / natural).toBeGreaterThan(0.8);
      expect((paced * speed) / natural).toBeLessThan(1.25);
    });

    test("keeps nothing of one task for the next", async () => {
      const before = await seconds(family, { speaker, language, text });
      await seconds(family, { speaker, language, text, speed: 3, instructions: "higher louder" });
      expect(Math.abs((await seconds(family, { speaker, language, text })) - before)).toBeLessThan(0.02);
    });

    test.each(["", " ", "!?…", "\u0000", "😀"])("gives silence for %j", async (nothing) => {
      expect(await seconds(family, { speaker, language, text: nothing })).toBe(0);
    });

    test.each([
      "-o /out",
      "--help",
      "-voice rms hello",
      "[[h@l'oU]] hello",
      "<speak>hello <break time='30s'/></speak>",
      "a\u0000b hello",
      "%s%n hello",
      "😀 hello مرحبا",
    ])("reads %j as plain text", async (odd) => {
      const spoken = await seconds(family, { speaker, language, text: odd });
      expect(spoken).toBeGreaterThan(0.1);
      expect(spoken).toBeLessThan(12);
    });
  });
}

test("an unknown speaker fails its own task and no other", async () => {
  if (speaks) expect(engines.espeak!.run(task({ speaker: "nobody" }))).rejects.toThrow("nobody");
  expect(await seconds("flite", {})).toBeGreaterThan(0.5);
});
