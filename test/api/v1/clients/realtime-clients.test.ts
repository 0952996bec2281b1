/** Promise: stock realtime clients, old and new, get transcripts when only the URL and the key change. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import OpenAI from "openai";
import { OpenAIRealtimeWS as Beta7 } from "openai/beta/realtime/ws";
import { OpenAIRealtimeWS as Live7 } from "openai/realtime/ws";
import OpenAI4 from "openai-4";
import { OpenAIRealtimeWS as Beta4 } from "openai-4/beta/realtime/ws";
import OpenAI6 from "openai-6";
import { OpenAIRealtimeWS as Live6 } from "openai-6/realtime/ws";
import { toInt16 } from "../../../../src/audio/pcm.ts";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { clip, hasClips, references, WEIGHTS } from "../../../clips.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { terminateTls } from "../../../tls.ts";
import { takes, until } from "../../../until.ts";
import { plainWordErrors } from "../../../wer.ts";
import type { ServerEvent } from "../realtime/live.ts";
import { agentTranscript } from "./agent.ts";

setDefaultTimeout(120_000);

const ready = hasClips && installedFamilies().has("sphinx");
const unlessReady = ready ? "" : " (skipped: the recordings or libpocketsphinx are not here)";
const CHUNK = 4800; // 100 ms
const SILENCE_BYTES = 48_000; // a second, at the end of the recording
const SPOKEN = "speech-en/LJ001-0004.wav";

let harness: Harness;
let secure: Awaited<ReturnType<typeof terminateTls>>;
let recording: Buffer;
let reference: string;

beforeAll(async () => {
  if (!ready) return;
  harness = await openHarness({ environment: { LOQUAT_WEIGHTS: WEIGHTS } });
  secure = await terminateTls(harness.url);
  recording = await pcm(SPOKEN);
  reference = references().find(([path]) => path === SPOKEN)![1];
});
afterAll(async () => {
  await secure?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** 24 kHz, with the silence after it that ends a turn. */
async function pcm(path: string): Promise<Buffer> {
  const spoken = toInt16(await clip(path, 24_000));
  return Buffer.concat([Buffer.from(spoken.buffer), Buffer.alloc(SILENCE_BYTES)]);
}

type Pace = "in real time" | "in one burst";

async function stream(audio: Buffer, pace: Pace, send: (audio: string) => void): Promise<void> {
  for (let offset = 0; offset < audio.length; offset += CHUNK) {
    send(audio.subarray(offset, offset + CHUNK).toString("base64"));
    if (pace === "in real time") await takes(100);
  }
}

const open = <C extends typeof OpenAI>(Client: C) =>
  new Client({ apiKey: harness.key, baseURL: `${secure.url}/v1` });
const options = { rejectUnauthorized: false };

/** What the clients have in common. */
type Stock = {
  send(event: object): void;
  close(): void;
  on(event: string, listener: (event: never) => void): void;
};

const CLIENTS: Record<string, () => Stock> = {
  "openai 7, by intent": () =>
    new Live7({ intent: "transcription", options } as never, open(OpenAI)) as never,
  "openai 7, by model": () => new Live7({ model: "svc-stt1", options }, open(OpenAI)) as never,
  "openai 6": () => new Live6({ model: "svc-stt1", options }, open(OpenAI6 as never) as never) as never,
  "openai 7, beta": () => new Beta7({ model: "svc-stt1", options }, open(OpenAI)) as never,
  "openai 4, beta": () => new Beta4({ model: "svc-stt1", options }, open(OpenAI4 as never) as never) as never,
};

async function transcribe(client: Stock, audio: Buffer, pace: Pace) {
  const events: ServerEvent[] = [];
  const done = Promise.withResolvers<ServerEvent>();
  client.on("event", ((event: ServerEvent) => {
    events.push(event);
    if (event.type === "session.created") void stream(audio, pace, append).catch(done.reject);
    if (event.type.endsWith("transcription.completed")) done.resolve(event);
  }) as never);
  client.on("error", done.reject as never);
  const append = (chunk: string) => client.send({ type: "input_audio_buffer.append", audio: chunk });
  const completed = (await done.promise) as unknown as ServerEvent & { transcript: string };
  client.close();
  return { events, completed };
}

const errorRate = (text: string) => {
  const { errors, words } = plainWordErrors(reference, text);
  return errors / words;
};

async function hears(client: Stock, pace: Pace): Promise<void> {
  const { events, completed } = await transcribe(client, recording, pace);
  const deltas = events.flatMap(({ type, delta }) => (type.endsWith(".delta") ? [delta as string] : []));
  expect(deltas.join("")).toBe(completed.transcript);
  expect(errorRate(completed.transcript)).toBeLessThan(0.5);
  const kinds = events.map(({ type }) => type);
  for (const type of ["input_audio_buffer.speech_started", "input_audio_buffer.committed"])
    expect(kinds.filter((kind) => kind === type)).toHaveLength(1);
}

describe.skipIf(!ready)(`stock clients${unlessReady}`, () => {
  test.each(Object.keys(CLIENTS))("%s transcribes a recording sent in one burst", async (name) => {
    await hears(CLIENTS[name]!(), "in one burst");
  });

  test("transcribe at the same time, at real-time speed", async () => {
    await Promise.all(Object.values(CLIENTS).map((connect) => hears(connect(), "in real time")));
  });

  test("have text while speech goes on, however long the engine takes for it", async () => {
    const client = CLIENTS["openai 7, by model"]!();
    const types: string[] = [];
    client.on("event", (({ type }: ServerEvent) => types.push(type)) as never);
    const speech = recording.subarray(0, -SILENCE_BYTES);
    await until(() => types.includes("session.created"));
    for (let offset = 0; !types.some((type) => type.endsWith(".delta")); offset += CHUNK) {
      const chunk = speech.subarray(offset % speech.length).subarray(0, CHUNK);
      client.send({ type: "input_audio_buffer.append", audio: chunk.toString("base64") });
      await takes(100);
    }
    client.close();
    expect(types).not.toContain("input_audio_buffer.speech_stopped");
  });

  test.each(["in real time", "in one burst"] as const)(
    "the Agents SDK has the transcript in its history, sent %s",
    async (pace) => {
      const url = `${harness.url.replace("http", "ws")}/v1/realtime?model=svc-stt1`;
      const options = { url, apiKey: harness.key, model: "svc-stt1" };
      const transcript = await agentTranscript(options, (session) =>
        stream(recording, pace, (audio) =>
          session.sendAudio(new Uint8Array(Buffer.from(audio, "base64")).buffer),
        ),
      );
      expect(errorRate(transcript)).toBeLessThan(0.5);
    },
  );
});
