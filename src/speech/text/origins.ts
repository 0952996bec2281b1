/**
 * Where what is read of a text stands in it: the code units of the caller's text behind each code unit that is read.
 *
 *   written   at  3:00 pm
 *   read      at  three PM        each letter of "three PM" stands for all of "3:00 pm"
 */
import type { Origins, Traced } from "../../engine/protocol/plan.ts";
import type { Edit } from "./lexicon/rule.ts";
import { normalizeText } from "./normalize.ts";

/** The text as `normalizeText` reads it. */
export function traceNormalized(written: Traced, language: string): Traced {
  let traced = written;
  normalizeText(written.text, language, (edits) => {
    traced = edited(traced, edits);
  });
  return traced;
}

/** A text that stands for itself. */
export const plainTrace = (text: string): Traced => ({
  text,
  origins: {
    from: Int32Array.from({ length: text.length }, (_, at) => at),
    to: Int32Array.from({ length: text.length }, (_, at) => at + 1),
  },
});

/** One behind the other, with a space between them that stands for nothing. */
export function joinTraced(parts: readonly Traced[]): Traced {
  const text = parts.map((part) => part.text).join(" ");
  const origins: Origins = { from: new Int32Array(text.length), to: new Int32Array(text.length) };
  let at = 0;
  for (const { text, origins: of } of parts) {
    origins.from.set(of.from, at);
    origins.to.set(of.to, at);
    at += text.length + 1;
    const end = of.to.at(-1) ?? 0;
    if (at <= origins.from.length) origins.from[at - 1] = origins.to[at - 1] = end;
  }
  return { text, origins };
}

/** The edits are in order and do not overlap. What replaces a part of the text stands for all of it. */
export function edited({ text, origins }: Traced, edits: readonly Edit[]): Traced {
  const grown = edits.reduce((sum, { from, to, by }) => sum + by.length - (to - from), text.length);
  const result: Origins = { from: new Int32Array(grown), to: new Int32Array(grown) };
  const pieces: string[] = [];
  let [at, out] = [0, 0];
  const keep = (end: number) => {
    result.from.set(origins.from.subarray(at, end), out);
    result.to.set(origins.to.subarray(at, end), out);
    pieces.push(text.slice(at, end));
    out += end - at;
    at = end;
  };
  for (const { from, to, by } of edits.flatMap((edit) => narrowed(text, edit))) {
    keep(from);
    const span = spanOf(origins, { from, to, length: text.length });
    result.from.fill(span.from, out, out + by.length);
    result.to.fill(span.to, out, out + by.length);
    pieces.push(by);
    out += by.length;
    at = to;
  }
  keep(text.length);
  return { text: pieces.join(""), origins: result };
}

/** Without what is the same at both ends, or where all that is left stands in what was there. */
function narrowed(text: string, { from, to, by }: Edit): Edit[] {
  let [start, end, first, last] = [from, to, 0, by.length];
  while (start < end && first < last && text[start] === by[first]) [start, first] = [start + 1, first + 1];
  while (end > start && last > first && text[end - 1] === by[last - 1]) [end, last] = [end - 1, last - 1];
  const left = by.slice(first, last);
  const inside = left === "" ? -1 : text.slice(start, end).indexOf(left);
  if (inside === -1) return [{ from: start, to: end, by: left }];
  const kept = start + inside;
  return [
    { from: start, to: kept, by: "" },
    { from: kept + left.length, to: end, by: "" },
  ];
}

/** What a part of the text stands for; for nothing, the place where it would stand. */
export function spanOf(
  { from: starts, to: ends }: Origins,
  { from, to, length }: { from: number; to: number; length: number },
): { from: number; to: number } {
  if (from === to) {
    const place = from < length ? starts[from]! : (ends[length - 1] ?? 0);
    return { from: place, to: place };
  }
  let span = { from: starts[from]!, to: ends[from]! };
  for (let at = from + 1; at < to; at++)
    span = { from: Math.min(span.from, starts[at]!), to: Math.max(span.to, ends[at]!) };
  return span;
}
