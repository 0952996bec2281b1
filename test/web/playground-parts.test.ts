/** Promise: what the playground computes is right: languages, waveforms, times, what history keeps, when a session may end. */
import { describe, expect, test } from "bun:test";
import { barsOf, openPeakMeter } from "../../src/web/playground/audio/peaks.ts";
import { clockTime, timerText } from "../../src/web/playground/audio/time-text.ts";
import { openPending } from "../../src/web/playground/live/pending.ts";
import { cuesOf, type Utterance } from "../../src/web/playground/live/utterances.ts";
import { surplus } from "../../src/web/playground/synthesis/bounds.ts";
import {
  cuesOf as cuesOfTranscript,
  readTranscription,
  wordsOf,
} from "../../src/web/playground/transcribe/transcription.ts";
import { guessLanguage } from "../../src/web/playground/voices/language.ts";
import { voiceColour, voiceInitials } from "../../src/web/playground/voices/voice-mark.ts";
import { isSample, sampleLanguages, sampleOf } from "../../src/web/samples/sample-texts.ts";

describe("the language of a text", () => {
  const all = sampleLanguages(["en", "es", "fr", "de", "it", "pt", "hi", "zh", "ru", "ja", "xx"]);

  test.each(all)("of the sample in %s is guessed, whole and in short", (language) => {
    expect(guessLanguage(sampleOf(language).text)).toBe(language);
    expect(guessLanguage(sampleOf(language).voice)).toBe(language);
    expect(isSample(sampleOf(language).text)).toBe(true);
  });

  test.each(["", "12 345", "😀", "Kyrgyzstan", "Loquat 2"])("of %p is not guessed", (text) => {
    expect(guessLanguage(text)).toBeNull();
  });

  test("survives names in another script", () => {
    expect(guessLanguage("Сегодня вышел новый OpenAI SDK.")).toBe("ru");
  });
});

describe("waveforms", () => {
  test("keep the loudest sample of each 20 ms, however the samples arrive", () => {
    const samples = Float32Array.from({ length: 1000 }, (_, index) => (index === 700 ? -0.5 : 0.1));
    const whole = openPeakMeter(8000);
    whole.push(samples);
    const inPieces = openPeakMeter(8000);
    for (let at = 0; at < samples.length; at += 77) inPieces.push(samples.subarray(at, at + 77));
    expect(inPieces.peaks).toEqual(whole.peaks);
    expect(whole.peaks.map((peak) => Math.round(peak * 10))).toEqual([1, 1, 1, 1, 5, 1]);
  });

  test("are drawn in any number of bars, the loudest as 1", () => {
    expect(barsOf([0.1, 0.2, 0.4, 0.2], 2)).toEqual([0.5, 1]);
    expect(barsOf([0.5], 3)).toEqual([1, 1, 1]);
    expect(barsOf([], 2)).toEqual([0, 0]);
    expect(barsOf([0, 0], 2)).toEqual([0, 0]);
  });
});

test("times read as minutes and seconds", () => {
  expect([0, 3.44, 59.96, 725].map(clockTime)).toEqual(["0:00.0", "0:03.4", "1:00.0", "12:05.0"]);
  expect([0, 59.9, 3601].map(timerText)).toEqual(["0:00", "0:59", "60:01"]);
});

describe("what the browser keeps", () => {
  const items = (...sizes: number[]) =>
    sizes.map((size, index) => ({ id: `${index}`, createdAt: -index, file: { size } as Blob }));

  test("is bounded in count", () => {
    expect(surplus(items(1, 1, 1), { countMax: 2, bytesMax: 10 })).toEqual(["2"]);
  });

  test("is bounded in bytes, oldest first to go; the newest stays", () => {
    expect(surplus(items(4, 4, 4, 1), { countMax: 9, bytesMax: 10 })).toEqual(["2", "3"]);
    expect(surplus(items(99), { countMax: 9, bytesMax: 10 })).toEqual([]);
  });
});

