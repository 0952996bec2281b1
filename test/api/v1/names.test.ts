/**
 * Promise: an unmetered organization may use the names that clients bring; a prepaid one is refused as specified, and
 * charged nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { movePlan } from "../../../src/usage/move-plan.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { form } from "./form.ts";
import { dial, type ServerEvent, scriptedLive } from "./realtime/live.ts";

const hears = installedFamilies().has("sphinx");
const unlessDeaf = hears ? "" : " (skipped: PocketSphinx is missing)";

let harness: Harness;
let recording: Uint8Array;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered", services: { live: scriptedLive().live } });
  const pcm = { model: "svc-tts1", voice: "male-deep", response_format: "wav" };
  recording = new Uint8Array(await (await speak(pcm)).arrayBuffer());
});
afterAll(() => harness[Symbol.asyncDispose]());

const speak = (fields: object) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "tts-1", voice: "alloy", input: "Good morning.", ...fields }),
  });
const transcribe = (model: string, fields: [string, string][] = []) =>
  harness.ask("/v1/audio/transcriptions", form([["model", model], ...fields, ["file", recording]]));
const listOf = async (path: string) => {
  const { data } = (await (await harness.ask(path)).json()) as { data: { id: string; alias_of?: string }[] };
  return data;
};
/** The row of a request in the log, once it is written. */
const logged = async (response: Response) => {
  await response.arrayBuffer();
  const { ledger } = harness.parts;
  return until(() => ledger.request(harness.organizationId, response.headers.get("x-request-id")!));
};

describe("an unmetered organization", () => {
  const names = ["tts-1", "tts-1-hd", "tts-1-1106", "tts-1-hd-1106", "gpt-4o-mini-tts", "kokoro"];
  const dated = ["gpt-4o-mini-tts-2025-03-20", "gpt-4o-mini-tts-2025-12-15"];
  test.each([...names, ...dated])("receives MP3 from %s", async (model) => {
    const response = await speak({ model });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  });

  const voices = ["alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer"];
  const live = ["beacon", "bossa", "cinder", "delta", "gleam", "meridian", "quartz", "ripple", "shida"];
  test.each([...voices, "verse", "marin", "cedar", ...live, "Greta", " Ada"])(
    "receives the voice %p",
    async (voice) => {
      const response = await speak({ voice, response_format: "pcm" });
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    },
  );

  test("streams MP3 under OpenAI's names, as LiveKit asks by default", async () => {
    const defaults = { model: "gpt-4o-mini-tts", voice: "ash", speed: 1, response_format: "mp3" };
    const response = await speak({ ...defaults, stream_format: "sse", instructions: null });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    expect(await response.text()).toContain("speech.audio.done");
  });

  test("is recorded under the ids of the catalogue", async () => {
    const recorded = { model: "svc-tts1", voice: "female-warm", responseFormat: "mp3", characters: 13 };
    expect(await logged(await speak({}))).toMatchObject(recorded);
  });

  const models = ["", "whisper-1", "whisper-small", "gpt-transcribe", "gpt-4o-transcribe"];
  const more = ["gpt-4o-mini-transcribe", "gpt-4o-transcribe-diarize", "gpt-live-transcribe"];
  test.skipIf(!hears).each([...models, ...more, "gpt-realtime-whisper"])(
    `is transcribed by %p${unlessDeaf}`,
    async (model) => {
      const response = await transcribe(model);
      expect(await response.json()).toMatchObject({ text: "good morning" });
    },
  );

  test("is refused diarization, and a form without the field of the model", async () => {
    const diarized = await transcribe("gpt-4o-transcribe-diarize", [["response_format", "diarized_json"]]);
    expect(await errorOf(diarized)).toMatchObject({ status: 400, code: "unsupported_response_format" });
    const unnamed = await harness.ask("/v1/audio/transcriptions", form([["file", recording]]));
    expect(await errorOf(unnamed)).toMatchObject({ status: 422, param: "model" });
  });

  test("finds the names in the list of models, and each of them by name", async () => {
    const all = await listOf("/v1/models");
    expect(all.find(({ id }) => id === "whisper-1")).toMatchObject({ alias_of: "svc-stt1", object: "model" });
    expect(all.filter(({ id }) => id === "" || id.startsWith("gpt-realtime-2"))).toEqual([]);
    expect(all.filter(({ id }) => /^(eleven_|scribe_|nova-|aura-)/.test(id))).toEqual([]);
    for (const name of ["eleven_v3", "nova-3"]) {
      const found = await (await harness.ask(`/v1/models/${name}`)).json();
      expect(found).toMatchObject({ id: name, alias_of: expect.stringMatching(/^svc-/) });
    }
    const speaking = (await listOf("/v1/models?type=tts")).map(({ id }) => id);
    expect(speaking).toEqual(expect.arrayContaining(["svc-tts1", "tts-1"]));
    expect(speaking).not.toContain("whisper-1");
    const one = (await (await harness.ask("/v1/models/TTS-1")).json()) as object;
    expect(one).toMatchObject({ id: "tts-1", alias_of: "svc-tts1", type: "tts" });
    expect((await listOf("/v1/voices?model=tts-1")).length).toBe(20);
  });

  test("follows the operator's edits from the next request on", async () => {
    const { aliases } = harness.parts;
    await aliases.set({ kind: "model", name: "tts-1", targets: ["svc-tts2"], format: "wav" });
    await aliases.set({ kind: "voice", name: "alloy", targets: ["male-classic"], format: null });
    const response = await speak({});
    expect(response.headers.get("content-type")).toBe("audio/wav");
    await response.arrayBuffer();
    await aliases.remove("model", "tts-1");
    expect(await errorOf(await speak({}))).toMatchObject({ status: 400, code: "invalid_model" });
    await aliases.resetAll();
    expect((await speak({})).status).toBe(200);
  });
});

