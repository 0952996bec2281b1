/**
 * Piper's phonemes: decomposed letters of IPA, each mapped to one or more ids by the voice's own file.
 *
 *   ^ _ h _ ə _ l _ oʊ … _ $       a pad after every id, and one sequence a sentence, as in training
 *
 * Source: rhasspy/piper-phonemize.
 */

/** The fields of a voice's `.onnx.json` that are used. */
export type PiperVoice = {
  audio: { sample_rate: number };
  espeak: { voice: string };
  inference: { noise_scale: number; length_scale: number; noise_w: number };
  phoneme_id_map: Record<string, number[]>;
  num_speakers?: number;
  speaker_id_map?: Record<string, number>;
  hop_length?: number;
};

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
    const sentence = idsOf(read.slice(from, index), from, { voice, unknown });
    if (sentence.ids.length > 0) sentences.push(sentence);
    from = index + 1;
  }
  return { sentences, unknown };
}

type Reading = { voice: PiperVoice; unknown: Map<string, number> };

/** Empty if no letter of it has an id. */
function idsOf(
  sentence: string,
  offset: number,
  { voice: { phoneme_id_map: map }, unknown }: Reading,
): PiperSentence {
  const phonemes = [...sentence.matchAll(/./gsu)];
  const known = phonemes.filter(([phoneme]) => Object.hasOwn(map, phoneme));
  for (const [phoneme] of phonemes)
    if (!Object.hasOwn(map, phoneme)) unknown.set(phoneme, (unknown.get(phoneme) ?? 0) + 1);
  if (!known.some(([phoneme]) => /\p{L}/u.test(phoneme))) return { ids: [], places: [] };
  const pad = map[PAD] ?? [0];
  const ids: number[] = [];
  const places: number[] = [];
  const add = (more: number[], place: number) => {
    ids.push(...more);
    places.push(...more.map(() => place));
  };
  add([...(map[START] ?? []), ...pad], -1);
  for (const { 0: phoneme, index } of known)
    for (const id of map[phoneme]!) add([id, ...pad], offset + index);
  add(map[END] ?? [], -1);
  return { ids, places };
}
