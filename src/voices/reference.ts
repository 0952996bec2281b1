/**
 * The recording that a voice is made of, or in which its speaker consents: decoded, measured, and as the file that is kept.
 */
import { findUtterances } from "../audio/energy-vad.ts";
import { toInt16 } from "../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { wavHeader } from "../audio/wav.ts";
import type { Claim } from "../engine/claim.ts";
import type { Decoder } from "../engine/media/media-decoder.ts";
import { VOICE_SECONDS } from "../engine/protocol/voice-encoding.ts";
import { Refusal } from "../errors.ts";

const PADDING_SECONDS = 0.5; // that encoders add
const SPEECH_SECONDS_MIN = 1;

/** The field of the request, and how long its recording may be, in seconds. */
type ReferenceRules = { param: string; min: number; max: number };

const RECORDING: ReferenceRules = { param: "audio_sample", ...VOICE_SECONDS };
const CONSENT: ReferenceRules = { param: "consent", min: 1, max: 30 };

/** Characters of a consent in writing. */
export const STATEMENT = { min: 20, max: 2000 };

/** Files as they were uploaded. */
export type Reference = {
  recording: Uint8Array;
  consent: { kind: "recording"; file: Uint8Array } | { kind: "statement"; text: string };
};

/** The samples to encode, and what is kept of both. */
export async function decodeParts(decoder: Decoder, { recording, consent }: Reference, claim: Claim) {
  const samples = await decodeReference(decoder, recording, { ...RECORDING, claim });
  const agreed =
    consent.kind === "statement"
      ? Buffer.from(consent.text)
      : wavOf(await decodeReference(decoder, consent.file, { ...CONSENT, claim }));
  const seconds = samples.length / TTS_SAMPLE_RATE;
  return { samples, seconds, parts: { recording: wavOf(samples), consent: agreed } };
}

/** Samples at `TTS_SAMPLE_RATE`. Refuses what is no audio, too short, too long, or without speech. */
async function decodeReference(
  decoder: Decoder,
  file: Uint8Array,
  { claim, ...rules }: ReferenceRules & { claim: Claim },
): Promise<Float32Array> {
  const { param, min, max } = rules;
  const decoding = { sampleRate: TTS_SAMPLE_RATE, maxSeconds: max + PADDING_SECONDS };
  const decoded = await decoder.decode(file, claim, decoding);
  if ("refusal" in decoded) {
    const message = decoded.refusal === "audio_too_long" ? tooLong(max) : decoded.message;
    throw new Refusal(decoded.refusal, message, { param });
  }
  const { samples, durationSeconds } = decoded;
  if (durationSeconds < min)
    throw new Refusal(
      "audio_too_short",
      `The recording is ${durationSeconds.toFixed(1)} seconds long. It must be ${min} to ${max} seconds.`,
      { param },
    );
  if (speechSeconds(samples) < SPEECH_SECONDS_MIN)
    throw new Refusal("invalid_audio", "The recording is silent, or has no speech.", { param });
  return samples.slice(0, max * TTS_SAMPLE_RATE);
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