describe("a realtime session of an unmetered organization", () => {
  const model = async (query: string) => {
    const client = await dial(harness, { query });
    const { session } = (await client.until("session.created")) as unknown as {
      session: { audio: { input: { transcription: { model: string } } } };
    };
    client.close();
    return session.audio.input.transcription.model;
  };

  test
    .skipIf(!hears)
    .each([
      "intent=transcription&model=gpt-realtime-whisper",
      "intent=transcription&model=gpt-live-transcribe",
      "model=whisper-1",
      "intent=transcription&model=gpt-realtime",
    ])(`opens with ?%s${unlessDeaf}`, async (query) => {
    expect(await model(query)).toBe("svc-stt1");
  });

  test.skipIf(!hears).each(["gpt-realtime-whisper", "gpt-live-transcribe"])(
    `detects no turns under %s, whose clients commit them, unless asked to${unlessDeaf}`,
    async (model) => {
      const turns = ({ session }: ServerEvent) =>
        (session as { audio: { input: { turn_detection: object | null } } }).audio.input.turn_detection;
      const named = { type: "transcription", audio: { input: { transcription: { model } } } };
      const detecting = {
        type: "transcription",
        audio: { input: { turn_detection: { type: "server_vad" } } },
      };
      const client = await dial(harness, { query: `intent=transcription&model=${model}` });
      expect(turns(await client.until("session.created"))).toBeNull();
      client.update(detecting);
      expect(turns(await client.until("session.updated"))).toMatchObject({ type: "server_vad" });
      client.update(named);
      expect(turns(await client.until("session.updated", 2))).toMatchObject({ type: "server_vad" });
      client.close();
      const unnamed = await dial(harness);
      expect(turns(await unnamed.until("session.created"))).toMatchObject({ type: "server_vad" });
      unnamed.update(named);
      expect(turns(await unnamed.until("session.updated"))).toBeNull();
      unnamed.close();
    },
  );

  test.skipIf(!hears)(`takes the names in its settings${unlessDeaf}`, async () => {
    const client = await dial(harness);
    const transcription = { model: "gpt-4o-mini-transcribe", language: "en" };
    client.update({ type: "transcription", audio: { input: { transcription } } });
    expect(await client.until("session.updated")).toMatchObject({
      session: { audio: { input: { transcription: { model: "svc-stt1" } } } },
    });
    client.update({
      type: "transcription",
      audio: { input: { transcription: { model: "gpt-realtime-2.1" } } },
    });
    await client.until("session.updated", 2);
    client.close();
  });

  test.skipIf(!hears)(
    `keeps transcribing where an update names a conversation's model${unlessDeaf}`,
    async () => {
      const client = await dial(harness, { query: "intent=transcription" });
      client.update({ type: "realtime", model: "gpt-realtime-2.1" });
      expect(await client.until("session.updated")).toMatchObject({
        session: { audio: { input: { transcription: { model: "svc-stt1" } } } },
      });
      client.close();
    },
  );

  test("is refused as a conversation, with the way to transcribe", async () => {
    const client = await dial(harness, { query: "model=gpt-realtime-2.1" });
    const { error, ...ended } = await client.ended();
    expect(ended).toMatchObject({ code: "realtime_not_supported", param: "model", close: 1008 });
    expect(error?.message).toContain("?intent=transcription");
  });
});

