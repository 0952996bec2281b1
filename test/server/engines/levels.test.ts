/** Promise: voices of all engines are equally loud: each that needs no package has a figure, and so has each package. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loudnessOf } from "../../../src/audio/loudness/integrated-loudness.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { readConfig } from "../../../src/config/config.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { openRegistry } from "../../../src/engine/registry.ts";
import { isEmbedded, readManifests } from "../../../src/models/manifest.ts";
import { type Package, parsePackage, readPackages } from "../../../src/models/packages/package.ts";
import { keepLoudness } from "../../../src/models/store/measured-speeds.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { engineSpecs } from "../../../src/server/engines/engine-specs.ts";
import { embeddedLevels, packageLevels, publishedLevels } from "../../../src/server/engines/levels.ts";
import { speak, textIn } from "../../../src/server/engines/recording.ts";
import { TARGET_LUFS } from "../../../src/speech/fit-task.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-levels-"));
afterAll(() => rmSync(weights, { recursive: true }));

const VOICES = readManifests("models").flatMap((manifest) =>
  manifest.type === "tts" ? manifest.voices : [],
);

test("every voice that needs no package has a figure of its own", () => {
  for (const { engine, speaker } of VOICES.filter(({ engine }) => isEmbedded(engine)))
    expect(embeddedLevels(engine).voices).toHaveProperty([speaker], expect.any(Number));
});

test("so has every voice of Kokoro that a manifest names", () => {
  for (const { engine, speaker } of VOICES.filter(({ engine }) => engine === "kokoro-82m"))
    expect(packageLevels(readPackages("models").get(engine)!, weights).voices).toHaveProperty([speaker]);
});

const embedded = ["flite", "espeak"].filter((family) => installedFamilies().has(family));
test.each(embedded)("the voices of %s are within 1.5 LU of the target, from one text", async (family) => {
  const config = readConfig({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" });
  await using registry = openRegistry(engineSpecs(config, openModelStore(weights)));
  const speakers = family === "flite" ? ["slt", "kal16"] : ["cmn+f2", "fr+m3"];
  for (const speaker of speakers) {
    const language = VOICES.find((voice) => voice.speaker === speaker)!.locale;
    const text = textIn(language).long;
    const { samples } = await speak(registry, { engine: family, speaker, language, text });
    const lufs = loudnessOf([samples], TTS_SAMPLE_RATE);
    expect(Math.abs(lufs - TARGET_LUFS), `${speaker} speaks at ${lufs.toFixed(1)} LUFS`).toBeLessThan(1.5);
  }
});

test("a voice of an embedded engine that is not in the file is taken to be as most of them", () => {
  const figures = Object.values(publishedLevels("espeak"));
  const { others } = embeddedLevels("espeak");
  expect(others).toBeGreaterThan(Math.min(...figures));
  expect(others).toBeLessThan(Math.max(...figures));
  expect(embeddedLevels("pocketsphinx")).toEqual({ voices: {}, others: null });
});

test("of a package the manifest counts first, then what is published, then what it spoke when it was installed", () => {
  const piper = readPackages("models").get("piper-en-joe") as Package;
  expect(packageLevels(piper, weights)).toEqual({ voices: {}, others: null });
  keepLoudness(weights, piper, { joe: -23, jane: -21, jim: -20 });
  expect(packageLevels(piper, weights)).toEqual({ voices: { joe: -23, jane: -21, jim: -20 }, others: -21 });
  const stated = parsePackage("joe", JSON.stringify({ ...piper, loudness: { joe: -25.5 } }));
  expect(packageLevels(stated, weights).voices).toEqual({ joe: -25.5, jane: -21, jim: -20 });
  expect(packageLevels(stated, weights).others).toBe(-25.5);
  const kokoro = readPackages("models").get("kokoro-82m") as Package;
  keepLoudness(weights, kokoro, { af_heart: -50, mine: -30 });
  const { voices } = packageLevels(kokoro, weights);
  expect(voices.af_heart).toBe(publishedLevels("kokoro").af_heart!);
  expect(voices.mine).toBe(-30);
  expect(() => parsePackage("joe", JSON.stringify({ ...piper, loudness: { joe: 3 } }))).toThrow("loudness");
});
