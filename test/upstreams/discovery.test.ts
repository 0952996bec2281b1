/** Promise: the lists of all known servers are read, and become models and voices under ids of the catalogue. */
import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { checkDefinition, presetWith, readPresets } from "../../src/upstreams/definition.ts";
import { modelsFor } from "../../src/upstreams/discovered-models.ts";
import { listModels, listVoices, modelsIn, voicesIn } from "../../src/upstreams/discovery.ts";

const presets = readPresets(readConfig({}).models.folder);

test("a server is asked for its models and voices with its credential", async () => {
  const lists = {
    "/v1/models": { object: "list", data: [{ id: "tts-small", type: "tts" }] },
    "/v1/voices": { data: [{ id: "ann" }] },
  };
  using server = Bun.serve({
    port: 0,
    fetch: (request) =>
      request.headers.get("authorization") === "Bearer key"
        ? Response.json(lists[new URL(request.url).pathname as keyof typeof lists])
        : new Response("no key", { status: 401 }),
  });
  const base = server.url.origin;
  const asking = {
    address: { key: base, base, host: null },
    headers: { authorization: "Bearer key" },
    signal: new AbortController().signal,
  };
  const preset = presetWith(presets, "loquat", {});
  expect(await listModels(preset, asking)).toEqual([{ id: "tts-small", type: "tts", languages: [] }]);
  expect(await listVoices(preset, asking)).toMatchObject([{ id: "ann" }]);
  await expect(listModels(preset, { ...asking, headers: {} })).rejects.toThrow();
});

describe("voices are read from", () => {
  test.each([
    ["names", { voices: ["aiden", "vivian"], uploaded_voices: [{ name: "x" }] }, ["aiden", "vivian"]],
    ["objects with an id", { voices: [{ id: "af_heart", name: "Heart" }] }, ["af_heart"]],
    ["objects with a name", { voices: [{ name: "af_heart", language: "en-us" }] }, ["af_heart"]],
    ["files", { status: "ok", voices: ["Emily.wav"] }, ["Emily.wav"]],
    ["lists by locale", { "en-US,es-US": { voices: ["Magpie.EN-US.Aria"] } }, ["Magpie.EN-US.Aria"]],
    [
      "a list object",
      { object: "list", data: [{ id: "female-warm", name: "Ada", locale: "en-US" }] },
      ["female-warm"],
    ],
    ["nothing", { detail: "not found" }, []],
    ["null", null, []],
  ])("%s", (_shape, answer, ids) => {
    expect(voicesIn(answer).map(({ id }) => id)).toEqual(ids);
  });

  test("locales are those of the voices", () => {
    expect(voicesIn({ "en-US,es-US": { voices: ["Aria"] } })[0]).toMatchObject({
      language: "en",
      locale: "en-US",
    });
  });
});

test("models are read from lists of both names, with what they say of themselves", () => {
  expect(modelsIn({ models: [] })).toEqual([]);
  const data = [
    { id: "whisper", task: "automatic-speech-recognition", language: ["en", "de"] },
    { id: "svc-tts1", type: "tts" },
    { id: 5 },
  ];
  expect(modelsIn({ data })).toEqual([
    { id: "whisper", type: "stt", languages: ["en", "de"] },
    { id: "svc-tts1", type: "tts", languages: [] },
  ]);
});

const additions = {
  choices: [],
  languages: [],
  voices: [],
  fallback: null,
  priceMicros: null,
  tokenMicros: null,
  whisperLanguages: ["de", "en"],
};
const voice = (id: string) => ({ id, name: id, language: null, locale: null, models: [] });
const model = (id: string) => ({ id, type: null, languages: [] });

describe("what a server lists becomes", () => {
  test("voices with ids of the catalogue, each once, in the language of their names", () => {
    const found = { models: [model("kokoro")], voices: ["af_heart", "AF Heart", "zf_xiaobei"].map(voice) };
    expect(modelsFor(presetWith(presets, "kokoro-fastapi", {}), found, additions)).toMatchObject([
      {
        type: "tts",
        model: "kokoro",
        voices: [
          { id: "af_heart", speaker: "af_heart", languages: ["en"] },
          { id: "af-heart", speaker: "AF Heart" },
          { id: "zf_xiaobei", languages: ["zh"] },
        ],
      },
    ]);
  });

  test("transcription for a model of Whisper, in all of its languages", () => {
    const found = { models: [model("openai/whisper-large-v3")], voices: [] };
    expect(modelsFor(presetWith(presets, "vllm", {}), found, additions)).toEqual([
      {
        type: "stt",
        model: "openai-whisper-large-v3",
        upstream_model: "openai/whisper-large-v3",
        languages: ["de", "en"],
        translates: true,
      },
    ]);
  });

  test("live speech for a model that the server lists with it, or that OpenAI documents with it", () => {
    const listed = modelsIn({
      data: [
        { id: "a-stt", capabilities: ["batch", "realtime"] },
        { id: "b-stt", capabilities: ["batch"] },
        "gpt-4o-transcribe",
        "gpt-4o-transcribe-diarize",
      ],
    });
    const realtimeIn = (preset: string) =>
      modelsFor(presetWith(presets, preset, {}), { models: listed, voices: [] }, additions).map(
        (each) => each.type === "stt" && each.realtime === true,
      );
    expect(realtimeIn("loquat")).toEqual([true, false, true, false]);
    expect(realtimeIn("openai-json")).toEqual([false, false, false, false]);
  });

  test("the models that are chosen, under the chosen ids", () => {
    const choices = [{ theirs: "tts-1", ours: "cloud-voice", type: null }];
    const found = { models: [model("tts-1"), model("gpt-9")], voices: [] };
    const models = modelsFor(presetWith(presets, "openai", {}), found, { ...additions, choices });
    expect(models).toHaveLength(1);
    expect(models[0]).toMatchObject({ type: "tts", model: "cloud-voice", upstream_model: "tts-1" });
  });
});

test.each([...presets.keys()])("the preset %s describes what a definition can use", (preset) => {
  const { speech, transcription } = presetWith(presets, preset, {});
  const entry = speech
    ? { type: "tts", voices: [{ id: "a", speaker: "a", name: "A", languages: ["en"] }] }
    : transcription
      ? { type: "stt", languages: ["en"] }
      : { type: "llm" };
  const models = [{ ...entry, model: "one", upstream_model: "one" }];
  const definition = {
    name: "x",
    preset,
    urls: ["http://x"],
    credential: null,
    flags: {},
    added: "2026-11-23",
    models,
  };
  expect(checkDefinition(definition, presets).preset.title).not.toBe("");
});