describe("a prepaid organization", () => {
  beforeAll(async () => {
    await movePlan(harness.parts, harness.organizationId, "prepaid");
    harness.clock.pass(1001); // a key's organization is read once a second
  });

  const request = { model: "svc-tts1", voice: "female-warm" };
  const SPEECH: [name: string, fields: object, status: number, code: string, message: RegExp][] = [
    ["tts-1", {}, 400, "invalid_model", /^tts-1 is not a TTS model\. TTS models: svc-tts1, svc-tts2\.$/],
    ["kokoro", { model: "kokoro" }, 400, "invalid_model", /^kokoro is not a TTS model\./],
    [
      "alloy",
      { ...request, voice: "alloy" },
      404,
      "invalid_voice",
      /^There is no voice alloy\. svc-tts1 speaks/,
    ],
    [
      "a display name",
      { ...request, voice: "Greta" },
      404,
      "invalid_voice",
      /The id of Greta is female-crisp\./,
    ],
    ["a name with spaces", { ...request, voice: " female-warm" }, 404, "invalid_voice", /^There is no voice/],
    ["an empty model", { ...request, model: "" }, 422, "validation_error", /^model/],
  ];
  test.each(SPEECH)("is refused %s", async (_name, fields, status, code, message) => {
    expect(await errorOf(await speak(fields))).toMatchObject({
      status,
      code,
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ["whisper-1", 400, "invalid_model", "whisper-1 is not an STT model. STT models: svc-stt1."],
    ["", 422, "validation_error", "model is required."],
  ])("is refused the transcription model %p", async (model, status, code, message) => {
    expect(await errorOf(await transcribe(model))).toMatchObject({ status, code, message, param: "model" });
  });

  test("is refused their names in a realtime session", async () => {
    for (const model of ["whisper-1", "gpt-realtime"]) {
      const client = await dial(harness, { query: `intent=transcription&model=${model}` });
      expect(await client.ended()).toMatchObject({ code: "invalid_model", close: 1008 });
    }
  });

  test("finds its own names only, and WAV by default", async () => {
    expect((await listOf("/v1/models")).map(({ id }) => id)).toEqual(["svc-stt1", "svc-tts1", "svc-tts2"]);
    expect(await errorOf(await harness.ask("/v1/models/tts-1"))).toMatchObject({ code: "model_not_found" });
    const response = await speak(request);
    expect(response.headers.get("content-type")).toBe("audio/wav");
    await response.arrayBuffer();
  });
});
