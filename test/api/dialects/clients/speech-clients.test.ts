/** Promise: stock clients of ElevenLabs and Deepgram speak when only the address and the key change. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { createDeepgram } from "@ai-sdk/deepgram";
import { createElevenLabs } from "@ai-sdk/elevenlabs";
import { DeepgramClient } from "@deepgram/sdk";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { pythonWith } from "../../../../testing/python.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { decoded } from "../asking.ts";
import { reported } from "./reported.ts";

setDefaultTimeout(180_000);

const VOICE = "female-warm";
const TEXT = "Good morning, dear world. How are you today?";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
});
afterAll(() => harness[Symbol.asyncDispose]());

type Chunks = AsyncIterable<Uint8Array>;

async function gathered(body: Chunks | ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as Chunks) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("@elevenlabs/elevenlabs-js 2.73", () => {
  const open = () => new ElevenLabsClient({ apiKey: harness.key, baseUrl: harness.url, maxRetries: 0 });

  test("textToSpeech.convert, textToSpeech.stream: whole and streamed", async () => {
    const { textToSpeech } = open();
    for (const body of [
      await textToSpeech.convert(VOICE, { text: TEXT }),
      await textToSpeech.stream(VOICE, { text: TEXT, outputFormat: "mp3_44100_128" }),
    ])
      expect((await decoded("mp3", await gathered(body))).rate).toBe(44_100);
  });

  test("textToSpeech.convertWithTimestamps, textToSpeech.streamWithTimestamps: the times of characters", async () => {
    const { textToSpeech } = open();
    const whole = await textToSpeech.convertWithTimestamps(VOICE, { text: TEXT });
    expect(whole.alignment?.characters.join("")).toBe(TEXT);
    const characters: string[] = [];
    for await (const part of await textToSpeech.streamWithTimestamps(VOICE, { text: TEXT }))
      characters.push(...(part.alignment?.characters ?? []));
    expect(characters.join("")).toBe(TEXT);
  });

  test("textToSpeech.convert: throws what was refused", async () => {
    const refused = (async () => await open().textToSpeech.convert("unknown", { text: TEXT }))();
    await expect(refused).rejects.toMatchObject({
      statusCode: 404,
      body: { detail: { status: "voice_not_found" } },
    });
  });
});

describe("@deepgram/sdk 5.13", () => {
  const open = () => new DeepgramClient({ apiKey: harness.key, environment: environmentOf(harness.url) });

  test("speak.v1.audio.generate: MP3, and WAV of a voice", async () => {
    const { speak } = open();
    const plain = await speak.v1.audio.generate({ text: TEXT });
    expect((await decoded("mp3", await gathered(plain.stream()!))).rate).toBe(22_050);
    const wav = await speak.v1.audio.generate({ text: TEXT, model: VOICE as never, encoding: "linear16" });
    expect((await decoded("wav", await gathered(wav.stream()!))).rate).toBe(24_000);
  });
});

const environmentOf = (url: string) => {
  const live = url.replace("http", "ws");
  return { base: url, production: live, agent: live, agentRest: url } as never;
};

describe("@ai-sdk/elevenlabs 3.0, @ai-sdk/deepgram 3.1", () => {
  test("generateSpeech, elevenlabs: an MP3", async () => {
    const provider = createElevenLabs({ apiKey: harness.key, fetch: toServer("api.elevenlabs.io") });
    const { audio, warnings } = await provider.speech("svc-tts1").doGenerate({ text: TEXT, voice: VOICE });
    expect((await decoded("mp3", audio as Uint8Array)).rate).toBe(44_100);
    expect(warnings).toEqual([]);
  });

  test("generateSpeech, deepgram: MP3 and WAV", async () => {
    const provider = createDeepgram({ apiKey: harness.key, fetch: toServer("api.deepgram.com") });
    for (const [outputFormat, format, rate] of [
      ["mp3", "mp3", 22_050],
      ["wav", "wav", 24_000],
    ] as const) {
      const { audio } = await provider.speech(VOICE).doGenerate({ text: TEXT, outputFormat });
      expect((await decoded(format, audio as Uint8Array)).rate).toBe(rate);
    }
  });
});

/** These two know one address; their `fetch` may be replaced. */
const toServer = (host: string): typeof fetch =>
  ((url: string, init?: RequestInit) =>
    fetch(url.replace(`https://${host}`, harness.url), init)) as typeof fetch;

