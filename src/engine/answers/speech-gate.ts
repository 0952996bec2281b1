/** The gate of a segment to synthesize: about as long as its text, of the length that was asked for, its words in order. */
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { EVERY_PRONUNCIATION } from "../protocol/signs.ts";
import type { SpokenWord, SynthesisResult, SynthesisTask } from "../protocol/synthesis.ts";
import { spokenSeconds } from "../speed/spoken-seconds.ts";
import { FaultyAnswer, fieldsOf, listOf, mustBe, wholeIn } from "./faulty-answer.ts";
import { type Gate, resultOnly } from "./gate.ts";
import { checkSamples, speechSecondsMax, spokenWordsMax } from "./speech-bounds.ts";

/** `isEarly`: whether it may deliver samples before its result. */
export function speechGate(task: SynthesisTask, isEarly: boolean): Gate {
  const samplesMax = Math.ceil(speechSecondsMax({ ...task, text: spokenText(task) }) * TTS_SAMPLE_RATE);
  let received = 0;
  const taken = (samples: unknown): Float32Array => {
    mustBe(samples instanceof Float32Array, "its speech is no samples");
    received += samples.length;
    mustBe(received <= samplesMax, `it is longer than ${samplesMax} samples, which its text cannot be`);
    checkSamples(samples);
    return samples;
  };
  const result = (value: unknown): SynthesisResult => {
    if (typeof value === "number") {
      mustBe(task.length === "measure", "it is a length that was not asked for");
      return wholeIn(value, "the length", { min: 0, max: samplesMax });
    }
    const isTimed = task.words === true && !(value instanceof Float32Array);
    const timed = isTimed ? fieldsOf(value, "the speech") : null;
    const samples = taken(timed ? timed.samples : value);
    if (typeof task.length === "number")
      mustBe(received === task.length, `it has ${received} samples, not ${task.length}`);
    return timed ? { samples, words: wordsOf(timed.words, task.text, received) } : samples;
  };
  return {
    ...resultOnly(spokenSeconds(task.text) / task.speed, 0, result),
    bytesMax: () => (samplesMax - received) * Float32Array.BYTES_PER_ELEMENT,
    early(samples) {
      if (!isEarly) throw new FaultyAnswer("early samples were not asked for");
      return taken(samples);
    },
  };
}

/** With the letters of what the signs of pronunciations stand for. */
const spokenText = ({ text, pronounced }: SynthesisTask): string =>
  pronounced ? text.replace(EVERY_PRONUNCIATION, (sign) => ` ${pronounced[sign]?.text ?? sign} `) : text;

function wordsOf(value: unknown, text: string, until: number): SpokenWord[] {
  let place = 0;
  let last = 0;
  return listOf(value, "the list of words", spokenWordsMax(text)).map((each) => {
    const { from, to, start, end } = fieldsOf(each, "a word");
    const word = {
      from: wholeIn(from, "the beginning of a word", { min: place, max: text.length }),
      to: wholeIn(to, "the end of a word", { min: 0, max: text.length }),
      start: wholeIn(start, "the first sample of a word", { min: last, max: until }),
      end: wholeIn(end, "the last sample of a word", { min: last, max: until }),
    };
    mustBe(word.from <= word.to && word.start <= word.end, "a word ends before it begins");
    place = word.from;
    last = word.end;
    return word;
  });
}
