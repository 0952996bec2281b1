/** Promise: requests for speech in Deepgram's shape are spoken as they ask, and refused by name where they cannot be. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { askAs, decoded } from "./asking.ts";

const TEXT = "Good morning, dear world.";
const hasFfmpeg = installedFamilies().has("decode");

let harness: Harness;
let ask: ReturnType<typeof askAs>;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  ask = askAs("deepgram", harness);
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(async () => expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]));

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const speak = (query: string, text = TEXT) => ask(`/v1/speak?${query}`, { text });

test("a text alone is spoken by the default voice as MP3 of 22.05 kHz", async () => {
  const response = await speak("");
  expect(response.status).toBe(200);
  const { headers } = response;
  expect(headers.get("content-type")).toBe("audio/mpeg");
  expect(headers.get("dg-request-id")).toBe(headers.get("x-request-id"));
  expect(headers.get("dg-char-count")).toBe(String(TEXT.length));
  expect(headers.get("dg-model-name")).toBe("female-warm");
  expect(await decoded("mp3", await bytesOf(response))).toMatchObject({ rate: 22_050 });
});

describe("model", () => {
  const spoken = async (name: string) => (await speak(`model=${name}`)).headers.get("dg-model-name");

  test("names a voice", async () => expect(await spoken("male-deep")).toBe("male-deep"));

  test("names a voice by an alias", async () => {
    await harness.parts.aliases.set({
      kind: "voice",
      name: "aura-2-zeta-en",
      targets: ["male-deep"],
      format: null,
    });
    expect(await spoken("aura-2-zeta-en")).toBe("male-deep");
  });

  test("names a model, which speaks with its first voice", async () => {
    expect(await spoken("svc-tts1")).toBe("female-warm");
    expect(await spoken("tts-1")).toBe("female-warm");
  });

  test("is refused where it is neither", async () => {
    const { status, code, message } = await errorOf(await speak("model=aura-9-unknown-en"));
    expect({ status, code }).toEqual({ status: 404, code: "invalid_voice" });
    expect(message).toContain("There is no voice aura-9-unknown-en.");
  });
});

describe("encoding", () => {
  test.each([
    ["encoding=mp3&bit_rate=32000", "mp3", 22_050],
    ["encoding=linear16", "wav", 24_000],
    ["encoding=linear16&sample_rate=8000&container=wav", "wav", 8000],
    ["encoding=opus&container=ogg&bit_rate=32000", "opus", 48_000],
    ["encoding=flac&sample_rate=16000", "flac", 16_000],
  ] as const)("%s has the format and the rate that it names", async (query, format, rate) => {
    const response = await speak(query);
    const sound = await decoded(format, await bytesOf(response));
    expect(sound.rate).toBe(rate);
    expect(sound.seconds).toBeWithin(1, 4);
  });

  test("mulaw and alaw are bytes of 8 kHz, in WAV unless it has no container", async () => {
    for (const law of ["mulaw", "alaw"]) {
      const wav = await bytesOf(await speak(`encoding=${law}`));
      const raw = await bytesOf(await speak(`encoding=${law}&container=none`));
      expect(wav.subarray(0, 4).toString()).toBe("RIFF");
      expect(wav.length - raw.length).toBe(44);
      expect(raw.length / 8000).toBeWithin(1, 4);
    }
  });

  test.skipIf(!hasFfmpeg)(
    `aac is made${hasFfmpeg ? "" : " (skipped: node-av is not installed)"}`,
    async () => {
      const bytes = await bytesOf(await speak("encoding=aac"));
      expect([bytes[0], bytes[1]! & 0xf0]).toEqual([0xff, 0xf0]);
    },
  );
});

test("speed is heard, and what has no effect is named", async () => {
  const length = async (speed: number) => {
    const response = await speak(`encoding=linear16&container=none&speed=${speed}&mip_opt_out=true&tag=a`);
    expect(response.headers.get("x-ignored-fields")).toBe("mip_opt_out");
    return (await bytesOf(response)).length;
  };
  expect((await length(0.7)) / (await length(1.5))).toBeWithin(1.5, 2.8);
});

describe("is refused by name:", () => {
  test.each<[string, string, unknown, [number, string]]>([
    ["an encoding that is not made", "encoding=amr", { text: TEXT }, [400, "The encoding must be"]],
    [
      "a container that does not fit",
      "encoding=mp3&container=wav",
      { text: TEXT },
      [400, "The container of mp3"],
    ],
    [
      "a rate that does not fit",
      "encoding=mulaw&sample_rate=44100",
      { text: TEXT },
      [400, "The sample_rate of"],
    ],
    [
      "a rate that is no number",
      "encoding=linear16&sample_rate=x",
      { text: TEXT },
      [400, "sample_rate must be"],
    ],
    ["a bit rate that does not fit", "bit_rate=1", { text: TEXT }, [400, "The bit_rate of mp3"]],
    [
      "a bit rate of what has none",
      "encoding=flac&bit_rate=1",
      { text: TEXT },
      [400, "The bit_rate of flac"],
    ],
    ["a speed out of range", "speed=9", { text: TEXT }, [400, "speed must be"]],
    ["a callback", "callback=https://a.example", { text: TEXT }, [400, "callback is not done here"]],
    ["an empty text", "", { text: "" }, [422, "text is empty"]],
    ["no text", "", { url: "https://a.example" }, [422, "text is required"]],
  ])("%s", async (_name, query, body, [status, message]) => {
    const response = await ask(`/v1/speak?${query}`, body);
    const error = (await response.json()) as { err_code: string; err_msg: string; request_id: string };
    expect(response.status).toBe(status);
    expect(error.err_msg).toStartWith(message);
    expect(error.request_id).toBe(response.headers.get("x-request-id") ?? "");
  });

  test("the second version of speech", async () => {
    const { status, code, message } = await errorOf(await ask("/v2/speak", { text: TEXT }));
    expect({ status, code }).toEqual({ status: 404, code: "not_found" });
    expect(message).toContain("/v1/speak");
  });
});