const PACKAGES = [
  ...[
    "elevenlabs==2.78.0",
    "deepgram-sdk==7.17.0",
    "livekit-agents==1.8.9",
    "livekit-plugins-elevenlabs==1.8.9",
  ],
  ...["livekit-plugins-deepgram==1.8.9", "pipecat-ai[elevenlabs,deepgram]==1.14.0"],
];
const python = pythonWith(PACKAGES);
const unless = python ? "" : " (skipped: the clients in Python could not be installed)";
const told = reported(() => {
  const script = fileURLToPath(new URL("speech_clients.py", import.meta.url));
  const folder = fileURLToPath(new URL(".", import.meta.url));
  return { command: [python!, script, harness.url, harness.key], folder };
});
const spoken = test.skipIf(!python);

/** Each of these calls has brought a sentence. */
async function expectSpoken(client: string, ...calls: string[]): Promise<void> {
  for (const call of calls) expect((await told(`${client} ${call}`)).bytes).toBeGreaterThan(5000);
}

describe(`elevenlabs 2.78 for Python${unless}`, () => {
  const expectAll = (...calls: string[]) => expectSpoken("elevenlabs", ...calls);
  spoken("text_to_speech.convert: a file, with settings too", () =>
    expectAll("convert", "convert, with settings"),
  );
  spoken("text_to_speech.convert: in seven formats", () =>
    expectAll(
      ...["mp3_22050_32", "mp3_44100_128", "pcm_16000", "pcm_24000"].map((name) => `convert, ${name}`),
      ...["ulaw_8000", "opus_48000_64", "wav_24000"].map((name) => `convert, ${name}`),
    ),
  );
  spoken("text_to_speech.stream: audio while it is made, asynchronously too", () =>
    expectAll("stream", "async stream"),
  );
  spoken("text_to_speech.convert_with_timestamps: the characters are the text", () =>
    expectAll("convert_with_timestamps"),
  );
  spoken("text_to_speech.stream_with_timestamps: the characters are the text", () =>
    expectAll("stream_with_timestamps"),
  );
  spoken("text_to_speech.convert_realtime: a text that comes in parts", () => expectAll("convert_realtime"));
});

describe(`deepgram-sdk 7.17 for Python${unless}`, () => {
  spoken("speak.v1.audio.generate: a file, in four encodings", () =>
    expectSpoken(
      "deepgram-sdk",
      ...["speak.v1.audio.generate", "generate, linear16", "generate, mp3 of 48 kbit/s", "generate, mulaw"],
    ),
  );
  spoken("speak.v1.connect: a text that comes in parts, flushed and cleared", () =>
    expectSpoken("deepgram-sdk", "speak.v1.connect"),
  );
});

describe(`livekit-plugins-elevenlabs 1.8 for Python${unless}`, () => {
  spoken("TTS.synthesize: a sentence, as MP3 and as samples", () =>
    expectSpoken("livekit-agents", "elevenlabs: synthesize", "elevenlabs, pcm: synthesize"),
  );
  spoken("TTS.stream: two texts over one connection", () =>
    expectSpoken(
      "livekit-agents",
      ...["elevenlabs: stream", "elevenlabs: stream again"],
      ...["elevenlabs, pcm: stream", "elevenlabs, pcm: stream again"],
    ),
  );
});

describe(`livekit-plugins-deepgram 1.8 for Python${unless}`, () => {
  spoken("TTS.synthesize: a sentence", () => expectSpoken("livekit-agents", "deepgram: synthesize"));
  spoken("TTS.stream: two texts over one connection", () =>
    expectSpoken("livekit-agents", "deepgram: stream", "deepgram: stream again"),
  );
});

describe(`pipecat-ai 1.14${unless}`, () => {
  spoken("ElevenLabsTTSService: a sentence", () => expectSpoken("pipecat-ai", "ElevenLabsTTSService"));
  spoken("ElevenLabsHttpTTSService: a sentence", () =>
    expectSpoken("pipecat-ai", "ElevenLabsHttpTTSService"),
  );
  spoken("DeepgramTTSService: a sentence", () => expectSpoken("pipecat-ai", "DeepgramTTSService"));
  spoken("DeepgramHttpTTSService: a sentence", () => expectSpoken("pipecat-ai", "DeepgramHttpTTSService"));
});
