/** A transcript in its segments: each word plays its part of the recording, and each segment can be corrected. */

import { type CSSProperties, Fragment, memo, useMemo } from "react";
import { languageName } from "../../format/language-name.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Notice } from "../../ui/page.tsx";
import type { Model } from "../access/catalogue.ts";
import type { Playback } from "../audio/playback.ts";
import { clockTime } from "../audio/time-text.ts";
import { usePlaybackValue } from "../audio/use-playback.ts";
import { coloursOf, opacityOf } from "./placed-words.ts";
import {
  confidenceOf,
  heardAt,
  overallConfidence,
  type Segment,
  type Transcription,
  type Word,
  wordsOf,
} from "./transcription.ts";

const LOW_CONFIDENCE = 0.6;
/** Below it, words are as likely wrong as right. */
const UNSURE = 0.4;

function classOf(segment: Segment): string {
  const isUnsure = (confidenceOf(segment) ?? 1) < UNSURE;
  return ["segment", isUnsure && "unsure", segment.speaker !== undefined && "of-speaker"]
    .filter(Boolean)
    .join(" ");
}

type TranscriptProps = {
  result: Transcription;
  playback: Playback;
  isEditing: boolean;
  onPlay: (seconds: number) => void;
  /** Another text of a segment. */
  onEdit: (index: number, text: string) => void;
};

export function Transcript({ result, playback, isEditing, onPlay, onEdit }: TranscriptProps) {
  const current = usePlaybackValue(playback, ({ positionSeconds }) => heardAt(result.words, positionSeconds));
  return <Segments result={result} playing={{ current, onPlay }} onEdit={isEditing ? onEdit : null} />;
}

/** Where the recording is not at hand. A transcript of hours is drawn as it comes into view. */
export const PlainTranscript = memo(function PlainTranscript({ result }: { result: Transcription }) {
  return <Segments result={{ ...result, words: [] }} playing={null} onEdit={null} />;
});

type Playing = { current: Word | undefined; onPlay: (seconds: number) => void };
type SegmentsProps = Pick<TranscriptProps, "result"> & {
  /** Null: nothing plays. */
  playing: Playing | null;
  /** Null: it is not corrected. */
  onEdit: TranscriptProps["onEdit"] | null;
};

function Segments({ result: { segments, words, text }, playing, onEdit }: SegmentsProps) {
  const colours = useMemo(() => coloursOf(segments), [segments]);
  return (
    <div className={playing ? "transcript" : "transcript unplayed"}>
      {segments.map((segment, index) => (
        <div
          className={classOf(segment)}
          key={`${segment.start}-${segment.end}`}
          style={styleOf(segment, colours)}
        >
          <SegmentTime segment={segment} onPlay={playing?.onPlay} />
          <p dir="auto">
            {segment.speaker !== undefined && segment.speaker !== segments[index - 1]?.speaker && (
              <strong className="speaker">{segment.speaker}</strong>
            )}
            {onEdit && (
              <SegmentText
                key={segment.text} // another text is another field, such as after Undo
                segment={segment}
                onEdit={(written) => onEdit(index, written)}
              />
            )}
            {!onEdit && words.length === 0 && segment.text.trim()}
            {!onEdit && words.length > 0 && playing && (
              <Words words={wordsOf(words, segment, index === segments.length - 1)} {...playing} />
            )}
          </p>
        </div>
      ))}
      {segments.length === 0 && words.length > 0 && playing && (
        <p>
          <Words words={words} {...playing} />
        </p>
      )}
      {segments.length === 0 && words.length === 0 && text !== "" && <pre>{text}</pre>}
    </div>
  );
}

/** Words that the recognizer is less sure of are fainter; what a speaker says has a line of their colour. */
const styleOf = (segment: Segment, colours: Map<string, number>) =>
  ({
    "--sure": `${Math.round(opacityOf(segment) * 100)}%`,
    ...(segment.speaker === undefined
      ? {}
      : { "--speaker": `var(--series-${colours.get(segment.speaker)})` }),
  }) as CSSProperties;

type SegmentTextProps = { segment: Segment; onEdit: (text: string) => void };

/** Corrected once the field is left, so that what is typed stays as it is. */
function SegmentText({ segment, onEdit }: SegmentTextProps) {
  return (
    <textarea
      dir="auto"
      rows={1}
      aria-label={transcribeTexts()("textFrom", { time: clockTime(segment.start) })}
      defaultValue={segment.text.trim()}
      onBlur={({ currentTarget }) => onEdit(currentTarget.value)}
    />
  );
}

type DoubtProps = { result: Transcription; model: Model | undefined };

/** Says what helps where the recognizer is unsure of nearly everything, as it is of a language that it does not know. */
export function Doubt({ result, model }: DoubtProps) {
  const confidence = overallConfidence(result.segments);
  if (confidence === null || confidence >= UNSURE || !model) return null;
  const t = transcribeTexts();
  const { name, supported_languages: languages } = model;
  return (
    <Notice tone="warn">
      <p>
        <strong>{t("sure", { percent: Math.round(confidence * 100) })}</strong>{" "}
        {languages.length === 1
          ? t("oneLanguage", { model: name, language: languageName(languages[0]!) })
          : t("chooseLanguage")}
      </p>
    </Notice>
  );
}

/** With the confidence, where the engine reports one. */
function SegmentTime({ segment, onPlay }: { segment: Segment; onPlay: Playing["onPlay"] | undefined }) {
  const t = transcribeTexts();
  const confidence = confidenceOf(segment);
  const time = clockTime(segment.start);
  return (
    <div className="segment-time">
      {onPlay ? (
        <button
          type="button"
          className="link"
          aria-label={t("playFrom", { time })}
          onClick={() => onPlay(segment.start)}
        >
          {time}
        </button>
      ) : (
        <span>{time}</span>
      )}
      {confidence !== null && (
        <small className={confidence < LOW_CONFIDENCE ? "low" : undefined}>
          <abbr title={t("confidence")}>{Math.round(confidence * 100)} %</abbr>
        </small>
      )}
    </div>
  );
}

type WordsProps = Playing & { words: Word[] };

const Words = ({ words, current, onPlay }: WordsProps) =>
  words.map((each, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: words repeat, and never move
    <Fragment key={index}>
      <button
        type="button"
        className={each === current ? "word current" : "word"}
        title={transcribeTexts()("span", { start: each.start.toFixed(2), end: each.end.toFixed(2) })}
        onClick={() => onPlay(each.start)}
      >
        {each.word}
      </button>{" "}
    </Fragment>
  ));
