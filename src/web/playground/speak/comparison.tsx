/** The same text by several voices: each with its first-audio time, and a button that plays it. */

import { ms, seconds } from "../../format/numbers.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { Icon } from "../../ui/icon.tsx";
import type { Synthesis } from "../synthesis/synthesis.ts";
import { letterOf } from "../voices/voice-list.tsx";

type ComparisonProps = {
  results: Synthesis[];
  /** The result in the player. */
  current: string | undefined;
  onPlay: (result: Synthesis) => void;
};

export function Comparison({ results, current, onPlay }: ComparisonProps) {
  return (
    <ol className="comparison" aria-label={speakTexts()("compared")}>
      {results.map((result, index) => (
        <li key={result.id}>
          <button type="button" aria-pressed={result.id === current} onClick={() => onPlay(result)}>
            <span className="initial">{letterOf(index)}</span>
            <span className="names">
              {result.voiceName}
              <small>
                {ms(result.firstAudioMs)} · {seconds(result.durationSeconds)}
              </small>
            </span>
            <Icon name="play" />
          </button>
        </li>
      ))}
    </ol>
  );
}
