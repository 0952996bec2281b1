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

  test("converts, whole and streamed", async () => {
    const { textToSpeech } = open();
    for (const body of [
      await textToSpeech.convert(VOICE, { text: TEXT }),
      await textToSpeech.stream(VOICE, { text: TEXT, outputFormat: "mp3_44100_128" }),
    ])
      expect((await decoded("mp3", await gathered(body))).rate).toBe(44_100);
  });

  test("reads the times of characters, whole and streamed", async () => {
    const { textToSpeech } = open();
    const whole = await textToSpeech.convertWithTimestamps(VOICE, { text: TEXT });
    expect(whole.alignment?.characters.join("")).toBe(TEXT);
    const characters: string[] = [];
    for await (const part of await textToSpeech.streamWithTimestamps(VOICE, { text: TEXT }))
      characters.push(...(part.alignment?.characters ?? []));
    expect(characters.join("")).toBe(TEXT);
  });

  test("throws what was refused", async () => {
    const refused = (async () => await open().textToSpeech.convert("unknown", { text: TEXT }))();
    await expect(refused).rejects.toMatchObject({
      statusCode: 404,
      body: { detail: { status: "voice_not_found" } },
    });
  });
});

describe("@deepgram/sdk 5.13", () => {
  const open = () => new DeepgramClient({ apiKey: harness.key, environment: environmentOf(harness.url) });

  test("generates speech", async () => {
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

describe("Vercel AI SDK", () => {
  test("speaks through @ai-sdk/elevenlabs 3.0", async () => {
    const provider = createElevenLabs({ apiKey: harness.key, fetch: toServer("api.elevenlabs.io") });
    const { audio, warnings } = await provider.speech("svc-tts1").doGenerate({ text: TEXT, voice: VOICE });
    expect((await decoded("mp3", audio as Uint8Array)).rate).toBe(44_100);
    expect(warnings).toEqual([]);
  });

  test("speaks through @ai-sdk/deepgram 3.1", async () => {
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
const CALLS = { elevenlabs: 14, "deepgram-sdk": 5, "livekit-agents": 9, "pipecat-ai": 4 };
const python = pythonWith(PACKAGES);
const unless = python ? "" : " (skipped: the clients in Python could not be installed)";

test.skipIf(!python)(
  `elevenlabs, deepgram-sdk, and the plugins of LiveKit and Pipecat speak in Python${unless}`,
  async () => {
    const script = fileURLToPath(new URL("speech_clients.py", import.meta.url));
    const program = Bun.spawn([python!, script, harness.url, harness.key], { stderr: "ignore" });
    const lines = (await new Response(program.stdout).text()).trim().split("\n");
    const calls = lines.map(
      (line) => JSON.parse(line) as { client: string; bytes: number; problem: string | null },
    );
    expect(calls.filter(({ bytes, problem }) => problem !== null || bytes < 5000)).toEqual([]);
    const counts = Object.entries(Object.groupBy(calls, ({ client }) => client));
    expect(Object.fromEntries(counts.map(([client, all]) => [client, all!.length]))).toEqual(CALLS);
  },
);
