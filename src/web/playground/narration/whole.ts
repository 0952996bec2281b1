/** The paragraphs of a draft as one recording, and the times of its words for captions. */

import { HEADER_BYTES, wavHeader } from "../../../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../audio/rates.ts";
import type { Cue } from "../../../transcription/cues.ts";
import { piecesOf } from "../speak/word-pieces.ts";
import { readText } from "./marks.ts";

/** Between paragraphs. */
const GAP_SECONDS = 0.4;
const BYTES = 2; // a sample of 16 bits

/** In seconds from the start of the paragraph. */
type WordTime = { word: string; start_time: number; end_time: number };

/** A paragraph, and the WAV file that was made of it. */
export type Spoken = {
  text: string;
  made: { file: Blob; voiceName: string; words?: readonly WordTime[] };
};

/** Speakers are named where there are several. */
export function wholeOf(spoken: Spoken[]): { file: Blob; cues: Cue[] } {
  const gap = new Uint8Array(GAP_SECONDS * TTS_SAMPLE_RATE * BYTES);
  const isDialogue = new Set(spoken.map(({ made }) => made.voiceName)).size > 1;
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  const cues: Cue[] = [];
  let bytes = 0;
  for (const { text, made } of spoken) {
    if (bytes > 0) parts.push(gap);
    if (bytes > 0) bytes += gap.length;
    const start = bytes / BYTES / TTS_SAMPLE_RATE;
    const sound = made.file.slice(HEADER_BYTES);
    parts.push(sound);
    bytes += sound.size;
    const words = wordsOf(readText(text), made.words ?? []);
    cues.push({
      start,
      end: bytes / BYTES / TTS_SAMPLE_RATE,
      text: readText(text),
      ...(isDialogue ? { speaker: made.voiceName } : {}),
      ...(words.length > 0 ? { words: words.map((word) => moved(word, start)) } : {}),
    });
  }
  return {
    file: new Blob([wavHeader(bytes / BYTES, TTS_SAMPLE_RATE), ...parts], { type: "audio/wav" }),
    cues,
  };
}

type Timed = { text: string; start: number; end: number };

const moved = ({ text, start, end }: Timed, by: number): Timed => ({
  text,
  start: start + by,
  end: end + by,
});

/** With the marks around them, such as commas, which times of words leave out. */
function wordsOf(text: string, times: readonly WordTime[]): Timed[] {
  const words: Timed[] = [];
  let before = "";
  for (const { text: piece, start } of piecesOf(text, times)) {
    const last = words.at(-1);
    if (start !== null) {
      const end = times.find((each) => each.start_time === start)!.end_time;
      words.push({ text: before + piece, start, end });
      before = "";
    } else if (last) {
      const [, behind, ahead] = /^(\S*)\s(?:[\s\S]*\s)?(\S*)$/.exec(piece) ?? [piece, piece, ""];
      last.text += behind;
      before = ahead!;
    } else before = piece.trim();
  }
  return words;
}
