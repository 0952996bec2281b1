/**
 * Promise: with published weights, people who speak in turns are told apart through each API that has speakers, and one whose
 * voice is known is named.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { join, toInt16, wavHeader } from "../../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { realSpeakers, unlessRealSpeakers } from "../../../testing/packages/real-weights.ts";
import { clip } from "../../clips.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { form } from "./form.ts";

setDefaultTimeout(240_000);

const unless = unlessRealSpeakers();
const PAUSE_SECONDS = 0.5;
const PAUSE = new Float32Array(PAUSE_SECONDS * ASR_SAMPLE_RATE);
/** Two readers of books, and a speaker to a crowd. */
const TURNS = [
  ["Linda", "speech-en/LJ001-0005.wav"],
  ["Austen", "speech-en/sense_and_sensibility_01_austen_64kb-0880.wav"],
  ["Kennedy", "speech-en/jfk.flac"],
  ["Linda", "speech-en/LJ001-0001.wav"],
  ["Austen", "speech-en/sense_and_sensibility_01_austen_64kb-0870.wav"],
] as const;

const wavOf = (samples: Float32Array) =>
  Buffer.concat([wavHeader(samples.length, ASR_SAMPLE_RATE), Buffer.from(toInt16(samples).buffer)]);

describe.skipIf(unless !== "")(`real voices${unless}`, () => {
  let harness: Harness;
  let recording: Buffer<ArrayBuffer>;
  let turns: { who: string; start: number; end: number }[];
  beforeAll(async () => {
    harness = await openHarness({ plan: "unmetered", environment: { LOQUAT_WEIGHTS: realSpeakers()! } });
    let samples = PAUSE;
    turns = [];
    for (const [who, path] of TURNS) {
      const start = samples.length / ASR_SAMPLE_RATE;
      samples = join(samples, await clip(path));
      turns.push({ who, start, end: samples.length / ASR_SAMPLE_RATE });
      samples = join(samples, PAUSE);
    }
    recording = wavOf(samples) as Buffer<ArrayBuffer>;
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  type Said = { start: number; end: number };
  /** The people of the recording by the speakers of the answer: one name each, where none was taken for another. */
  function peopleBy(said: (Said & { speaker: string })[]): Record<string, string> {
    const people = new Map<string, Set<string>>();
    for (const { speaker, start, end } of said) {
      const { who } = turns.find((turn) => (start + end) / 2 < turn.end + PAUSE_SECONDS / 2) ?? turns.at(-1)!;
      people.set(speaker, new Set(people.get(speaker)).add(who));
    }
    return Object.fromEntries([...people].map(([speaker, names]) => [speaker, [...names].join()]));
  }

  test("diarized_json for the openai client, with a known voice", async () => {
    const voice = wavOf((await clip("speech-en/jfk.flac")).subarray(0, 5 * ASR_SAMPLE_RATE));
    const client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
    const answer = await client.audio.transcriptions.create({
      ...{ model: "gpt-4o-transcribe-diarize", file: await toFile(recording, "talk.wav") },
      ...{ response_format: "diarized_json", chunking_strategy: "auto" },
      known_speaker_names: ["Kennedy"],
      known_speaker_references: [`data:audio/wav;base64,${voice.toString("base64")}`],
    });
    const { segments } = answer as unknown as { segments: (Said & { speaker: string; text: string })[] };
    expect(peopleBy(segments)).toEqual({ A: "Linda", B: "Austen", Kennedy: "Kennedy" });
    const kennedy = segments.filter(({ speaker }) => speaker === "Kennedy").map(({ text }) => text);
    expect(kennedy.join(" ")).toMatch(/my fellow Americans.*your country\.$/);
  });

  test("words with speakers for clients of Deepgram", async () => {
    const response = await harness.ask("/v1/listen?model=nova-3&diarize=true&language=en", {
      method: "POST",
      headers: { "content-type": "audio/wav", authorization: `Token ${harness.key}` },
      body: recording,
    });
    const { results } = (await response.json()) as {
      results: { channels: { alternatives: { words: (Said & { speaker: number })[] }[] }[] };
    };
    const { words } = results.channels[0]!.alternatives[0]!;
    const said = words.map(({ speaker, ...times }) => ({ ...times, speaker: String(speaker) }));
    expect(peopleBy(said)).toEqual({ 0: "Linda", 1: "Austen", 2: "Kennedy" });
  });

  test("words with speakers for clients of ElevenLabs", async () => {
    const init = form([
      ["model_id", "scribe_v1"],
      ["diarize", "true"],
      ["file", recording],
    ]);
    const answer = (await (await harness.ask("/v1/speech-to-text", init)).json()) as {
      words: (Said & { speaker_id: string; type: string })[];
    };
    const said = answer.words.filter(({ type }) => type === "word");
    expect(peopleBy(said.map((word) => ({ ...word, speaker: word.speaker_id })))).toEqual({
      ...{ speaker_0: "Linda", speaker_1: "Austen", speaker_2: "Kennedy" },
    });
  });
});
