/**
 * The field of the text to speak. While a recording of it plays, the word that is heard is marked: behind the field lies the
 * same text in the same type, of which only the mark is visible. A double click on a word plays from there.
 */

import { type KeyboardEvent, useEffect, useId, useMemo, useRef } from "react";
import { speakTexts } from "../../language/en/speak.ts";
import type { Playback } from "../audio/playback.ts";
import { usePlaybackValue } from "../audio/use-playback.ts";
import type { Synthesis } from "../synthesis/synthesis.ts";
import { currentAt, pieceAt, piecesOf } from "./word-pieces.ts";

type MarkedTextProps = {
  text: string;
  maxLength: number;
  playback: Playback;
  /** The recording of this text; undefined where the text is another one. */
  synthesis: Synthesis | undefined;
  onChange: (text: string, caret: number) => void;
  /** Of a screen reader; "Text" if absent. */
  label?: string;
  /** Of the field, and its least height in lines. */
  name?: string;
  rows?: number;
  onKeyDown?: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  /** Told of the field. */
  onField?: (field: HTMLTextAreaElement | null) => void;
};

export function MarkedText({ text, maxLength, playback, synthesis, onChange, ...rest }: MarkedTextProps) {
  const { label = speakTexts()("text"), name = "text", rows = 5, onField, onKeyDown } = rest;
  const id = useId();
  const marks = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const words = synthesis?.words;
  const pieces = useMemo(() => piecesOf(text, words ?? []), [text, words]);
  const current = usePlaybackValue(playback, ({ positionSeconds, isPlaying }) =>
    isPlaying || positionSeconds > 0 ? currentAt(pieces, positionSeconds) : -1,
  );
  const piece = current < 0 ? undefined : pieceAt(pieces, current);
  useEffect(() => {
    if (piece) keepInView(field.current!, marks.current!.querySelector("mark")!);
  }, [piece]);
  /** From the word that was clicked twice; what stands between words belongs to the one before. */
  function playFrom(position: number) {
    const start = pieces.findLast((each) => each.start !== null && each.from <= position)?.start;
    if (start !== undefined && start !== null) playback.playFrom(start);
  }
  return (
    <div className="marked-text">
      <label htmlFor={id}>{label}</label>
      <div className="marks" ref={marks} dir="auto" aria-hidden>
        {piece ? (
          <>
            {text.slice(0, piece.from)}
            <mark>{piece.text}</mark>
            {text.slice(piece.from + piece.text.length)}
          </>
        ) : (
          text
        )}
        {"\n"}
      </div>
      <textarea
        ref={(element) => {
          field.current = element;
          onField?.(element);
        }}
        id={id}
        name={name}
        dir="auto"
        rows={rows}
        maxLength={maxLength}
        value={text}
        onChange={({ target }) => onChange(target.value, target.selectionStart)}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget }) => marks.current?.scrollTo({ top: currentTarget.scrollTop })}
        onDoubleClick={({ currentTarget }) => playFrom(currentTarget.selectionStart)}
      />
    </div>
  );
}

const ABOVE_PX = 12;

/** Scrolls the field alone, not the page; what lies behind it follows. */
function keepInView(field: HTMLElement, { offsetTop, offsetHeight }: HTMLElement): void {
  const { scrollTop, clientHeight } = field;
  if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight)
    field.scrollTop = offsetTop - ABOVE_PX;
}
