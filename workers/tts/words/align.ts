/**
 * Which of the sounds that an engine made belong to which word of a text: both in order, each with a weight that says about
 * how long it is.
 *
 *   text    in      1999           of the
 *   sounds  ɪn   naɪntiːn naɪntinaɪn   əvðə        one word may be several sounds, several words one
 *
 * The alignment costs least: how much the weights differ, and a little for everything that is not one to one.
 */

/** `mark`: what pauses behind it, "" for nothing. */
export type Token = { from: number; to: number; weight: number; mark: boolean };

/** In sounds, counted from 0: a word that shares a sound has a part of it. */
export type Span = { from: number; to: number };

const WORDS_TO_ONE = 4;
const SOUNDS_TO_ONE = 12;
const ASIDE = 6; // how far a part may be ahead of or behind an even pace, in sounds
const [NOT_ALONE, UNHEARD, OTHER_MARK] = [0.6, 2.5, 0.8];

type Step = { words: number; sounds: number };

const STEPS: Step[] = [
  { words: 1, sounds: 1 },
  ...Array.from({ length: SOUNDS_TO_ONE - 1 }, (_, more) => ({ words: 1, sounds: more + 2 })),
  ...Array.from({ length: WORDS_TO_ONE - 1 }, (_, more) => ({ words: more + 2, sounds: 1 })),
  { words: 1, sounds: 0 },
  { words: 0, sounds: 1 },
];

/** For each word the sounds that are its own; an empty span where none is. */
export function align(words: readonly Token[], sounds: readonly Token[]): Span[] {
  if (words.length === sounds.length) return words.map((_, at) => ({ from: at, to: at + 1 }));
  const steps = cheapest(words, sounds);
  const spans: Span[] = [];
  let past = 0;
  for (const step of steps) {
    const shared = words.slice(spans.length, spans.length + step.words);
    const whole = sumOf(shared);
    let before = 0;
    for (const { weight } of shared) {
      const from = past + (before / whole) * step.sounds;
      before += weight;
      spans.push({ from, to: past + (before / whole) * step.sounds });
    }
    past += step.sounds;
  }
  return spans;
}

function cheapest(words: readonly Token[], sounds: readonly Token[]): Step[] {
  const width = sounds.length + 1;
  const scale = sumOf(words) / Math.max(sumOf(sounds), 1);
  const costs = new Float64Array((words.length + 1) * width).fill(Number.POSITIVE_INFINITY);
  const taken = new Uint8Array(costs.length);
  const [wordSums, soundSums] = [sumsOf(words), sumsOf(sounds)];
  const band = ASIDE + Math.abs(words.length - sounds.length);
  costs[0] = 0;
  for (let w = 0; w <= words.length; w++)
    for (let s = 0; s < width; s++) {
      const cost = costs[w * width + s]!;
      const aside = Math.abs(s - (w * sounds.length) / Math.max(words.length, 1));
      if (cost === Number.POSITIVE_INFINITY || aside > band) continue;
      for (const [number, step] of STEPS.entries()) {
        const [toWord, toSound] = [w + step.words, s + step.sounds];
        if (toWord > words.length || toSound >= width) continue;
        const written = wordSums[toWord]! - wordSums[w]!;
        const sounded = (soundSums[toSound]! - soundSums[s]!) * scale;
        const marks = words[toWord - 1]?.mark === sounds[toSound - 1]?.mark ? 0 : OTHER_MARK;
        const total = cost + stepCost(step, written, sounded) + (step.words * step.sounds === 0 ? 0 : marks);
        const at = toWord * width + toSound;
        if (total >= costs[at]!) continue;
        costs[at] = total;
        taken[at] = number;
      }
    }
  const steps: Step[] = [];
  for (let [w, s] = [words.length, sounds.length]; w > 0 || s > 0; ) {
    const step = STEPS[taken[w * width + s]!]!;
    steps.unshift(step);
    w -= step.words;
    s -= step.sounds;
  }
  return steps;
}

function stepCost({ words, sounds }: Step, written: number, sounded: number): number {
  if (words === 0 || sounds === 0) return UNHEARD;
  return Math.abs(Math.log((written + 1) / (sounded + 1))) + (words + sounds - 2) * NOT_ALONE * 0.5;
}

const sumOf = (tokens: readonly Token[]) => tokens.reduce((sum, { weight }) => sum + weight, 0);

function sumsOf(tokens: readonly Token[]): number[] {
  const sums = [0];
  for (const { weight } of tokens) sums.push(sums.at(-1)! + weight);
  return sums;
}
