/** Transcripts as plain text, SubRip and WebVTT, with the names of speakers where they are told apart. */

/** Text that is shown from `start` to `end`, in seconds. */
export type Cue = { start: number; end: number; text: string; speaker?: string | undefined };
type Subtitled = { segments: readonly Cue[] };

export const plainText = ({ text }: { text: string }): string => `${text}\n`;

export function srt({ segments }: Subtitled): string {
  return segments
    .map((segment, index) => `${index + 1}\n${times(segment, ",")}\n${spoken(segment)}\n\n`)
    .join("");
}

const spoken = ({ speaker, text }: Cue): string =>
  onOneLine(speaker === undefined ? text : `${speaker}: ${text}`);

/** An empty line would end a cue. */
const onOneLine = (text: string): string => text.replace(/[\r\n]+/g, " ");

export function vtt({ segments }: Subtitled): string {
  const cues = segments.map((segment) => `${times(segment, ".")}\n${marked(segment)}\n\n`);
  return `WEBVTT\n\n${cues.join("")}`;
}

/** A speaker is a voice span, which players may show or style. */
const marked = ({ speaker, text }: Cue): string =>
  speaker === undefined ? escaped(text) : `<v ${escaped(speaker)}>${escaped(text)}`;

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
  onOneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
