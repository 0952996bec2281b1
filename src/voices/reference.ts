/**
 * The recording that a voice is made of, or in which its speaker consents: decoded, measured, and as the file that is kept.
 */
import { findUtterances } from "../audio/energy-vad.ts";
import { toInt16, wavHeader } from "../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Decoded, Decoder } from "../engine/media/media-decoder.ts";
import { VOICE_SECONDS } from "../engine/protocol/voice-encoding.ts";
import type { Claim } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";

const PADDING_SECONDS = 0.5; // that encoders add
const SPEECH_SECONDS_MIN = 1;

/** The field of the request, and how long its recording may be, in seconds. */
type ReferenceRules = { param: string; min: number; max: number };

const RECORDING: ReferenceRules = { param: "audio_sample", ...VOICE_SECONDS };
const CONSENT: Omit<ReferenceRules, "param"> = { min: 1, max: 30 };

/** Characters of a consent in writing. */
export const STATEMENT = { min: 20, max: 2000 };

/** Files as they were uploaded; `stored`: the WAV file of a consent that was kept before. */
export type Reference = {
  recording: Uint8Array;
  consent:
    | { kind: "recording"; file: Uint8Array }
    | { kind: "stored"; id: string; wav: Buffer }
    | { kind: "statement"; text: string };
};

/** The samples to encode, how the speaker has agreed, what is kept of both, and what of the files is missing in it. */
export async function decodeParts(decoder: Decoder, { recording, consent }: Reference, claim: Claim) {
  const { samples, warnings } = await decodeReference(decoder, recording, { ...RECORDING, claim });
  const seconds = samples.length / TTS_SAMPLE_RATE;
  const made = (kept: Buffer) => ({ recording: wavOf(samples), consent: kept });
  const agreed = {
    consent: consent.kind === "statement" ? ("statement" as const) : ("recording" as const),
    consentId: consent.kind === "stored" ? consent.id : null,
  };
  if (consent.kind !== "recording") {
    const kept = consent.kind === "stored" ? consent.wav : Buffer.from(consent.text);
    return { samples, seconds, agreed, parts: made(kept), warnings };
  }
  const { wav, warnings: more } = await decodeConsent(decoder, consent.file, { param: "consent", claim });
  return { samples, seconds, agreed, parts: made(wav), warnings: [...warnings, ...more] };
}

/** The file of a recorded consent that is kept. `param`: the field that refusals and warnings name. */
export async function decodeConsent(
  decoder: Decoder,
  file: Uint8Array,
  { param, claim }: { param: string; claim: Claim },
): Promise<{ wav: Buffer; warnings: string[] }> {
  const { samples, warnings } = await decodeReference(decoder, file, { ...CONSENT, param, claim });
  return { wav: wavOf(samples), warnings };
}

/** Samples at `TTS_SAMPLE_RATE`, and warnings that name the field. Refuses what is no audio, too short, too long, or without speech. */
async function decodeReference(
  decoder: Decoder,
  file: Uint8Array,
  { claim, ...rules }: ReferenceRules & { claim: Claim },
): Promise<Pick<Decoded, "samples"> & { warnings: string[] }> {
  const { param, min, max } = rules;
  const decoding = { sampleRate: TTS_SAMPLE_RATE, maxSeconds: max + PADDING_SECONDS };
  const decoded = await decoder.decode(file, claim, decoding);
  if ("refusal" in decoded) {
    const message = decoded.refusal === "audio_too_long" ? tooLong(max) : decoded.message;
    throw new Refusal(decoded.refusal, message, { param });
  }
  const { samples, durationSeconds, warnings } = decoded;
  if (durationSeconds < min)
    throw new Refusal(
      "audio_too_short",
      `The recording is ${durationSeconds.toFixed(1)} seconds long. It must be ${min} to ${max} seconds.`,
      { param },
    );
  if (speechSeconds(samples) < SPEECH_SECONDS_MIN)
    throw new Refusal("invalid_audio", "The recording is silent, or has no speech.", { param });
  return {
    samples: samples.slice(0, max * TTS_SAMPLE_RATE),
    warnings: warnings.map((warning) => `${param}: ${warning}`),
  };
}

const tooLong = (max: number) => `The recording is longer than ${max} seconds.`;

function speechSeconds(samples: Float32Array): number {
  const spans = findUtterances(samples, TTS_SAMPLE_RATE);
  return spans.reduce((sum, { start, end }) => sum + end - start, 0) / TTS_SAMPLE_RATE;
}

/** A WAV file of 16 bits. */
function wavOf(samples: Float32Array): Buffer {
  const header = wavHeader(samples.length, TTS_SAMPLE_RATE);
  return Buffer.concat([header, new Uint8Array(toInt16(samples).buffer)]);
}
