/**
 * A recording that is transcribed for money, whatever the interface: from an admitted request and the bytes of a file to
 * segments with their charges.
 *
 *   bytes -> samples -> seconds (429) -> engine (and diarizer) -> segments -> charge
 *
 * A caller that leaves pays for what was recognized until then.
 */

import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Decoded, Decoder } from "../engine/media/media-decoder.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import type { Claim } from "../engine/runner.ts";
import { invalidInput, isLeft, Refusal } from "../errors.ts";
import { languageCode } from "../language-tag.ts";
import type { Holding } from "../memory/budget.ts";
import type { ChosenRecognition } from "../models/choose.ts";
import { knownLanguage } from "../models/choose-engine.ts";
import { type Recognition, recognize } from "../transcription/recognize.ts";
import { withSpeakers } from "../transcription/speakers/with-speakers.ts";
import { type Segment, segmentsOf } from "../transcription/transcript.ts";
import type { Part } from "../usage/posting.ts";
import type { Work } from "../usage/work.ts";

export type TranscriptionServices = { decoder: Decoder; registry: Pick<EngineRegistry, "engine"> };

/** The bytes of a file, which are held; `free` gives them up once they are decoded. `param`: the field that has it. */
export type Source = { bytes: Uint8Array; free(): void; param?: string };

/** `speakers`: where the chosen model tells them apart. */
export type RecordingRequest = {
  work: Work;
  holding: Holding;
  claim: Claim;
  chosen: ChosenRecognition;
  hints: Omit<Recognition, "samples" | "claim" | "reached" | "spans">;
  speakers: { known: readonly KnownSpeaker[]; count: number | null };
};

export type MeteredRecording = {
  durationSeconds: number;
  /** What of the files could not be read, in sentences. */
  warnings: readonly string[];
  /** All segments, charged together. */
  whole(): Promise<Segment[]>;
  /** Each segment is charged before it is yielded, the rest of the recording before the end. */
  stream(): AsyncGenerator<Segment>;
  /** Charges what was recognized for a caller that has left. */
  left(): Promise<void>;
};

/** Resolves before it is recognized. */
export async function transcribe(
  services: TranscriptionServices,
  source: Source,
  request: RecordingRequest,
): Promise<MeteredRecording> {
  const { work, claim, chosen, hints, speakers } = request;
  const { samples, durationSeconds, warnings } = await decode(services, source, request);
  const { known, count: speakerCount } = chosen.diarizer ? speakers : { known: [], count: null };
  const decoded = await decodeVoices(services.decoder, known, claim);
  work.note({ audioSeconds: durationSeconds, language: knownLanguage(chosen) });
  await work.take(durationSeconds);
  const { model, manifest, diarizer } = chosen;
  const price = { model, priceMicros: manifest.price_micros };
  const billing = new RecordingBilling(work, { ...price, durationSeconds, signal: claim.signal });
  const telling = diarizer && {
    engine: services.registry.engine(diarizer),
    samples: samples.slice(),
    names: known.map(({ name }) => name),
    ...{ voices: decoded.voices, speakerCount, claim },
  };
  const recognition = { ...hints, samples, spans: null, claim, reached: billing.reached };
  const heard = (language: string) => work.note({ language: languageCode(language) });
  const recognized = recognizeSegments(services, chosen, { recognition, heard });
  const segments = telling ? withSpeakers(recognized, telling) : recognized;
  return {
    durationSeconds,
    warnings: [...warnings, ...decoded.warnings],
    async whole() {
      const all = await billing.unlessLeft(Array.fromAsync(segments));
      await billing.whole();
      return all;
    },
    stream: () => chargedInTurn(segments, billing, claim.signal),
    left: () => billing.left(),
  };
}

async function* chargedInTurn(
  segments: AsyncGenerator<Segment>,
  billing: RecordingBilling,
  signal: AbortSignal,
): AsyncGenerator<Segment> {
  try {
    for await (const segment of segments) {
      signal.throwIfAborted(); // a result without a receiver is not charged
      await billing.upTo(segment.end);
      yield segment;
    }
    signal.throwIfAborted();
    await billing.whole();
  } finally {
    if (isLeft(signal)) await billing.left();
  }
}

/** The recording as samples; the bytes of the file are given back. */
async function decode(
  { decoder }: TranscriptionServices,
  { bytes, free, param }: Source,
  { holding, claim, chosen }: RecordingRequest,
): Promise<Decoded> {
  const copies = chosen.diarizer ? 2 : 1;
  const shrink = await holding.decode(copies, claim.signal);
  const decoded = await decoder.decode(bytes, claim);
  if ("refusal" in decoded) throw new Refusal(decoded.refusal, decoded.message, param ? { param } : {});
  holding.giveBack(bytes.length);
  free(); // recognition takes long
  const sizeBytes = decoded.samples.byteLength * copies;
  holding.take(sizeBytes);
  shrink(sizeBytes);
  return decoded;
}

/** A translation is English, whatever was spoken. `heard`: once, with the language that was detected first. */
async function* recognizeSegments(
  { registry }: TranscriptionServices,
  { engine }: ChosenRecognition,
  { recognition, heard }: { recognition: Recognition; heard(language: string): void },
): AsyncGenerator<Segment> {
  let isKnown = false;
  for await (const hypothesis of recognize(registry.engine(engine), recognition)) {
    if (hypothesis.language && !isKnown) heard(hypothesis.language);
    isKnown ||= Boolean(hypothesis.language);
    yield* segmentsOf(recognition.translate ? { ...hypothesis, language: "en" } : hypothesis);
  }
}

/** A person whom a caller knows; `reference`: the bytes of a recording of their voice. */
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

/** `priceMicros`: of a million seconds. `signal` aborts when the caller leaves, or with a refusal of the server. */
type Recording = { model: string; priceMicros: number; durationSeconds: number; signal: AbortSignal };

/** Bills one recording while it is recognized: utterance by utterance, or at once. */
class RecordingBilling {
  readonly #work: Pick<Work, "post">;
  readonly #recording: Recording;
  #reachedSeconds = 0;
  #charging: Promise<void> = Promise.resolve();
  #left: Promise<void> | null = null;

  constructor(work: Pick<Work, "post">, recording: Recording) {
    this.#work = work;
    this.#recording = recording;
  }

  /** So many seconds are recognized. */
  readonly reached = (seconds: number): void => {
    this.#reachedSeconds = seconds;
  };

  /** Charges up to there. */
  upTo(seconds: number): Promise<void> {
    return this.#post(seconds, "early");
  }

  whole(): Promise<void> {
    return this.#post(this.#recording.durationSeconds, "last");
  }

  /** Where the charge fails, nothing is charged: nothing was delivered for it. */
  left(): Promise<void> {
    this.#left ??=
      this.#reachedSeconds > 0 ? this.#post(this.#reachedSeconds, "left").catch(() => {}) : Promise.resolve();
    return this.#left;
  }

  /** The result of the work, unless its caller leaves meanwhile. */
  async unlessLeft<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#recording;
    try {
      const result = await work;
      signal.throwIfAborted();
      return result;
    } catch (error) {
      if (isLeft(signal)) await this.left();
      throw error;
    }
  }

  /** One charge after the other: each pays for what those before it have not paid. */
  #post(seconds: number, part: Part): Promise<void> {
    const { model, priceMicros, durationSeconds } = this.#recording;
    const consumed = { model, priceMicros, quantity: Math.min(seconds, durationSeconds) };
    const charge = () => this.#work.post(consumed, part);
    this.#charging = this.#charging.then(charge, charge);
    return this.#charging;
  }
}
