/**
 * The people whom a caller knows: their names, and recordings of their voices as data URLs.
 *
 *   known_speaker_names[]        Ada                      Grace
 *   known_speaker_references[]   data:audio/wav;base64,…  data:audio/mpeg;base64,…
 */
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import type { Claim } from "../../engine/claim.ts";
import type { Decoder } from "../../engine/media/media-decoder.ts";
import { type Detail, invalidInput, Refusal } from "../../errors.ts";

/** `reference`: the bytes of a recording. */
export type KnownSpeaker = { name: string; reference: Uint8Array };

type Fields = { known_speaker_names?: string[]; known_speaker_references?: string[] };

export const KNOWN_SPEAKERS_MAX = 4;
const SECONDS_MIN = 1.2; // as clients of the compatible API are told
const SECONDS_MAX = 10;
const PADDING_SECONDS = 0.5; // that encoders add

/** Throws where names and references do not belong together, or are not what they must be. */
export function readKnownSpeakers(fields: Fields): KnownSpeaker[] {
  const { known_speaker_names: names = [], known_speaker_references: references = [] } = fields;
  const details: Detail[] = [];
  if (names.length !== references.length)
    details.push({
      field: references.length < names.length ? "known_speaker_references" : "known_speaker_names",
      code: "malformed",
      message: "must be as many names as references, in the same order",
    });
  for (const [index, name] of names.entries())
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || name.trim() === "" || names.indexOf(name) < index)
      details.push({
        field: `known_speaker_names.${index}`,
        code: "malformed",
        message: "must be one line of text, and another name than the others",
      });
  const bytes = references.map(bytesOf);
  for (const [index, each] of bytes.entries())
    if (each === null)
      details.push({
        field: `known_speaker_references.${index}`,
        code: "malformed",
        message: "must be a data URL of a recording in base64, such as data:audio/wav;base64,…",
      });
  if (details.length > 0) throw invalidInput(details);
  return names.map((name, index) => ({ name, reference: bytes[index]! }));
}

const HEAD_MAX = 200;

/** Null where it is no data URL in base64. */
function bytesOf(url: string): Uint8Array | null {
  const comma = url.slice(0, HEAD_MAX).indexOf(",");
  const head = url.slice(0, Math.max(0, comma)).toLowerCase();
  const content = url.slice(comma + 1);
  if (!head.startsWith("data:") || !head.endsWith(";base64") || !/^[A-Za-z0-9+/]+={0,2}$/.test(content))
    return null;
  return Buffer.from(content, "base64");
}

/** Their voices as samples, in the order of the speakers, and what of them is missing, in sentences that name the field. */
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
