/** The gate of a recording to recognize: as many hypotheses as are announced, in order, no more than its seconds can hold. */
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import type { Decoding, Hypothesis, RecognitionTask, Word } from "../protocol/recognition.ts";
import { fieldsOf, listOf, mustBe, numberIn, wholeIn } from "./faulty-answer.ts";
import { type Gate, resultOnly } from "./gate.ts";
import { checkCharacters } from "./transcript-bounds.ts";

export function transcriptGate({ samples }: Pick<RecognitionTask, "samples">): Gate {
  const seconds = samples.length / ASR_SAMPLE_RATE;
  const held = new HeldWords();
  held.addSeconds(seconds);
  let received = 0;
  let last = 0;
  const result = (count: unknown): number => {
    mustBe(count === received, `it announces ${String(count)} hypotheses and sent ${received}`);
    return received;
  };
  return {
    ...resultOnly(seconds, 0, result),
    hypothesis(value) {
      received++;
      const { start, end, words, language, noSpeech, decodings } = fieldsOf(value, "a hypothesis");
      const from = numberIn(start, "the start of a hypothesis", { min: last - SLACK, max: seconds + SLACK });
      const to = numberIn(end, "the end of a hypothesis", { min: from, max: seconds + SLACK });
      last = to;
      held.count(1);
      return {
        start: from,
        end: to,
        words: held.add(words),
        ...(language === undefined ? {} : { language: languageOf(language) }),
        ...(noSpeech === undefined ? {} : { noSpeech: numberIn(noSpeech, "the silence", PROBABILITY) }),
        ...(decodings === undefined ? {} : { decodings: held.decodings(decodings) }),
      } satisfies Hypothesis;
    },
  };
}

/** Seconds by which engines estimate wrongly. */
const SLACK = 1;
const PROBABILITY = { min: -0.001, max: 1.001 }; // sums of floats
const LANGUAGE_MAX = 16; // letters
const TOKEN_MAX = 0xff_ffff;
const NUMBER_MAX = 1e6;

/** A word without letters is also one. */
const costOf = ({ text, tokens = [] }: Word) => Math.max(1 + text.length, tokens.length);

export function languageOf(value: unknown): string {
  mustBe(typeof value === "string" && value.length <= LANGUAGE_MAX, "the language is no code");
  return value;
}

/** The words of one recording, or of one stream: in order, within its seconds, and no more than these can hold. */
export class HeldWords {
  #seconds = 0;
  #characters = 0;
  #last = 0;

  addSeconds(seconds: number): void {
    this.#seconds += seconds;
  }

  /** Throws where these are more than its seconds can hold. */
  count(characters: number): void {
    this.#characters += characters;
    checkCharacters(this.#characters, this.#seconds);
  }

  add(value: unknown): Word[] {
    return listOf(value, "the list of words").map((each) => {
      const word = this.#wordOf(each);
      this.count(costOf(word));
      this.#last = word.start;
      return word;
    });
  }

  decodings(value: unknown): NonNullable<Hypothesis["decodings"]> {
    return listOf(value, "the list of decodings").map((each) => {
      this.count(1);
      return decodingOf(fieldsOf(each, "a decoding"));
    });
  }

  #wordOf(value: unknown): Word {
    const { text, start, end, confidence, glued, tokens } = fieldsOf(value, "a word");
    mustBe(typeof text === "string", "the text of a word is no text");
    const from = numberIn(start, "the start of a word", {
      min: this.#last - SLACK,
      max: this.#seconds + SLACK,
    });
    return {
      text,
      start: from,
      end: numberIn(end, "the end of a word", { min: from, max: this.#seconds + SLACK }),
      confidence: numberIn(confidence, "the confidence of a word", PROBABILITY),
      ...(glued === true ? { glued } : {}),
      ...(tokens === undefined ? {} : { tokens: tokensOf(tokens) }),
    };
  }
}

const tokensOf = (value: unknown): number[] =>
  listOf(value, "the list of tokens").map((token) => wholeIn(token, "a token", { min: 0, max: TOKEN_MAX }));

function decodingOf(fields: Partial<Record<string, unknown>>): Decoding & { words: number } {
  const numberOf = (name: string) =>
    numberIn(fields[name], `${name} of a decoding`, { min: -NUMBER_MAX, max: NUMBER_MAX });
  return {
    start: numberOf("start"),
    temperature: numberOf("temperature"),
    logProbability: numberOf("logProbability"),
    compressionRatio: numberOf("compressionRatio"),
    noSpeech: numberOf("noSpeech"),
    words: wholeIn(fields.words, "the words of a decoding", { min: 0, max: NUMBER_MAX }),
  };
}
