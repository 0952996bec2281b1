/**
 * The words of a text by the events of eSpeak NG, which says for each word and phoneme where it stands and when it begins.
 *
 *   word 1 @0 · ˈo @0 · l @150 · a @214 · "" @261 · word 7 @411 · …        a phoneme without a name is a pause
 */
import type { SpokenWord } from "../../../src/engine/protocol/synthesis.ts";
import { align } from "./align.ts";
import { wordsOf } from "./tokens.ts";

/** `text_position` counts code points from 1; `audio_position` is in milliseconds. */
export type SpeechEvent = {
  type: string;
  text_position: number;
  audio_position: number;
  id?: string | number;
};

/** `read` is what the program was given of the text; `rate` samples a second. */
export function wordsOfEvents(
  { text, read }: { text: string; read: string },
  events: readonly SpeechEvent[],
  rate: number,
): SpokenWord[] {
  const sample = (ms: number) => Math.round((ms * rate) / 1000);
  const places = codeUnitsOf(read);
  const tokens = wordsOf(read);
  const spoken: ({ start: number; end: number } | null)[] = tokens.map(() => null);
  let current = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === "word") {
      const place = places[event.text_position - 1] ?? read.length;
      while (current < tokens.length - 1 && tokens[current]!.to <= place) current++;
    }
    if (event.type !== "phoneme" || event.id === "" || current >= tokens.length) continue;
    const end = events[index + 1]?.audio_position ?? event.audio_position;
    const known = spoken[current];
    spoken[current] = { start: known?.start ?? sample(event.audio_position), end: sample(end) };
  }
  const words = wordsOf(text);
  return align(words, tokens).flatMap(({ from: first, to: last }, index) => {
    const spans = spoken.slice(Math.floor(first), Math.ceil(last)).filter((span) => span !== null);
    const { from, to } = words[index]!;
    return spans.length === 0 ? [] : [{ from, to, start: spans[0]!.start, end: spans.at(-1)!.end }];
  });
}

/** Where each code point of a text begins. */
function codeUnitsOf(text: string): number[] {
  const places: number[] = [];
  let at = 0;
  for (const point of text) {
    places.push(at);
    at += point.length;
  }
  return places;
}