describe("a live session that was stopped", () => {
  const TRANSCRIPTION = "conversation.item.input_audio_transcription";
  const committed = (item_id: string) => ({ type: "input_audio_buffer.committed", item_id });
  const completed = (item_id: string) => ({ type: `${TRANSCRIPTION}.completed`, item_id });
  const empty = { type: "error", error: { code: "input_audio_buffer_commit_empty", message: "" } };

  test("ends after the last commit is transcribed, and every one before it", () => {
    const pending = openPending();
    expect(pending.apply(committed("one")).isDone).toBe(false);
    pending.finish();
    expect(pending.apply(committed("two")).isDone).toBe(false);
    expect(pending.apply(completed("one")).isDone).toBe(false);
    expect(pending.apply({ type: `${TRANSCRIPTION}.failed`, item_id: "two" }).isDone).toBe(true);
  });

  test("ends at once where nothing was left to commit, which is no error", () => {
    const pending = openPending();
    pending.finish();
    expect(pending.apply(empty)).toEqual({ isExpected: true, isDone: true });
  });

  test("that was not stopped does not end, and shows its errors", () => {
    const pending = openPending();
    pending.apply(committed("one"));
    expect(pending.apply(completed("one")).isDone).toBe(false);
    expect(pending.apply(empty)).toEqual({ isExpected: false, isDone: false });
  });
});

test("live utterances become subtitles; one that was cut gets an end by its words", () => {
  const utterance = { itemId: "", interim: "", isFinal: true, stoppedAt: null, latencyMs: null };
  const all: Utterance[] = [
    { ...utterance, text: "Good morning.", startMs: 1000, endMs: 2000 },
    { ...utterance, text: "And then", startMs: 3000, endMs: null },
    { ...utterance, text: "not yet", startMs: 4000, endMs: null, isFinal: false },
  ];
  expect(cuesOf(all)).toEqual([
    { start: 1, end: 2, text: "Good morning." },
    { start: 3, end: 3.8, text: "And then" },
  ]);
});

describe("a transcription", () => {
  const words = [0, 1, 2].map((start) => ({ word: `w${start}`, start, end: start + 0.5 }));
  const segments = [
    { start: 0, end: 1.5, text: " w0 w1", avg_logprob: -0.1 },
    { start: 2, end: 2.5, text: " w2", avg_logprob: 0 },
  ];

  test("has its words in their segments, each once", () => {
    const body = JSON.stringify({ text: "w0 w1 w2", words, segments, language: "english", duration: 3 });
    const result = readTranscription(body, "verbose_json");
    expect(result).toMatchObject({ text: "w0 w1 w2", language: "english", durationSeconds: 3 });
    const of = segments.map((segment, index) => wordsOf(words, segment, index === 1));
    expect(of.map((words) => words.map(({ word }) => word))).toEqual([["w0", "w1"], ["w2"]]);
  });

  test("in a text format is shown as it is", () => {
    expect(readTranscription("1\n00:00 …\n", "srt")).toMatchObject({
      text: "1\n00:00 …",
      words: [],
      segments: [],
    });
  });
});

test("a voice has its own colour and two letters, so that voices of one initial differ", () => {
  const ids = ["female-warm", "male-deep", "female-crisp", "male-bright", "male-classic", "af_heart"];
  expect(ids.map(voiceColour)).toEqual(ids.map(voiceColour));
  for (const id of ids) expect([1, 2, 3, 4, 5, 6, 7, 8]).toContain(voiceColour(id));
  expect(new Set(ids.map(voiceColour)).size).toBeGreaterThan(3);
  expect(["Ada", "Alasdair", "Zoë", "😀x", "I"].map(voiceInitials)).toEqual(["Ad", "Al", "Zo", "😀x", "I"]);
});

test("subtitles of a recording of hours take the words of each segment, and look at each word a few times", () => {
  let looks = 0;
  const words = Array.from({ length: 3000 }, (_, at) => ({
    word: `w${at}`,
    end: at + 0.5,
    get start() {
      looks++;
      return at;
    },
  }));
  const segments = Array.from({ length: 300 }, (_, at) => {
    const own = words.slice(10 * at, 10 * at + 10);
    return { start: 10 * at, end: 10 * at + 9.5, text: own.map(({ word }) => word).join(" ") };
  });
  const cues = cuesOfTranscript({ segments, words });
  expect(cues.map((cue) => cue.words?.length)).toEqual(segments.map(() => 10));
  expect(looks).toBeLessThan(10 * words.length);
});
