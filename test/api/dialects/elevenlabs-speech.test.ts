/** Promise: requests for speech in ElevenLabs' shape are spoken as they ask, and refused by name where they cannot be. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { askAs, decoded } from "./asking.ts";

const VOICE = "/v1/text-to-speech/female-warm";
const TEXT = "Good morning, dear world.";

let harness: Harness;
let ask: ReturnType<typeof askAs>;
beforeAll(async () => {
  harness = await openHarness();
  ask = askAs("elevenlabs", harness);
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(async () => expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]));

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const spent = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;

describe("a body of a text alone", () => {
  test("is spoken by the default model as MP3 of 44.1 kHz, and says what it cost", async () => {
    for (const path of [VOICE, `${VOICE}/stream`]) {
      const response = await ask(path, { text: TEXT });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("audio/mpeg");
      expect(response.headers.get("character-cost")).toBe(String(TEXT.length));
      expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"));
      const { rate, seconds } = await decoded("mp3", await bytesOf(response));
      expect(rate).toBe(44_100);
      expect(seconds).toBeWithin(1, 4);
    }
  });

  test("is spoken by the model that has the voice", async () => {
    const { voices } = harness.parts.catalogue;
    const only = voices.find(({ models }) => !models.includes("svc-tts1")) ?? voices[0]!;
    expect((await ask(`/v1/text-to-speech/${only.id}`, { text: "Hi." })).status).toBe(200);
  });
});

describe("output_format", () => {
  const inFormat = async (name: string) =>
    bytesOf(await ask(`${VOICE}?output_format=${name}`, { text: TEXT }));

  test.each(["mp3_22050_32", "mp3_24000_48", "mp3_44100_64", "mp3_44100_192", "opus_48000_64"])(
    "%s has the rate that it names",
    async (name) => {
      const [format, rate] = name.split("_") as ["mp3" | "opus", string];
      const sound = await decoded(format, await inFormat(name));
      expect(sound.rate).toBe(Number(rate));
      expect(sound.seconds).toBeWithin(1, 4);
    },
  );

  test("wav is a file whose length is known", async () => {
    const bytes = await inFormat("wav_16000");
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    expect(await decoded("wav", bytes)).toMatchObject({ rate: 16_000 });
  });

  test("pcm and G.711 have as many samples as their rate says", async () => {
    const [low, high] = [await inFormat("pcm_8000"), await inFormat("pcm_48000")];
    expect(high.length / low.length).toBeCloseTo(6, 2);
    for (const name of ["ulaw_8000", "alaw_8000"])
      expect((await inFormat(name)).length / (low.length / 2)).toBeCloseTo(1, 3);
  });

  test("is refused by name where it is not made", async () => {
    for (const name of ["mp3_8000_320", "pcm_11025", "flac_44100", "mp3"]) {
      const response = await ask(`${VOICE}?output_format=${name}`, { text: TEXT });
      const { status, param, message } = await errorOf(response);
      expect({ status, param }).toEqual({ status: 400, param: "output_format" });
      expect(message).toStartWith(`There is no output_format ${name}.`);
    }
  });
});

test("speed is heard, and what has no effect is named", async () => {
  const fields = { seed: 1, previous_text: "A.", next_text: null, apply_text_normalization: "auto" };
  const length = async (speed: number) => {
    const settings = { stability: 0.5, similarity_boost: null, speed };
    const path = `${VOICE}/stream?output_format=pcm_16000&optimize_streaming_latency=3`;
    const response = await ask(path, { text: TEXT, voice_settings: settings, ...fields });
    expect(response.headers.get("x-ignored-fields")).toBe(
      "seed, previous_text, apply_text_normalization, voice_settings.stability, optimize_streaming_latency",
    );
    return (await bytesOf(response)).length;
  };
  expect((await length(0.7)) / (await length(1.2))).toBeWithin(1.3, 2.2);
});

describe("timestamps", () => {
  const joined = (alignment: { characters: string[] }) => alignment.characters.join("");
  const rising = (times: number[]) => times.every((time, i) => i === 0 || time >= times[i - 1]!);

  test("of a whole clip are one for each character", async () => {
    const response = await ask(`${VOICE}/with-timestamps?output_format=pcm_16000`, { text: TEXT });
    const { alignment, normalized_alignment, audio_base64 } = (await response.json()) as Aligned;
    expect(joined(alignment!)).toBe(TEXT);
    expect(normalized_alignment).toEqual(alignment);
    const { character_start_times_seconds: starts, character_end_times_seconds: ends } = alignment!;
    expect([starts.length, ends.length]).toEqual([TEXT.length, TEXT.length]);
    expect(rising(starts) && rising(ends)).toBe(true);
    expect(ends.at(-1)).toBeCloseTo(Buffer.from(audio_base64, "base64").length / 32_000, 1);
  });

  test("of a stream come line by line, and are the same text", async () => {
    const long = `${TEXT} ${TEXT} It was a cold day, and the boats had left the harbour.`;
    const response = await ask(`${VOICE}/stream/with-timestamps?output_format=pcm_16000`, { text: long });
    const lines = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Aligned);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.map(({ alignment }) => (alignment ? joined(alignment) : "")).join("")).toBe(long);
    expect(rising(lines.flatMap(({ alignment }) => alignment?.character_start_times_seconds ?? []))).toBe(
      true,
    );
  });
});
type Aligned = {
  audio_base64: string;
  alignment:
    | null
    | (Record<"character_start_times_seconds" | "character_end_times_seconds", number[]> & {
        characters: string[];
      });
  normalized_alignment: object | null;
};

describe("is refused, and not charged:", () => {
  const LOCATORS = [{ pronunciation_dictionary_id: "a", version_id: "b" }];
  test.each<[string, string, unknown, [number, string, string | null]]>([
    ["a text that is empty", VOICE, { text: " " }, [422, "validation_error", "text"]],
    ["a text that is too long", VOICE, { text: "a".repeat(8001) }, [422, "validation_error", "text"]],
    ["a text that is none", VOICE, { text: 5 }, [422, "validation_error", "text"]],
    ["a body that is no JSON object", VOICE, [], [422, "validation_error", null]],
    [
      "a dictionary",
      VOICE,
      { text: TEXT, pronunciation_dictionary_locators: LOCATORS },
      [...([400, "unsupported_parameter", "pronunciation_dictionary_locators"] as const)],
    ],
    [
      "a speed out of range",
      VOICE,
      { text: TEXT, voice_settings: { speed: 9 } },
      [...([422, "validation_error", "voice_settings.speed"] as const)],
    ],
    ["a model that is not here", VOICE, { text: TEXT, model_id: "x" }, [400, "invalid_model", "model_id"]],
    ["a voice that is not here", "/v1/text-to-speech/x", { text: TEXT }, [404, "invalid_voice", "voice_id"]],
  ])("%s", async (_name, path, body, [status, code, param]) => {
    const before = await spent();
    for (const route of ["", "/stream", "/with-timestamps", "/stream/with-timestamps"])
      expect(await errorOf(await ask(path + route, body))).toMatchObject({ status, code, param });
    expect(await spent()).toBe(before);
  });
});

test("a voice that is not here has the status that clients of ElevenLabs know", async () => {
  const { detail } = (await (await ask("/v1/text-to-speech/x", { text: "Hi." })).json()) as {
    detail: { status: string };
  };
  expect(detail.status).toBe("voice_not_found");
});

test("each character is charged once, and named in the log of requests", async () => {
  const before = await spent();
  harness.clock.pass(2000);
  await bytesOf(await ask(VOICE, { text: TEXT }));
  const price = (before - (await spent())) / TEXT.length;
  expect(price).toBeGreaterThan(0);
  const [row] = await harness.parts.ledger.requests(harness.organizationId, 1);
  expect(row).toMatchObject({
    ...{ endpoint: "/elevenlabs/v1/text-to-speech", characters: TEXT.length, voice: "female-warm" },
    ...{ responseFormat: "mp3", status: 200 },
  });
});
