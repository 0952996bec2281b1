/** The text of a recording that is not the one in the field: its words are marked as they are heard, and play from there when they are clicked. */

import { useMemo } from "react";
import { speakTexts } from "../../language/en/speak.ts";
import type { Playback } from "../audio/playback.ts";
import { usePlaybackValue } from "../audio/use-playback.ts";
import type { Synthesis } from "../synthesis/synthesis.ts";
import { currentAt, piecesOf } from "./word-pieces.ts";

type ReadAlongProps = { playback: Playback; synthesis: Synthesis };

export function ReadAlong({ playback, synthesis: { request, words } }: ReadAlongProps) {
  const pieces = useMemo(() => piecesOf(request.input, words ?? []), [request.input, words]);
  const current = usePlaybackValue(playback, ({ positionSeconds }) => currentAt(pieces, positionSeconds));
  if (!words?.length) return null;
  return (
    <section className="read-along" aria-label={speakTexts()("readAlong")} dir="auto">
      {pieces.map(({ from, text, start }) =>
        start === null ? (
          <span key={from}>{text}</span>
        ) : (
          <button
            key={from}
            type="button"
            aria-current={from === current || undefined}
            onClick={() => playback.seek(start)}
          >
            {text}
          </button>
        ),
      )}
    </section>
  );
}
