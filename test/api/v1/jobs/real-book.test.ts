/**
 * Promise: with published weights, a book that is spoken as a job says its text, chapter by chapter, and its chapters begin where the job
 * says: another model hears their words there, and silence before them.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { OpenAI, toFile } from "openai";
import { toInt16, wavHeader } from "../../../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import { soleClaim } from "../../../../src/engine/runner.ts";
import { REAL_VOICES, realStore, realVoices, unlessReal } from "../../../../testing/packages/real-weights.ts";
import { epubOf } from "../../../documents/epub-file.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { percent, wordErrors } from "../../../wer.ts";

setDefaultTimeout(600_000);

const unless = unlessReal("piper", "kokoro", "whisper", "vad", "turn");

const CHAPTERS = [
  {
    title: "The old harbor",
    text: "The old harbor lies behind the church, and every morning the boats leave before the sun is up. People who want fresh fish should come early, because by nine o'clock nothing is left but crabs. In the evening the wind drops, and the whole valley can hear the bells.",
  },
  {
    title: "A letter from the city",
    text: "The letter came on a rainy morning. It was short and friendly, and it said that the train would be late again. She folded it twice, put it under the lamp to keep it flat, and went out to look at the river.",
  },
  {
    title: "The way home",
    text: "A narrow path led past the orchard to a gate that no longer closed. They walked along the water and talked about the winter, until the first lights came on behind the trees.",
  },
];
type Chapter = (typeof CHAPTERS)[number];

const sentenceOf = ({ title, text }: Chapter, index: number): Chapter => ({
  title,
  text: text.split(/(?<=\.) /)[index]!,
});

/** Kokoro takes seven times as long as Piper: it speaks one sentence each of two chapters. */
const SPOKEN: Record<keyof typeof REAL_VOICES, readonly Chapter[]> = {
  piper: CHAPTERS,
  kokoro: [sentenceOf(CHAPTERS[1]!, 1), sentenceOf(CHAPTERS[2]!, 0)],
};

const bookOf = (chapters: readonly Chapter[]) =>
  epubOf({
    title: "The house by the river",
    chapters: chapters.map(({ title, text }, index) => ({
      name: `${index}.xhtml`,
      body: `<h1>${title}</h1><p>${text}</p>`,
    })),
  });

/** Of what is said, in words of a hundred: the recognizer is a small one. */
const ERRORS_MAX = 8;
/** Of the silence between chapters, a second: but for the ends of both. */
const SILENT = { from: 0.8, to: 0.1 };

const samplesAt = (seconds: number) => Math.round(seconds * ASR_SAMPLE_RATE);
const peakOf = (samples: Float32Array) =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

describe.skipIf(unless !== "")(`a book${unless}`, () => {
  let speaking: Harness;
  let recognizing: Harness;
  beforeAll(async () => {
    const open = (LOQUAT_WEIGHTS: string) =>
      openHarness({ plan: "unmetered", environment: { LOQUAT_WEIGHTS } });
    [speaking, recognizing] = [await open(realVoices()), await open(realStore())];
  });
  afterAll(async () => {
    await speaking[Symbol.asyncDispose]();
    await recognizing[Symbol.asyncDispose]();
  });
  const clientOf = ({ key, url }: Harness) =>
    new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });

  async function heard(samples: Float32Array): Promise<string> {
    const wav = Buffer.concat([
      wavHeader(samples.length, ASR_SAMPLE_RATE),
      Buffer.from(toInt16(samples).buffer),
    ]);
    const file = await toFile(wav, "chapter.wav");
    return (await clientOf(recognizing).audio.transcriptions.create({ model: "svc-stt1", file })).text;
  }

  test.each(["piper", "kokoro"] as const)("spoken by %s", async (engine) => {
    const [chapters, voice] = [SPOKEN[engine], REAL_VOICES[engine]];
    const client = clientOf(speaking);
    const file = await toFile(Uint8Array.from(bookOf(chapters)), "house.epub");
    const { id: input_file_id } = await client.files.create({ file, purpose: "user_data" });
    const asked = { model: "svc-tts1", voice, response_format: "mp3", input_file_id, chapters: "headings" };
    const made = await client.audio.speech.create({ ...asked, background: true } as never);
    let job = (await made.json()) as Job;
    while (job.status === "queued" || job.status === "in_progress")
      job = (await client.get(`/audio/jobs/${job.id}?wait=60`)) as Job;
    expect(job).toMatchObject({ status: "completed", title: "The house by the river" });
    expect(job.chapters.map(({ title }) => title)).toEqual(chapters.map(({ title }) => title));
    const options = { __binaryResponse: true } as object;
    const mp3 = (await client.get(`/audio/jobs/${job.id}/content`, options)) as Response;
    const decoded = await speaking.parts.decoder.decode(await mp3.bytes(), soleClaim());
    if ("refusal" in decoded) throw new Error(decoded.message);
    const { samples, durationSeconds } = decoded;
    expect(Math.abs(durationSeconds - job.chapters.at(-1)!.end)).toBeLessThan(0.2);
    const errors = [];
    for (const [index, { start, end }] of job.chapters.entries()) {
      if (index > 0) {
        const silence = samples.slice(samplesAt(start - SILENT.from), samplesAt(start - SILENT.to));
        expect(peakOf(silence)).toBeLessThan(0.01);
      }
      const { title, text } = chapters[index]!;
      errors.push(
        wordErrors(`${title}. ${text}`, await heard(samples.slice(samplesAt(start), samplesAt(end)))),
      );
    }
    expect(percent(errors)).toBeLessThan(ERRORS_MAX);
  });
});

type Job = {
  id: string;
  status: string;
  chapters: { title: string; start: number; end: number }[];
};
