/** Promise: what packages offer is ranked as their data says, and bound to the models that name their family. */
import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { FAMILY_NAMES, familyOf } from "../../src/engine/families/families.ts";
import { buildCatalogue, voiceOf } from "../../src/models/catalogue.ts";
import { chooseRealtime, chooseRecognition } from "../../src/models/choose.ts";
import { languagesSpoken, readManifests } from "../../src/models/manifest.ts";
import { modelObject } from "../../src/models/objects.ts";
import { type Package, readPackages } from "../../src/models/packages/package.ts";

const { folder } = readConfig({}).models;
const manifests = readManifests(folder);
const packages = [...readPackages(folder).values()];
const catalogueWith = (...installed: string[]) =>
  buildCatalogue(manifests, (engine) => installed.includes(engine), packages);

const engineFor = (language: string | null, use: "batch" | "streaming" | "realtime", installed: string[]) => {
  const catalogue = catalogueWith(...installed);
  if (use === "realtime") return chooseRealtime(catalogue, { model: null, language }).engine;
  const request = { model: "svc-stt1", language, streaming: use === "streaming" };
  return chooseRecognition(catalogue, request).engine;
};

const PARAKEET = "parakeet-tdt-0.6b-v3";
const NEMOTRON = "nemotron-3.5-streaming";
const MANY = [NEMOTRON, PARAKEET, "whisper-base"];

describe("recognition", () => {
  test.each([
    ["en", "realtime", NEMOTRON],
    ["no", "realtime", NEMOTRON],
    ["pl", "streaming", NEMOTRON],
    ["en", "batch", PARAKEET],
    // languages that Nemotron was only prepared for
    ["el", "realtime", PARAKEET],
    ["lt", "streaming", PARAKEET],
    ["lv", "realtime", PARAKEET],
    ["mt", "realtime", PARAKEET],
    ["sl", "realtime", PARAKEET],
    ["he", "realtime", "whisper-base"],
    ["th", "streaming", "whisper-base"],
    ["nn", "realtime", "whisper-base"],
    // languages that Nemotron was not trained on
    ["id", "realtime", "whisper-base"],
    ["ca", "streaming", "whisper-base"],
    ["ja", "batch", "whisper-base"],
  ] as const)("%s, %s: %s", (language, use, engine) => {
    expect(engineFor(language, use, MANY)).toBe(engine);
  });

  test("a package for live audio alone serves it, and another engine takes files", () => {
    const known = packages.find(({ name }) => name === NEMOTRON)!;
    const live: Package = {
      ...known,
      name: "live-only",
      recognition: [{ uses: ["realtime"], languages: ["en"], rank: 1 }],
    };
    const installed = (names: string[]) => (engine: string) => names.includes(engine);
    const both = buildCatalogue(manifests, installed(["live-only", "sphinx"]), [...packages, live]);
    expect(chooseRealtime(both, { model: null, language: "en" }).engine).toBe("live-only");
    const file = { model: "svc-stt1", language: "en", streaming: false };
    expect(chooseRecognition(both, file).engine).toBe("sphinx");
    expect(modelObject(both.find("svc-stt1")!).public_version).toBe("2026-11-01");
    const alone = buildCatalogue(manifests, installed(["live-only"]), [...packages, live]);
    expect(alone.find("svc-stt1")!.version).toBeNull();
  });

  test("a language that an engine was only prepared for is used where nothing better is installed", () => {
    expect(engineFor("el", "realtime", [NEMOTRON])).toBe(NEMOTRON);
    expect(() => engineFor("id", "realtime", [NEMOTRON])).toThrow(
      expect.objectContaining({ code: "unsupported_language" }),
    );
  });

  test("an engine of one language is preferred for it, and not where the language is unknown", () => {
    const installed = [PARAKEET, "parakeet-tdt-0.6b-v2", "parakeet-primeline", "whisper-tiny.en"];
    expect(engineFor("en", "batch", installed)).toBe("parakeet-tdt-0.6b-v2");
    expect(engineFor("en", "batch", [...installed, "parakeet-ultra"])).toBe("parakeet-ultra");
    expect(engineFor("de", "batch", [...installed, "parakeet-ultra"])).toBe("parakeet-primeline");
    expect(engineFor("de", "batch", installed)).toBe("parakeet-primeline");
    expect(engineFor(null, "batch", installed)).toBe(PARAKEET);
    expect(engineFor(null, "batch", ["whisper-tiny.en"])).toBe("whisper-tiny.en");
  });

  test("an export that does not tell where its words are says that their times are estimated", () => {
    const manifest = catalogueWith("moonshine-tiny-streaming", "moonshine-tiny-streaming-de").find(
      "svc-stt1",
    );
    const engines = manifest?.manifest.type === "stt" ? manifest.manifest.recognition.engines : [];
    const estimates = (name: string) =>
      engines.filter(({ engine }) => engine === name).map((e) => e.estimated_times);
    expect(estimates("moonshine-tiny-streaming")).toEqual([undefined, undefined]);
    expect(estimates("moonshine-tiny-streaming-de")).toEqual([true, true]);
  });

  test("shorter windows are for conversations, longer ones for files", () => {
    const installed = [NEMOTRON, "nemotron-3.5-streaming-160ms"];
    expect(engineFor("fr", "realtime", installed)).toBe("nemotron-3.5-streaming-160ms");
    expect(engineFor("fr", "streaming", installed)).toBe(NEMOTRON);
    expect(engineFor("fr", "batch", installed)).toBe(NEMOTRON);
  });

  test("every recognizer of the catalogue says what it recognizes", () => {
    const recognizers = packages.filter(({ family }) =>
      ["nemo", "nemo-streaming", "moonshine", "canary", "whisper"].includes(family),
    );
    expect(recognizers.filter(({ recognition }) => !recognition?.length)).toEqual([]);
  });
});

