/**
 * A recording that is transcribed for money, whatever the interface: from an admitted request and the bytes of a file to
 * segments with their charges.
 *
 *   bytes -> samples -> seconds (429) -> engine (and diarizer) -> segments -> charge
 *
 * A caller that leaves pays for what was recognized until then.
 */
import type { Claim } from "../engine/claim.ts";
import type { Decoded, Decoder } from "../engine/media/media-decoder.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import { isLeft, Refusal } from "../errors.ts";
import type { Holding } from "../memory/budget.ts";
import type { ChosenRecognition } from "../models/choose.ts";
import { type Recognition, recognize } from "../transcription/recognize.ts";
import { withSpeakers } from "../transcription/speakers/with-speakers.ts";
import { type Segment, segmentsOf } from "../transcription/transcript.ts";
import { RecordingBilling } from "../usage/recording-billing.ts";
import type { Work } from "../usage/work.ts";
import { decodeVoices, type KnownSpeaker } from "./known-voices.ts";

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
  work.note({ audioSeconds: durationSeconds });
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
  const recognized = recognizeSegments(services, chosen, recognition);
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

/** A translation is English, whatever was spoken. */
async function* recognizeSegments(
  { registry }: TranscriptionServices,
  { engine }: ChosenRecognition,
  recognition: Recognition,
): AsyncGenerator<Segment> {
  for await (const hypothesis of recognize(registry.engine(engine), recognition))
    yield* segmentsOf(recognition.translate ? { ...hypothesis, language: "en" } : hypothesis);
}
