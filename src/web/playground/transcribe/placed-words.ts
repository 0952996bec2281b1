/** The words of a transcript as they are drawn: how sure the recognizer was of them, and who said them. Pure. */
import { COLOURS } from "../../ui/chart/series.ts";
import { confidenceOf, type Segment, type Transcription, type Word, wordsOf } from "./transcription.ts";

/** `opacity`: from 0.5, of nothing, to 1, of what is sure. */
export type PlacedWord = Word & { opacity: number; speaker: string | undefined };

const FAINTEST = 0.5; // what can still be read

/** How strongly a segment is drawn; engines that report no confidence are sure. */
export const opacityOf = (segment: Segment): number =>
  FAINTEST + (1 - FAINTEST) * (confidenceOf(segment) ?? 1);

export const placedWords = ({ segments, words }: Transcription): PlacedWord[] =>
  segments.length === 0
    ? words.map((word) => ({ ...word, opacity: 1, speaker: undefined }))
    : segments.flatMap((segment, index) =>
        wordsOf(words, segment, index === segments.length - 1).map((word) => ({
          ...word,
          opacity: opacityOf(segment),
          speaker: segment.speaker,
        })),
      );

/** A number of a `--series` colour for each speaker, in the order in which they speak. */
export function coloursOf(segments: readonly Segment[]): Map<string, number> {
  const speakers = [...new Set(segments.flatMap(({ speaker }) => speaker ?? []))];
  return new Map(speakers.map((speaker, index) => [speaker, (index % COLOURS) + 1]));
}
