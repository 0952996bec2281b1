/** Transcripts as plain text, SubRip and WebVTT, with the names of speakers where they are told apart. */

import { type Cue, linesOf, type ReadableCue, readableCues } from "./cues.ts";

type Subtitled = { segments: readonly Cue[] };

export const plainText = ({ text }: { text: string }): string => `${text}\n`;

export function srt({ segments }: Subtitled): string {
  return segments
    .flatMap(readableCues)
    .map((cue, index) => `${index + 1}\n${times(cue, ",")}\n${spoken(cue)}\n\n`)
    .join("");
}

/** An empty line would end a cue. */
const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const spoken = (cue: ReadableCue): string =>
  linesOf(cue, cue.speaker === undefined ? "" : `${cue.speaker}:`)
    .map(onOneLine)
    .join("\n");

export function vtt({ segments }: Subtitled): string {
  const cues = segments.flatMap(readableCues).map((cue) => `${times(cue, ".")}\n${marked(cue)}\n\n`);
  return `WEBVTT\n\n${cues.join("")}`;
}

/** A speaker is a voice span, which players may show or style. */
function marked(cue: ReadableCue): string {
  const lines = linesOf(cue).map(onOneLine).map(escaped).join("\n");
  return cue.speaker === undefined ? lines : `<v ${escaped(onOneLine(cue.speaker))}>${lines}`;
}

function times({ start, end }: Cue, point: "," | "."): string {
  return `${clock(start, point)} --> ${clock(end, point)}`;
}

/** HH:MM:SS and milliseconds; hours grow beyond two digits if they must. */
function clock(seconds: number, point: "," | "."): string {
  const ms = Math.round(seconds * 1000);
  const part = (divisor: number, modulus: number, width = 2) =>
    String(Math.floor(ms / divisor) % modulus).padStart(width, "0");
  return `${part(3_600_000, 1e9)}:${part(60_000, 60)}:${part(1000, 60)}${point}${part(1, 1000, 3)}`;
}

/** WebVTT reads markup and arrows in a cue. */
const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
