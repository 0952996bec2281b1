/**
 * Piper's phonemes: the letters of IPA, decomposed, each a few ids that the voice's own file names.
 *
 *   ^ _ h _ ə _ l _ oʊ … _ $       a pad behind every id, and each sentence its own, as the voices were trained
 *
 * Source: rhasspy/piper-phonemize.
 */

/** What of a voice's `.onnx.json` is used. */
export type PiperVoice = {
  audio: { sample_rate: number };
  espeak: { voice: string };
  inference: { noise_scale: number; length_scale: number; noise_w: number };
  phoneme_id_map: Record<string, number[]>;
  num_speakers?: number;
  speaker_id_map?: Record<string, number>;
};

const [PAD, START, END] = ["_", "^", "$"] as const;

/** The ids of each sentence, and how often each phoneme came up that the voice has no id for. */
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

/** Empty where nothing of it is a phoneme of the voice. */
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
