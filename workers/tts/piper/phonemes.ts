/**
 * Piper's phonemes: the letters of IPA, decomposed, each a few ids that the voice's own file names.
 *
 *   ^ _ h _ ə _ l _ oʊ … _ $       a pad behind every id, as the voices were trained (piper-phonemize)
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

/** Null where nothing of it is a phoneme of the voice. */
export function piperIds(phonemes: string, { phoneme_id_map: map }: PiperVoice): number[] | null {
  const pad = map[PAD] ?? [0];
  const known = [...phonemes.normalize("NFD")].flatMap((phoneme) =>
    Object.hasOwn(map, phoneme) ? [map[phoneme]!] : [],
  );
  if (known.length === 0) return null;
  return [...(map[START] ?? []), ...pad, ...known.flat().flatMap((id) => [id, ...pad]), ...(map[END] ?? [])];
}
