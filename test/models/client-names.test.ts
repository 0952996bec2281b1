/** Promise: shipped names stand for what the catalogue has, the operator's own replace them, and its own ids come first. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Alias, aliasName, mergeAliases, readAliases } from "../../src/models/aliases.ts";
import { buildCatalogue, withNames } from "../../src/models/catalogue.ts";
import { chooseRealtime, chooseRecognition, chooseSpeech } from "../../src/models/choose.ts";
import { catalogueByPlan } from "../../src/models/live-catalogue.ts";
import { ManifestError } from "../../src/models/manifest.ts";
import type { Plan } from "../../src/plans.ts";
import type { Cap } from "../../src/restrictions.ts";
import {
  alias,
  builtIn,
  catalogue,
  manifests,
  named,
  namesIn,
  packages,
  shipped,
  speech,
} from "./shipped-names.ts";

const withKokoro = withNames(
  buildCatalogue(manifests, (engine) => builtIn(engine) || engine === "kokoro-82m", [...packages.values()]),
  shipped,
);

/** Those that lists of models have. */
const listed = shipped.filter((alias) => alias.listed !== false);
const namesOf = (kind: Alias["kind"]) => namesIn(listed, kind);
const refused = (code: string, message = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

function messageOf(choose: () => unknown): string {
  try {
    choose();
  } catch (refusal) {
    return (refusal as Error).message;
  }
  return "it was not refused";
}

/** The defaults of common clients, and what replaces them. */
const SPEECH_MODELS = [
  ...["tts-1", "tts-1-hd", "tts-1-1106", "tts-1-hd-1106", "kokoro", "gpt-4o-mini-tts"],
  ...["gpt-4o-mini-tts-2025-03-20", "gpt-4o-mini-tts-2025-12-15"],
];
const RECOGNITION_MODELS = [
  ...["", "whisper-1", "whisper-small", "gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe"],
  ...["gpt-4o-mini-transcribe-2025-03-20", "gpt-4o-mini-transcribe-2025-12-15", "gpt-4o-transcribe-diarize"],
  ...["gpt-live-transcribe", "gpt-realtime-whisper"],
];
const VOICES = [
  ...["alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage"],
  ...["shimmer", "verse", "beacon", "bossa", "cinder", "delta", "gleam", "meridian", "quartz", "ripple"],
  ...["shida", "stone", "tempo", "vesper", "willow", "aster"],
];
const FEMALE = [
  ...["alloy", "coral", "marin", "nova", "sage", "shimmer"],
  ...["aster", "bossa", "gleam", "quartz", "ripple", "shida", "willow"],
];

describe("shipped names", () => {
  test("are those of the common clients", () => {
    expect(namesOf("model").toSorted()).toEqual([...SPEECH_MODELS, ...RECOGNITION_MODELS].toSorted());
    expect(namesOf("voice")).toEqual(expect.arrayContaining(VOICES));
    expect(shipped.map(({ name }) => aliasName(name))).toEqual(shipped.map(({ name }) => name));
  });

  test("stand for models, voices, or speakers of a package that exist", () => {
    const speakers = packages.get("kokoro-82m")!.files.map(({ role }) => role.replace("voice-", ""));
    const others = [...packages.values(), ...manifests].flatMap((each) =>
      "voices" in each ? each.voices : [],
    );
    const known = [...catalogue.entries, ...catalogue.voices, ...others].map(({ id }) => id).concat(speakers);
    expect(shipped.flatMap(({ targets }) => targets).filter((target) => !known.includes(target))).toEqual([]);
  });

  test.each(SPEECH_MODELS)("%s speaks, as MP3 unless a request names a format", (model) => {
    expect(chooseSpeech(named, speech({ model }))).toMatchObject({ model: "svc-tts1", format: "mp3" });
    expect(chooseSpeech(named, speech({ model, format: "flac" })).format).toBe("flac");
  });

  test.each(SPEECH_MODELS)("%s streams every format at every speed, with its first model", (model) => {
    for (const format of ["mp3", "wav", "pcm", "flac", "opus"])
      for (const speed of [0.25, 1, 4]) {
        const streamed = { model, voice: "ash", format, speed, streaming: true };
        expect(chooseSpeech(named, speech(streamed))).toMatchObject({ model: "svc-tts1", format });
      }
  });

  test("stream in every format and at every speed also where an upstream's model has one as its id", () => {
    const [speaking] = manifests.filter(({ model, rank }) => model === "svc-tts1" && rank === 0);
    const upstream = withNames(
      buildCatalogue([...manifests, { ...speaking!, model: "kokoro" }], builtIn),
      shipped,
    );
    const streamed = { model: "kokoro", format: "opus", speed: 1.5, streaming: true };
    expect(chooseSpeech(upstream, speech(streamed))).toMatchObject({ model: "kokoro", format: "opus" });
    expect(() => chooseSpeech(upstream, speech({ ...streamed, model: "svc-tts1" }))).toThrow(
      refused("unsupported_response_format", /^svc-tts1 streams pcm/),
    );
  });

  test("are what refusals name, with the model that they stand for", () => {
    const messages = [
      () => chooseSpeech(named, speech({ format: "ogg" })),
      () => chooseSpeech(named, speech({ voice: "nobody" })),
      () => chooseSpeech(named, speech({ model: "whisper-1" })),
      () => chooseRecognition(named, { model: "whisper-1", language: "xx", streaming: false }),
      () => chooseRecognition(named, { model: "whisper-1", language: "en", streaming: true, keywords: true }),
      () => chooseRealtime(named, { model: "gpt-live-transcribe", language: "xx" }),
    ].map(messageOf);
    expect(messages).toEqual([
      "tts-1 (svc-tts1) produces wav, mp3, flac, pcm, opus, not ogg.",
      expect.stringContaining("There is no voice nobody. tts-1 (svc-tts1) speaks with"),
      expect.stringContaining("whisper-1 (svc-stt1) is not a TTS model."),
      expect.stringContaining("whisper-1 (svc-stt1) transcribes"),
      expect.stringContaining("whisper-1 (svc-stt1) cannot prefer keywords"),
      expect.stringContaining("gpt-live-transcribe (svc-stt1) transcribes"),
    ]);
  });

  test.each(RECOGNITION_MODELS)("%p recognizes, and has no diarization", (model) => {
    const request = { model, language: "en", streaming: false };
    expect(chooseRecognition(named, request).model).toBe("svc-stt1");
    expect(() =>
      chooseRecognition(named, { ...request, speakers: { param: "response_format", isUsed: true } }),
    ).toThrow(refused("unsupported_response_format"));
    expect(chooseRealtime(named, { model, language: null }).model).toBe("svc-stt1");
  });

  test.each(VOICES)("%s speaks on both models, with a voice of its sort", (voice) => {
    for (const model of ["svc-tts1", "svc-tts2"]) {
      const chosen = chooseSpeech(named, speech({ model, voice }));
      expect(chosen.voice.gender).toBe(FEMALE.includes(voice) ? "female" : "male");
      expect(chosen.voice.language).toBe("en");
    }
  });

  test("Kokoro's voices are found where Kokoro is installed", () => {
    const heart = speech({ voice: "af_heart" });
    expect(chooseSpeech(withKokoro, heart).voice).toMatchObject({ id: "female-warm", speaker: "af_heart" });
    expect(() => chooseSpeech(named, heart)).toThrow(refused("invalid_voice"));
    for (const name of namesOf("voice").filter((each) => /^.._/.test(each)))
      expect(chooseSpeech(withKokoro, speech({ voice: name })).voice).toMatchObject({
        engine: "kokoro-82m",
        gender: name[1] === "f" ? "female" : "male",
      });
  });

  test("that are nearly right are offered; of another sort they are not", () => {
    expect(() => chooseSpeech(named, speech({ model: "tts1-hd" }))).toThrow(
      refused("invalid_model", /^tts1-hd is not a TTS model\. Did you mean tts-1-hd\? TTS models: svc-tts1/),
    );
    expect(() => chooseSpeech(catalogue, speech({ model: "svc-tts" }))).toThrow(
      refused("invalid_model", /^svc-tts is not a TTS model\. Did you mean svc-tts1\?/),
    );
    expect(() => chooseSpeech(named, speech({ model: "svc-stt1" }))).toThrow(
      refused("invalid_model", /^svc-stt1 is not a TTS model\. TTS models: svc-tts1/),
    );
  });

  test("names of conversations are for transcription sessions only", () => {
    for (const model of namesOf("session")) {
      const request = { model, language: null };
      expect(chooseRealtime(named, { ...request, transcribes: true }).model).toBe("svc-stt1");
      expect(() => chooseRealtime(named, request)).toThrow(
        refused("realtime_not_supported", /\?intent=transcription/),
      );
      expect(() => chooseSpeech(named, speech({ model }))).toThrow(refused("invalid_model"));
    }
  });
});

describe("a voice", () => {
  test.each([["Greta"], ["GRETA"], [" greta "], ["Female-Crisp"]])("is found by its name, %p", (voice) => {
    expect(chooseSpeech(named, speech({ voice })).voice.id).toBe("female-crisp");
  });

  test("of another model is named as such", () => {
    expect(() => chooseSpeech(named, speech({ model: "svc-tts2", voice: "Jonas" }))).toThrow(
      refused("voice_not_supported"),
    );
  });

  test.each([
    ["alloyy", "alloy"],
    ["Gretta", "Greta"],
    ["femal-crisp", "female-crisp"],
  ])("%p is not found, and %p is offered", (voice, meant) => {
    expect(() => chooseSpeech(named, speech({ voice }))).toThrow(
      refused("invalid_voice", new RegExp(`^There is no voice ${voice}\\. Did you mean ${meant}\\? tts-1 `)),
    );
  });

  test("in a catalogue without names is found by its id, and a display name is explained", () => {
    expect(() => chooseSpeech(catalogue, speech({ model: "svc-tts1", voice: "Greta" }))).toThrow(
      refused("invalid_voice", /^There is no voice Greta\. The id of Greta is female-crisp\./),
    );
  });
});

describe("the operator's own names", () => {
  const laid = (...rows: Alias[]) => withNames(catalogue, mergeAliases(shipped, rows));

  test("replace shipped ones, switch them off, and add more", () => {
    const other = laid(
      alias({ name: "tts-1", targets: ["svc-tts2"], format: "wav" }),
      alias({ name: "whisper-1", targets: [] }),
      alias({ kind: "voice", name: "alloy", targets: ["female-crisp"] }),
      alias({ kind: "voice", name: "narrator", targets: ["nobody", "male-deep"] }),
    );
    expect(chooseSpeech(other, speech({}))).toMatchObject({
      model: "svc-tts2",
      format: "wav",
      voice: { id: "female-crisp" },
    });
    expect(other.find("whisper-1")).toBeNull();
    expect(chooseSpeech(other, speech({ model: "tts-1-hd", voice: "Narrator" })).voice.id).toBe("male-deep");
    expect(mergeAliases(shipped, [alias({ name: "tts-1" }), alias({})]).map(({ source }) => source)).toEqual(
      expect.arrayContaining(["shipped", "changed", "own"]),
    );
  });

  test("never hide a name of the catalogue, nor stand for what it lacks", () => {
    const other = laid(alias({ name: "svc-stt1" }), alias({ name: "gone", targets: ["svc-tts9"] }));
    expect(other.find("svc-stt1")?.id).toBe("svc-stt1");
    expect(other.find("gone")).toBeNull();
    expect(() => chooseSpeech(other, speech({ model: "gone" }))).toThrow(refused("invalid_model"));
  });

  test("count from the next request on, for unmetered organizations only", () => {
    let rows: Alias[] = [];
    const byCaller = catalogueByPlan(catalogue, () => rows);
    const catalogueFor = (plan: Plan) => byCaller({ plan, caps: [] });
    expect(catalogueFor("unmetered").find("mine")).toBeNull();
    rows = [alias({})];
    expect(catalogueFor("unmetered").find("mine")?.id).toBe("svc-tts1");
    expect(catalogueFor("unmetered")).toBe(catalogueFor("unmetered"));
    expect(catalogueFor("prepaid")).toBe(catalogue);
  });

  test("are those of equal caps, and follow the names for the same caps", () => {
    let rows: Alias[] = [];
    const byCaller = catalogueByPlan(catalogue, () => rows);
    const capped = (restrictions: Cap["restrictions"]): Cap[] => [
      { of: "key", subject: "key", restrictions, admits: null },
    ];
    const models = { mode: "allow_list" as const, ids: ["svc-tts1"] };
    const caps = capped({ models });
    const of = (each: Cap[]) => byCaller({ plan: "unmetered", caps: each });
    expect(of(caps)).toBe(of(capped({ models })));
    expect(of(capped({ limits: { requests_per_minute: 1 } }))).toBe(
      byCaller({ plan: "unmetered", caps: [] }),
    );
    expect(of(caps).find("mine")).toBeNull();
    rows = [alias({})];
    expect(of(caps).find("mine")?.id).toBe("svc-tts1");
    expect(of(caps).entries.map(({ id }) => id)).toEqual(["svc-tts1"]);
  });
});

test("a set of names with a mistake is refused by its file", () => {
  const models = mkdtempSync(join(tmpdir(), "loquat-names-"));
  try {
    mkdirSync(join(models, "aliases"));
    const one = { kind: "model", names: ["a"], targets: ["svc-tts1"] };
    for (const set of [
      [{ ...one, names: ["A"] }],
      [{ ...one, kind: "x" }],
      [one, one],
      {},
      [{ ...one, targets: [] }],
      [{ ...one, listed: true }],
    ]) {
      writeFileSync(join(models, "aliases", "mine.json"), JSON.stringify(set));
      expect(() => readAliases(models)).toThrow(ManifestError);
      expect(() => readAliases(models)).toThrow("mine.json");
    }
    expect(readAliases(join(models, "nowhere"))).toEqual([]);
  } finally {
    rmSync(models, { recursive: true });
  }
});
