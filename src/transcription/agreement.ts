/**
 * Determines which words of changing hypotheses are final: LocalAgreement-2 (Liu et al., 2020; Macháček et al., 2023).
 *
 *   hypothesis 1   and so my
 *   hypothesis 2   and so my fellow          both say "and so my": confirmed, never taken back
 *   hypothesis 3            my fellow amer…  "fellow" is
 */
import type { Word } from "../engine/protocol/recognition.ts";

/** `tentative` is what the last hypothesis said beyond the confirmed words. Times are seconds of one recording. */
export type Agreement = { confirmed: Word[]; tentative: Word[] };

export const NOTHING_YET: Agreement = { confirmed: [], tentative: [] };

const SLACK_SECONDS = 0.1;
const NEAR_SECONDS = 1;
const REPEAT_WORDS_MAX = 5;

/** Words that two hypotheses in a row begin with are confirmed. */
export function agree({ confirmed, tentative }: Agreement, hypothesis: Word[]): Agreement {
  const fresh = beyond(confirmed, hypothesis);
  const differs = fresh.findIndex(({ text }, index) => text !== tentative[index]?.text);
  const agreed = differs < 0 ? fresh.length : differs;
  return { confirmed: [...confirmed, ...fresh.slice(0, agreed)], tentative: fresh.slice(agreed) };
}

/** The last hypothesis of a stretch: all it says beyond the confirmed words is confirmed. */
export function conclude({ confirmed }: Agreement, hypothesis: Word[]): Agreement {
  return { confirmed: [...confirmed, ...beyond(confirmed, hypothesis)], tentative: [] };
}

/** What comes after the confirmed words, whose last few a hypothesis may say once more. */
function beyond(confirmed: Word[], hypothesis: Word[]): Word[] {
  const until = confirmed.at(-1)?.end ?? 0;
  const fresh = hypothesis.filter(({ start }) => start > until - SLACK_SECONDS);
  if (fresh[0] === undefined || confirmed.length === 0) return fresh;
  if (Math.abs(fresh[0].start - until) >= NEAR_SECONDS) return fresh;
  return fresh.slice(repeated(confirmed, fresh));
}

function repeated(confirmed: Word[], fresh: Word[]): number {
  const texts = (words: Word[]) => words.map(({ text }) => text).join(" ");
  for (let count = 1; count <= Math.min(REPEAT_WORDS_MAX, confirmed.length, fresh.length); count++) {
    if (texts(confirmed.slice(-count)) === texts(fresh.slice(0, count))) return count;
  }
  return 0;
}
