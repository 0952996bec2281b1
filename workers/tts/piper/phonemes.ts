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
};

const [PAD, START, END] = ["_", "^", "$"] as const;

/** The ids of each sentence, and the number of times that each phoneme without an id occurred. */
export type PiperIds = { sentences: number[][]; unknown: Map<string, number> };

export function piperIds(phonemes: string, voice: PiperVoice): PiperIds {
  const unknown = new Map<string, number>();
  const sentences = phonemes
    .normalize("NFD")
    .split(/(?<=[.!?]) /)
    .map((sentence) => idsOf([...sentence], voice, unknown))
    .filter((ids) => ids.length > 0);
  return { sentences, unknown };
}

/** Empty if no letter of it has an id. */
function idsOf(
  phonemes: string[],
  { phoneme_id_map: map }: PiperVoice,
  unknown: Map<string, number>,
): number[] {
  const known = phonemes.filter((phoneme) => Object.hasOwn(map, phoneme));
  for (const phoneme of phonemes)
    if (!Object.hasOwn(map, phoneme)) unknown.set(phoneme, (unknown.get(phoneme) ?? 0) + 1);
  if (!known.some((phoneme) => /\p{L}/u.test(phoneme))) return [];
  const pad = map[PAD] ?? [0];
  const ids = known.flatMap((phoneme) => map[phoneme]!.flatMap((id) => [id, ...pad]));
  return [...(map[START] ?? []), ...pad, ...ids, ...(map[END] ?? [])];
}
