/**
 * The parts of a long recording, and the order and the place of what is recognized in them.
 *
 *   recording   ──▒▒▒▒──▒▒──▒▒▒▒▒▒───▒▒▒──
 *   parts       │ span span │ span   span │     a part begins with its first span; the first one, with the recording
 */

import type { Span } from "../../audio/energy-vad.ts";
import type { Hypothesis, Speech } from "../../engine/protocol/recognition.ts";

/** A range of samples, and the speech in it, in samples from its start. */
export type Part = { start: number; end: number; spans: Span[] };

/** `leads`: the first span is a part of its own. Without speech there is no part. */
type Cut = { spansAtOnce: number; leads: boolean };

export function partsOf({ recording, spans }: Speech, { spansAtOnce, leads }: Cut): Part[] {
  const groups: Span[][] = leads && spans.length > 0 ? [spans.slice(0, 1)] : [];
  for (let from = groups.length; from < spans.length; from += spansAtOnce)
    groups.push(spans.slice(from, from + spansAtOnce));
  const starts = groups.map(([first], index) => (index === 0 ? 0 : first!.start));
  return groups.map((group, index) => {
    const start = starts[index]!;
    return {
      start,
      end: starts[index + 1] ?? recording.length,
      spans: group.map((span) => ({ start: span.start - start, end: span.end - start })),
    };
  });
}

/** Passes hypotheses on part by part: those of the first unfinished part at once, later ones in their turn. */
export function inOrder(pass: (hypothesis: Hypothesis) => void) {
  const held = new Map<number, Hypothesis[]>();
  const ended = new Set<number>();
  let current = 0;
  let passed = 0;
  const passOn = (hypothesis: Hypothesis) => {
    passed++;
    pass(hypothesis);
  };
  return {
    add(part: number, hypothesis: Hypothesis): void {
      if (part === current) passOn(hypothesis);
      else held.set(part, [...(held.get(part) ?? []), hypothesis]);
    },
    end(part: number): void {
      ended.add(part);
      while (ended.delete(current)) {
        current++;
        for (const hypothesis of held.get(current) ?? []) passOn(hypothesis);
        held.delete(current);
      }
    },
    passed: () => passed,
  };
}

/** `offset`: where the part begins, in seconds. */
export const moved = ({ start, end, words, decodings, ...rest }: Hypothesis, offset: number): Hypothesis => ({
  ...rest,
  start: start + offset,
  end: end + offset,
  words: words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset })),
  ...(decodings ? { decodings: decodings.map((each) => ({ ...each, start: each.start + offset })) } : {}),
});