describe("voices", () => {
  const voices = packages.flatMap(({ voices = [] }) => voices);

  test("at least one good voice in each language that no other package speaks", () => {
    const languages =
      "pl uk nl tr ar pt sv cs ro hu fi da no el vi ca sk sl lv ka lb is kk fa ne sw cy id ml te eu sq bg";
    expect(
      languages.split(" ").filter((language) => !voices.some((voice) => voice.language === language)),
    ).toEqual([]);
    expect(voices.length).toBeGreaterThan(30);
  });

  test("each has its own id, in packages and in manifests", () => {
    const named = manifests.flatMap((manifest) =>
      manifest.type === "tts" && manifest.rank > 0 ? [...new Set(manifest.voices.map(({ id }) => id))] : [],
    );
    const ids = [...voices.map(({ id }) => id), ...new Set(named)];
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  test("every voice package brings a voice, and only the installed ones are offered", () => {
    expect(packages.filter(({ family, voices }) => family === "vits" && !voices?.length)).toEqual([]);
    const { voices: offered } = catalogueWith("flite", "piper-uk-lada");
    expect(offered.filter(({ engine }) => engine !== "flite").map(({ id }) => id)).toEqual(["uk-lada"]);
  });

  test("svc-tts1 speaks with the voices of every family that speaks", () => {
    const speaking = FAMILY_NAMES.filter((family) => familyOf(family).task === "synthesis");
    const ofEach = speaking.map((family) => ({
      ...packages[0]!,
      name: `own-${family}`,
      family,
      voices: [{ ...voices[0]!, id: family }],
    })) as Package[];
    const offered = buildCatalogue(manifests, (engine) => engine.startsWith("own-"), ofEach).voices;
    const spoken = offered.filter(({ models }) => models.includes("svc-tts1")).map(({ id }) => id);
    expect(spoken.sort()).toEqual([...speaking].sort());
  });

  test("a manifest's own voice comes before a package's of the same id", () => {
    const speech = manifests.find(
      ({ type, families }: { type: string; families?: unknown }) => type === "tts" && families,
    )!;
    if (speech.type !== "tts") throw new Error("no speech model names a family");
    const voice = { ...speech.voices[0]!, id: "pl-gosia", name: "Own" };
    const { voices: offered } = buildCatalogue([{ ...speech, voices: [voice] }], () => true, packages);
    expect(offered.filter(({ id }) => id === "pl-gosia").map(({ name }) => name)).toEqual(["Own"]);
  });

  test("a voice whose engine is missing does not hide an installed one of the same id", () => {
    const [first, ...others] = packages.find(({ name }) => name === "supertonic-3")!.voices!;
    const named = { ...first!, id: "male-rich", name: "Of a package" }; // as a voice of Kokoro
    const changed = packages.map((pkg) =>
      pkg.name === "supertonic-3" ? { ...pkg, voices: [named, ...others] } : pkg,
    );
    const namesWith = (...installed: string[]) =>
      buildCatalogue(
        manifests.filter(({ model }) => model === "svc-tts1"),
        (engine) => installed.includes(engine),
        changed,
      )
        .voices.filter(({ id }) => id === "male-rich")
        .map(({ name }) => name);
    expect(namesWith("supertonic-3")).toEqual(["Of a package"]);
    expect(namesWith("supertonic-3", "kokoro-82m")).toEqual(["Marco"]);
  });
});

test("Supertonic offers ten voices, each in 31 languages, and svc-tts1 speaks what only it knows", () => {
  const { find } = catalogueWith("supertonic-3", "kokoro-82m", "flite", "espeak");
  const voicesOf = (model: string) => {
    const version = find(model)!.version!;
    return version.type === "tts" ? version.voices : [];
  };
  const speakers = new Set(voicesOf("svc-tts2").map(({ speaker }) => speaker));
  expect([...speakers].sort()).toEqual("F1 F2 F3 F4 F5 M1 M2 M3 M4 M5".split(" "));
  for (const voice of voicesOf("svc-tts2")) expect(languagesSpoken(voice)).toHaveLength(31);
  expect(modelObject(find("svc-tts2")!).supported_languages).toHaveLength(31);
  const voicesIn = (language: string) => voicesOf("svc-tts1").filter((voice) => voice.language === language);
  for (const language of ["ja", "ko", "hr", "et", "lt"]) expect(voicesIn(language)).toHaveLength(2);
  expect(voicesIn("en").map(({ engine }) => engine)).not.toContain("supertonic-3");
});

test("an installed package that speaks has a voice to try, and no other package has one", () => {
  const catalogue = catalogueWith("piper-de-thorsten", "whisper-base");
  const voice = { model: "svc-tts1", voice: "male-firm", language: "de" };
  expect(voiceOf(catalogue, "piper-de-thorsten")).toEqual(voice);
  for (const name of ["piper-da-talesyntese", "whisper-base"]) expect(voiceOf(catalogue, name)).toBeNull();
});
