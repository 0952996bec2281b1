/** The voices of the people whom a caller knows, as samples. */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim } from "../engine/claim.ts";
import type { Decoder } from "../engine/media/media-decoder.ts";
import { invalidInput, Refusal } from "../errors.ts";

/** `reference`: the bytes of a recording. */
export type KnownSpeaker = { name: string; reference: Uint8Array };

const SECONDS_MIN = 1.2; // as clients of the compatible API are told
const SECONDS_MAX = 10;
const PADDING_SECONDS = 0.5; // that encoders add

/** In the order of the speakers, and what of them is missing, in sentences that name the field. */
export async function decodeVoices(
  decoder: Decoder,
  speakers: readonly KnownSpeaker[],
  claim: Claim,
): Promise<{ voices: Float32Array[]; warnings: string[] }> {
  const voices: Float32Array[] = [];
  const warnings: string[] = [];
  for (const [index, { reference }] of speakers.entries()) {
    const param = `known_speaker_references.${index}`;
    const decoded = await decoder.decode(reference, claim);
    if ("refusal" in decoded) throw new Refusal(decoded.refusal, decoded.message, { param });
    const { samples, durationSeconds } = decoded;
    if (durationSeconds < SECONDS_MIN || durationSeconds > SECONDS_MAX + PADDING_SECONDS)
      throw invalidInput([
        {
          field: param,
          code: "out_of_range",
          message: `must be ${SECONDS_MIN} to ${SECONDS_MAX} seconds long, not ${durationSeconds.toFixed(1)}`,
        },
      ]);
    voices.push(samples.slice(0, SECONDS_MAX * ASR_SAMPLE_RATE));
    warnings.push(...decoded.warnings.map((warning) => `${param}: ${warning}`));
  }
  return { voices, warnings };
}
