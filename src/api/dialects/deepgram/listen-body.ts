/** The answer to a recording: metadata, the words of its one channel, and where asked for, utterances and paragraphs. */
import type { Segment } from "../../../transcription/transcript.ts";
import type { Heard } from "../recordings.ts";
import {
  alternativeOf,
  confidenceOf,
  modelInfo,
  type SpokenWord,
  seconds,
  type TextStyle,
  textOf,
  wordOf,
} from "./results.ts";

export type BodyOptions = {
  requestId: string;
  /** ISO 8601. */
  created: string;
  /** Of the file, in hex. */
  sha256: string;
  style: TextStyle;
  /** The pause between utterances, in seconds; null: they are not asked for. */
  uttSplit: number | null;
};

export function listenBody(heard: Heard, options: BodyOptions) {
  const { requestId, created, sha256, style, uttSplit } = options;
  const { model, version, durationSeconds, language } = heard;
  const sentences = sentencesOf(heard);
  const words = sentences.flatMap((sentence) => sentence.words);
  return {
    metadata: {
      transaction_key: "deprecated",
      request_id: requestId,
      ...{ sha256, created, duration: seconds(durationSeconds), channels: 1 },
      models: [model],
      model_info: { [model]: modelInfo(model, version) },
    },
    results: {
      channels: [
        {
          alternatives: [
            {
              ...alternativeOf(words, style),
              ...(style.paragraphs ? { paragraphs: paragraphsOf(sentences, style) } : {}),
            },
          ],
          ...(style.tellsLanguage ? { detected_language: language } : {}),
        },
      ],
      ...(uttSplit === null ? {} : { utterances: utterancesOf(words, style, uttSplit) }),
    },
  };
}

type Sentence = { words: SpokenWord[]; speaker: number | null };

/** Speakers are numbered in the order in which they are first heard. */
function sentencesOf({ segments, speakers }: Pick<Heard, "segments" | "speakers">): Sentence[] {
  const numbers = new Map<string, number>();
  const numberOf = ({ speaker = "" }: Segment): number | null => {
    if (!speakers) return null;
    const number = numbers.get(speaker) ?? numbers.size;
    numbers.set(speaker, number);
    return number;
  };
  return segments.map((segment) => {
    const speaker = numberOf(segment);
    return { speaker, words: segment.words.map((word) => ({ ...word, speaker })) };
  });
}

const SENTENCES_MAX = 5;
const PARAGRAPH_PAUSE_SECONDS = 1.5;

/** A new one where the speaker changes, after a long pause, and after so many sentences. */
function paragraphsOf(sentences: readonly Sentence[], style: TextStyle) {
  const paragraphs: Sentence[][] = [];
  for (const sentence of sentences) {
    const paragraph = paragraphs.at(-1);
    const before = paragraph?.at(-1);
    if (paragraph && before && paragraph.length < SENTENCES_MAX && follows(before, sentence))
      paragraph.push(sentence);
    else paragraphs.push([sentence]);
  }
  const written = paragraphs.map((paragraph) => paragraphOf(paragraph, style));
  const texts = written.map(({ sentences }) => sentences.map(({ text }) => text).join(" "));
  return { transcript: texts.map((text) => `\n${text}\n`).join(""), paragraphs: written };
}

function follows(before: Sentence, sentence: Sentence): boolean {
  const pause = startOf(sentence.words) - endOf(before.words);
  return before.speaker === sentence.speaker && pause < PARAGRAPH_PAUSE_SECONDS;
}

function paragraphOf(sentences: readonly Sentence[], style: TextStyle) {
  const words = sentences.flatMap((sentence) => sentence.words);
  const speaker = sentences[0]!.speaker;
  return {
    sentences: sentences.map((sentence) => ({
      text: textOf(sentence.words, style),
      ...spanOf(sentence.words),
    })),
    ...(speaker === null ? {} : { speaker }),
    num_words: words.length,
    ...spanOf(words),
  };
}

function utterancesOf(words: readonly SpokenWord[], style: TextStyle, uttSplit: number) {
  const utterances: SpokenWord[][] = [];
  for (const word of words) {
    const utterance = utterances.at(-1);
    const before = utterance?.at(-1);
    if (utterance && before && before.speaker === word.speaker && word.start - before.end < uttSplit)
      utterance.push(word);
    else utterances.push([word]);
  }
  return utterances.map((utterance, index) => ({
    ...spanOf(utterance),
    confidence: confidenceOf(utterance),
    channel: 0,
    transcript: textOf(utterance, style),
    words: utterance.map((word) => wordOf(word, style)),
    ...(utterance[0]!.speaker === null ? {} : { speaker: utterance[0]!.speaker }),
    id: `utterance_${index}`,
  }));
}

const startOf = (words: readonly SpokenWord[]): number => words[0]?.start ?? 0;
const endOf = (words: readonly SpokenWord[]): number => words.at(-1)?.end ?? 0;
const spanOf = (words: readonly SpokenWord[]) => ({
  start: seconds(startOf(words)),
  end: seconds(endOf(words)),
});
