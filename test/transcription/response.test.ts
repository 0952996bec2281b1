/** Promise: the JSON of a transcript holds every field stock clients require, and times that never turn back. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import {
  deltaEvent,
  diarizedBody,
  doneEvent,
  jsonBody,
  verboseBody,
} from "../../src/transcription/response.ts";
import { deltaOf, type Segment, segmentsOf, transcriptOf } from "../../src/transcription/transcript.ts";

const word = (text: string, [start, end]: [start: number, end: number], confidence = 1): Word => ({
  text,
  start,
  end,
  confidence,
});
const segmentWith = (...words: Word[]): Segment => segmentsOf({ start: 0, end: 60, words })[0]!;

const GREETING = transcriptOf(
  [
    segmentWith(word("good", [0.1, 0.5]), word("morning", [0.5, 1.2345])),
    segmentWith(word("everyone", [2, 2.5], 0.25)),
  ],
  "en",
  3.4375,
);
const NOTHING = transcriptOf([], "en", 3);
const USAGE = { type: "duration", seconds: 3.4375 };

test("json has the text and the usage", () => {
  expect(jsonBody(GREETING)).toEqual({
    text: "good morning everyone",
    languages: [{ code: "en" }],
    usage: USAGE,
  });
  expect(jsonBody(NOTHING)).toEqual({ text: "", languages: [], usage: { type: "duration", seconds: 3 } });
});

test("tokens joined are the text, whole and in deltas, whatever stands between the words", () => {
  const someWords = fc.array(
    fc.record({ text: fc.constantFrom("no", "é", "你", "way,"), glued: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  const joined = ({ logprobs }: { logprobs?: { token: string; bytes: number[] }[] }) => {
    for (const { token, bytes } of logprobs!) expect(Buffer.from(bytes).toString()).toBe(token);
    return logprobs!.map(({ token }) => token).join("");
  };
  fc.assert(
    fc.property(fc.array(someWords, { maxLength: 4 }), (runs) => {
      const segments = runs.map((run) => {
        const words = run.map(({ text, glued }) => ({
          ...word(text, [0, 0.1]),
          ...(glued ? { glued } : {}),
        }));
        return segmentWith(...words);
      });
      const transcript = transcriptOf(segments, "en", 60);
      expect(joined(jsonBody(transcript, true))).toBe(transcript.text);
      expect(joined(doneEvent(transcript, true))).toBe(transcript.text);
      for (const [index, segment] of segments.entries()) {
        const delta = deltaOf(segment, index === 0);
        expect(joined(deltaEvent(delta, segment.words))).toBe(delta);
      }
    }),
  );
});

test("what of the file is missing is told in every body", () => {
  const warnings = ["The file ends early."];
  const transcript = { ...NOTHING, warnings };
  for (const body of [
    jsonBody(transcript),
    verboseBody(transcript, []),
    diarizedBody(transcript),
    doneEvent(transcript),
  ])
    expect(body).toMatchObject({ warnings });
});

describe("verbose_json", () => {
  test("names the language in English and numbers its segments", () => {
    const { segments, ...body } = verboseBody(GREETING, ["segment"]);
    expect(body).toEqual({
      task: "transcribe",
      language: "english",
      languages: [{ code: "en" }],
      duration: 3.438,
      text: "good morning everyone",
      usage: USAGE,
    });
    const neutral = { tokens: [], temperature: 0, compression_ratio: expect.any(Number), no_speech_prob: 0 };
    expect(segments).toEqual([
      { id: 0, seek: 10, start: 0.1, end: 1.235, text: " good morning", avg_logprob: 0, ...neutral },
      { id: 1, seek: 200, start: 2, end: 2.5, text: " everyone", avg_logprob: -1.386, ...neutral },
    ]);
  });

  test("tells of a segment of an engine that decodes windows what the model told", () => {
    const decoding = {
      temperature: 0.4,
      logProbability: -0.53219,
      compressionRatio: 1.41258,
      noSpeech: 0.03,
    };
    const words = [
      { ...word("good", [31, 31.5], 0.9), tokens: [50_364, 922] },
      { ...word("day.", [31.5, 32.5], 0.5), tokens: [1110, 13, 50_439] },
      { ...word("You", [32.6, 33], 0.5), tokens: [509] },
    ];
    const decodings = [
      { ...decoding, start: 30.25, words: 2 },
      { ...decoding, start: 32.5, words: 1, temperature: 0 },
    ];
    const segments = segmentsOf({ start: 30, end: 34, words, noSpeech: 0.03, decodings });
    const [day, you] = verboseBody(transcriptOf(segments, "en", 34), ["segment"]).segments!;
    expect(day).toMatchObject({
      seek: 3025,
      text: " good day.",
      tokens: [50_364, 922, 1110, 13, 50_439],
      temperature: 0.4,
      avg_logprob: -0.532,
      compression_ratio: 1.413,
      no_speech_prob: 0.03,
    });
    expect(you).toMatchObject({ seek: 3250, tokens: [509], temperature: 0 });
  });

  test("contains words, segments or both, as requested", () => {
    const words = [
      { word: "good", start: 0.1, end: 0.5 },
      { word: "morning", start: 0.5, end: 1.235 },
      { word: "everyone", start: 2, end: 2.5 },
    ];
    expect(verboseBody(GREETING, ["word"])).toMatchObject({ words });
    expect(verboseBody(GREETING, ["word"])).not.toHaveProperty("segments");
    expect(verboseBody(GREETING, ["segment"])).not.toHaveProperty("words");
    expect(verboseBody(GREETING, ["word", "segment"])).toMatchObject({
      words,
      segments: [{ id: 0 }, { id: 1 }],
    });
  });

  test("is empty for a silent recording", () => {
    const empty = { text: "", languages: [], segments: [], words: [], duration: 3 };
    expect(verboseBody(NOTHING, ["word", "segment"])).toMatchObject(empty);
  });

  test("has finite numbers and ordered times for any transcript", () => {
    const ticks = fc.array(fc.integer({ min: 0, max: 9_600_000 }), { minLength: 2, maxLength: 40 });
    const recording = fc.tuple(ticks, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(recording, ([from, confidence]) => {
        const times = from.toSorted((a, b) => a - b).map((tick) => tick / 16_000);
        const words = times.slice(1).map((end, i) => word("la", [times[i]!, end], confidence));
        const body = verboseBody(
          transcriptOf(
            words.map((one) => segmentWith(one)),
            "en",
            times.at(-1)!,
          ),
          ["word", "segment"],
        );
        const stamps = body.segments!.flatMap(({ start, end }) => [start, end]);
        expect([...stamps, body.duration]).toEqual([...stamps, body.duration].toSorted((a, b) => a - b));
        expect(body.words!.flatMap(({ start, end }) => [start, end])).toEqual(stamps);
        for (const { seek, avg_logprob } of body.segments!) {
          expect(Number.isInteger(seek)).toBe(true);
          expect(avg_logprob).toBeWithin(-20, 0.001);
        }
      }),
    );
  });
});

describe("a streamed transcript", () => {
  test("a streamed transcript consists of deltas", () => {
    expect(deltaEvent(" again")).toEqual({ type: "transcript.text.delta", delta: " again" });
  });

  test("ends with the text and a usage that adds up", () => {
    expect(doneEvent(GREETING)).toEqual({
      type: "transcript.text.done",
      text: "good morning everyone",
      languages: [{ code: "en" }],
      usage: {
        ...USAGE,
        input_tokens: 35,
        input_token_details: { text_tokens: 0, audio_tokens: 35 },
        output_tokens: 3,
        total_tokens: 38,
      },
    });
  });
});
