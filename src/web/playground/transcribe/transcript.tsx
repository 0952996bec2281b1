/** A transcript in its segments: each word plays its part of the recording. */
import { Fragment } from "react";
import type { Playback } from "../audio/playback.ts";
import { clockTime } from "../audio/time-text.ts";
import { usePlaybackValue } from "../audio/use-playback.ts";
import { confidenceOf, type Segment, type Transcription, type Word, wordsOf } from "./transcription.ts";

const LOW_CONFIDENCE = 0.6;

type TranscriptProps = {
  result: Transcription;
  playback: Playback;
  onPlay: (seconds: number) => void;
};

export function Transcript({ result, playback, onPlay }: TranscriptProps) {
  const { segments, words, text } = result;
  const current = usePlaybackValue(playback, ({ positionSeconds: time }) =>
    words.find(({ start, end }) => time >= start && time < end),
  );
  return (
    <div className="transcript">
      {segments.map((segment, index) => (
        <div className="segment" key={`${segment.start}-${segment.end}`}>
          <SegmentTime segment={segment} onPlay={onPlay} />
          <p>
            {segment.speaker !== undefined && segment.speaker !== segments[index - 1]?.speaker && (
              <strong className="speaker">{segment.speaker}</strong>
            )}
            {words.length > 0 ? (
              <Words
                words={wordsOf(words, segment, index === segments.length - 1)}
                {...{ current, onPlay }}
              />
            ) : (
              segment.text.trim()
            )}
          </p>
        </div>
      ))}
      {segments.length === 0 && words.length > 0 && (
        <p>
          <Words words={words} {...{ current, onPlay }} />
        </p>
      )}
      {segments.length === 0 && words.length === 0 && text !== "" && <pre>{text}</pre>}
    </div>
  );
}

/** With the confidence, where the engine reports one. */
function SegmentTime({ segment, onPlay }: { segment: Segment; onPlay: (seconds: number) => void }) {
  const confidence = confidenceOf(segment);
  return (
    <div className="segment-time">
      <button
        type="button"
        className="link"
        aria-label={`Play from ${clockTime(segment.start)}`}
        onClick={() => onPlay(segment.start)}
      >
        {clockTime(segment.start)}
      </button>
      {confidence !== null && (
        <small className={confidence < LOW_CONFIDENCE ? "low" : undefined}>
          <abbr title="Confidence of the recognizer in this segment">{Math.round(confidence * 100)} %</abbr>
        </small>
      )}
    </div>
  );
}

type WordsProps = { words: Word[]; current: Word | undefined; onPlay: (start: number) => void };

const Words = ({ words, current, onPlay }: WordsProps) =>
  words.map((each, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: words repeat, and never move
    <Fragment key={index}>
      <button
        type="button"
        className={each === current ? "word current" : "word"}
        title={`${each.start.toFixed(2)} to ${each.end.toFixed(2)} s`}
        onClick={() => onPlay(each.start)}
      >
        {each.word}
      </button>{" "}
    </Fragment>
  ));
