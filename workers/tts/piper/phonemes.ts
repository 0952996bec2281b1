/**
 * Piper's phonemes: decomposed letters of IPA, each mapped to one or more ids by the voice's own file.
 *
 *   ^ _ h _ ə _ l _ oʊ … _ $       a pad after every id, and one sequence a sentence, as in training
 *
 * A sentence of more phonemes than any that is said is several sequences: the model's memory grows with their square.
 * Source: rhasspy/piper-phonemize.
 */
import type { PiperVoice } from "../../../src/engine/families/piper-voice.ts";
import { dividedInRuns } from "../runs.ts";

const [PAD, START, END] = ["_", "^", "$"] as const;

/** `phonemes` are decomposed; `places` has the code unit of them that each id stands for, -1 for what frames a sentence. */
type PiperSentence = { ids: number[]; places: number[] };

/** The sentences, and the number of times that each phoneme without an id occurred. */
export type PiperIds = { sentences: PiperSentence[]; unknown: Map<string, number> };

export const decomposed = (phonemes: string): string => phonemes.normalize("NFD");

export function piperIds(phonemes: string, voice: PiperVoice): PiperIds {
  const unknown = new Map<string, number>();
  const read = decomposed(phonemes);
  const sentences: PiperSentence[] = [];
  let from = 0;
  for (const { index } of [...read.matchAll(/(?<=[.!?]) |$/g)]) {
    const known = knownIn(read.slice(from, index), from, { voice, unknown });
    sentences.push(...sequencesOf(known, voice.phoneme_id_map));
    from = index + 1;
  }
  return { sentences, unknown };
}

type Reading = { voice: PiperVoice; unknown: Map<string, number> };
type Known = { symbol: string; place: number };

/** Those that have an id; none if no letter has. */
function knownIn(
  sentence: string,
  offset: number,
  { voice: { phoneme_id_map: map }, unknown }: Reading,
): Known[] {
  const known: Known[] = [];
  for (const { 0: symbol, index } of sentence.matchAll(/./gsu))
    if (Object.hasOwn(map, symbol)) known.push({ symbol, place: offset + index });
    else unknown.set(symbol, (unknown.get(symbol) ?? 0) + 1);
  return known.some(({ symbol }) => /\p{L}/u.test(symbol)) ? known : [];
}

const PHONEMES_MAX = 600; // a segment of prose has at most 400

function sequencesOf(known: readonly Known[], map: PiperVoice["phoneme_id_map"]): PiperSentence[] {
  const runs = dividedInRuns(
    known.map((each, id) => ({ ...each, id })),
    PHONEMES_MAX,
  );
  return runs.map(({ ids }) =>
    sequenceOf(
      ids.map((id) => known[id]!),
      map,
    ),
  );
}

function sequenceOf(known: readonly Known[], map: PiperVoice["phoneme_id_map"]): PiperSentence {
  const pad = map[PAD] ?? [0];
  const ids: number[] = [];
  const places: number[] = [];
  const add = (more: number[], place: number) => {
    ids.push(...more);
    places.push(...more.map(() => place));
  };
  add([...(map[START] ?? []), ...pad], -1);
  for (const { symbol, place } of known) for (const id of map[symbol]!) add([id, ...pad], place);
  add(map[END] ?? [], -1);
  return { ids, places };
}
