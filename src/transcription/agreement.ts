/**
 * Determines which words of changing hypotheses are final: LocalAgreement-2 (Liu et al., 2020; Macháček et al., 2023).
 *
 *   hypothesis 1   and so my
 *   hypothesis 2   And so, my fellow          both say "and so my": confirmed, never taken back
 *   hypothesis 3       so my fellow amer…     "fellow" is; what repeats confirmed words is found by their text
 *
 * Words are compared without regard to case and marks. A word that took the place of another one is waited for as long
 * again as that one stood. Where a hypothesis begins to be new is decided by aligning it with the confirmed words; its times
 * only decide between places that fit equally, because a model stretches the last words of incomplete audio.
 */
import type { Word } from "../engine/protocol/recognition.ts";

/**
 * `tentative` is what the last hypothesis said beyond the confirmed words; `changed`: for each of these places, the end of
 * the audio in which another word stood there before, 0 where none did. Times are seconds of one recording.
 */
export type Agreement = { confirmed: Word[]; tentative: Word[]; changed: number[] };

export const NOTHING_YET: Agreement = { confirmed: [], tentative: [], changed: [] };

/** Where the audio of a hypothesis begins and ends, in seconds. */
type Range = { from: number; until: number };

const ALL: Range = { from: 0, until: Number.POSITIVE_INFINITY };

const SURE = 0.75;
const UNSURE = 0.25;
const MARGIN_SECONDS = 0.4;
const UNSURE_MARGIN_SECONDS = 3;
const MARKED_MARGIN_SECONDS = 1;

/** Words that two hypotheses in a row begin with are confirmed, once enough was heard after them. */
export function agree(agreement: Agreement, hypothesis: Word[], { from, until } = ALL): Agreement {
  const { confirmed, fresh } = continued(agreement.confirmed, hypothesis, from);
  const changed = fresh.map((word, index) => {
    const before = agreement.tentative[index];
    if (before === undefined) return 0;
    return isSame(word, before) ? agreement.changed[index]! : until;
  });
  const isAgreed = (word: Word, index: number) => {
    const before = agreement.tentative[index];
    if (before === undefined || !isSame(word, before)) return false;
    const confidence = Math.min(word.confidence, before.confidence);
    const isFirst = confirmed.length === 0 && index === 0;
    const isLast = index === fresh.length - 1;
    const margin = Math.max(
      marginOf(isFirst ? Math.min(1, FORMS * confidence) : confidence),
      isLast && MARK.test(word.text) ? MARKED_MARGIN_SECONDS : 0,
      Math.min(UNSURE_MARGIN_SECONDS, 2 * (changed[index]! - word.end)),
    );
    return until - word.end >= margin;
  };
  const differs = fresh.findIndex((word, index) => !isAgreed(word, index));
  const count = differs < 0 ? fresh.length : differs;
  return { ...confirm(confirmed, fresh, count), changed: changed.slice(count) };
}

/** A first word is written in capitals or not, and its probability is divided between these forms. */
const FORMS = 2;

/** What a model writes at the end of its audio, also where a sentence goes on. */
const MARK = /\p{P}$/u;

/** How much has to be heard after a word, in seconds: the less probable it is, the more often it still changes. */
function marginOf(confidence: number): number {
  const doubt = Math.min(1, Math.max(0, (SURE - confidence) / (SURE - UNSURE)));
  return MARGIN_SECONDS + doubt * (UNSURE_MARGIN_SECONDS - MARGIN_SECONDS);
}

/** No word takes longer: the end of one that does was stretched. */
const WORD_MAX_SECONDS = 2;

/** Words that end by `until` are confirmed without a second hypothesis, as are those that began so long before it. */
export function accept(agreement: Agreement, hypothesis: Word[], { from, until } = ALL): Agreement {
  const { confirmed, fresh } = continued(agreement.confirmed, hypothesis, from);
  const later = fresh.findIndex(({ start, end }) => end > until && start > until - WORD_MAX_SECONDS);
  return confirm(confirmed, fresh, later < 0 ? fresh.length : later);
}

/** Nothing more is heard: the last hypothesis stands. */
export const conclude = ({ confirmed, tentative }: Agreement): Agreement =>
  confirm(confirmed, tentative, tentative.length);

const confirm = (confirmed: Word[], fresh: Word[], count: number): Agreement => ({
  confirmed: [...confirmed, ...fresh.slice(0, count)],
  tentative: fresh.slice(count),
  changed: fresh.slice(count).map(() => 0),
});

const isSame = (word: Word, other: Word) => letters(word) === letters(other);

const letters = ({ text }: Word) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** The confirmed words, the last with the end that the hypothesis gives it, and the words of the hypothesis beyond them. */
function continued(confirmed: Word[], hypothesis: Word[], from: number) {
  const tail = confirmed.slice(confirmed.findLastIndex(({ end }) => end <= from) + 1);
  const count = repeated(tail, hypothesis, from > 0);
  const [last, same] = [tail.at(-1), hypothesis[count - 1]];
  const timed =
    last && same && isSame(last, same) ? [...confirmed.slice(0, -1), { ...last, end: same.end }] : confirmed;
  return { confirmed: timed, fresh: hypothesis.slice(count) };
}

const HEAD_WORDS = 2; // that a model may leave out where its audio was cut before them
const HEAD_COST = 0.3;
const ALIKE_COST = 0.5;
const SLACK_SECONDS = 0.2;
const APART_SECONDS = 2; // between the beginnings of words that are not the same one, even where their text is

/**
 * How many words of the hypothesis repeat the tail: the cheapest alignment of all of the tail with some of its beginning.
 * A word too much, too little or another costs 1, as does each second between the end of the tail and that place.
 */
function repeated(tail: Word[], hypothesis: Word[], isCut: boolean): number {
  if (tail.length === 0) return 0;
  const texts = hypothesis.map(letters);
  let costs = Array.from({ length: hypothesis.length + 1 }, (_, count) => count);
  for (const [index, word] of tail.entries()) {
    const text = letters(word);
    const next = [costs[0]! + (isCut && index < HEAD_WORDS ? HEAD_COST : 1)];
    for (const [at, other] of texts.entries()) {
      const isApart = Math.abs(hypothesis[at]!.start - word.start) > APART_SECONDS;
      const differs = isApart ? 1 : difference(text, other);
      next.push(Math.min(costs[at]! + differs, costs[at + 1]! + 1, next[at]! + 1));
    }
    costs = next;
  }
  const until = tail.at(-1)!.end;
  const total = costs.map((cost, count) => cost + distance(hypothesis, count, until));
  return total.indexOf(Math.min(...total));
}

/** Seconds between a time and the boundary after so many words, beyond what is usual. */
function distance(hypothesis: Word[], count: number, seconds: number): number {
  const [before, after] = [hypothesis[count - 1], hypothesis[count]];
  if (!before && !after) return 0;
  const low = before?.end ?? after!.start;
  const high = after?.start ?? before!.end;
  const gap = Math.max(Math.min(low, high) - seconds, seconds - Math.max(low, high));
  return Math.max(0, gap - SLACK_SECONDS);
}

/** 0 for the same word; less than 1 for one that begins with half of the other, as a word does that is cut. */
function difference(one: string, other: string): number {
  if (one === other) return 0;
  const differs = [...one].findIndex((letter, index) => letter !== other[index]);
  const same = differs < 0 ? one.length : differs;
  return same > 0 && same >= Math.max(one.length, other.length) / 2 ? ALIKE_COST : 1;
}
