/**
 * Which code units of the caller's text each code unit of a plan's segments stands for.
 *
 *   text ──read (origins)──> read text ──cut──> segments        the letters of the segments are those of the read text
 *
 * Cutting drops only what has no letter, so letters are found again one after the other.
 */
import type { Origins, ScriptPart, Traced } from "../../engine/protocol/plan.ts";
import { isText } from "../script/script.ts";
import { joinTraced, traceNormalized } from "../text/origins.ts";

/** The text of each segment of a plan of the parts. */
export function originsOfSegments(
  parts: readonly ScriptPart[],
  language: string,
  segments: readonly string[],
): Origins[] {
  const read = parts.filter(isText).map(({ text }) => traceNormalized(text, language));
  return placed(joinTraced(read), segments);
}

function placed({ text: read, origins }: Traced, segments: readonly string[]): Origins[] {
  let at = 0;
  return segments.map((segment) => {
    const result: Origins = { from: new Int32Array(segment.length), to: new Int32Array(segment.length) };
    for (let unit = 0; unit < segment.length; unit++) {
      const letter = segment[unit]!;
      const found = /\s/.test(letter) ? at : read.indexOf(letter, at);
      const place = Math.min(found === -1 ? at : found, read.length - 1);
      result.from[unit] = origins.from[place] ?? 0;
      result.to[unit] = origins.to[place] ?? 0;
      if (!/\s/.test(letter) && found !== -1) at = found + 1;
    }
    return result;
  });
}
