/**
 * Requests that transcribe: audio as it arrives, recognized when it is complete.
 *
 *   model -> audio … -> decode -> seconds (429) -> engine -> transcript-start, transcript-chunk …, transcript, transcript-stop
 *
 * Every segment is charged before it is sent. Clients that do not stream read `transcript` only.
 */
import { HEADER_BYTES, pcmHeader } from "../audio/wav.ts";
import type { Decoder } from "../engine/media/media-decoder.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import { Refusal } from "../errors.ts";
import { Gathered } from "../memory/gathered.ts";
import type { ChosenRecognition } from "../models/choose.ts";
import type { CatalogueFor } from "../models/live-catalogue.ts";
import { type Recognition, recognize } from "../transcription/recognize.ts";
import { deltaOf, type Segment, segmentsOf, transcriptOf } from "../transcription/transcript.ts";
import { RecordingBilling } from "../usage/recording-billing.ts";
import { chooseModelFor } from "./catalogue-choice.ts";
import type { ModelSelection, PcmFormat } from "./event-fields.ts";
import { ending, type MeteredRequest, type MeteringDeps, openRequest, type Peer } from "./metered-request.ts";
import { eventOf } from "./wyoming-session.ts";

export type RecognitionDeps = MeteringDeps & {
  catalogueFor: CatalogueFor;
  decoder: Decoder;
  registry: Pick<EngineRegistry, "engine">;
};

const KIND = { endpoint: "wyoming/transcribe", scope: "transcription:create", bucket: "seconds" } as const;
const BYTES_MAX = 25 * 1024 * 1024; // as an upload

export type Recording = {
  request: MeteredRequest;
  chosen: ChosenRecognition;
  format: PcmFormat;
  /** A header of unknown length, and the audio. */
  wav: Gathered;
};

export async function openRecording(
  deps: RecognitionDeps,
  { selection, format }: { selection: ModelSelection; format: PcmFormat },
  peer: Peer,
): Promise<Recording> {
  const request = await openRequest(deps, KIND, peer);
  return ending(request, async () => {
    const chosen = chooseModelFor(deps.catalogueFor(request.plan), selection);
    request.work.note({ model: chosen.model, stream: true });
    const wav = new Gathered();
    const { rate: sampleRate, width, channels } = format;
    wav.append(pcmHeader({ sampleRate, width, channels }, null));
    return { request, chosen, format, wav };
  });
}

type Chunk = { format: PcmFormat; bytes: Uint8Array };

/** A sample may be divided between two chunks. */
export function record({ request, format, wav }: Recording, chunk: Chunk): Promise<void> {
  return ending(request, async () => {
    const { rate, width, channels } = chunk.format;
    if (rate !== format.rate || width !== format.width || channels !== format.channels)
      throw invalidAudio("All audio of a recording must have the format of its audio-start.");
    if (wav.sizeBytes + chunk.bytes.length > BYTES_MAX)
      throw new Refusal("file_too_large", "The recording is larger than 25 MB.");
    request.holding.take(chunk.bytes.length);
    wav.append(width === 1 ? unsigned(chunk.bytes) : chunk.bytes);
  });
}

/** Samples of one byte are signed here, and unsigned in WAV. */
const unsigned = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0x80);

export function transcribe(deps: RecognitionDeps, recording: Recording, peer: Peer): Promise<void> {
  const { request, chosen } = recording;
  const { work } = request;
  return ending(request, async () => {
    const { samples, durationSeconds } = await decode(deps.decoder, recording);
    await work.take(durationSeconds);
    const { model, manifest, assumedLanguage } = chosen;
    const price = { model, priceMicros: manifest.price_micros };
    const billing = new RecordingBilling(work, { ...price, durationSeconds, signal: request.claim.signal });
    const segments: Segment[] = [];
    const tell = async () => {
      await peer.send(eventOf("transcript-start", { language: assumedLanguage }));
      for await (const segment of recognized(deps, recording, { samples, reached: billing.reached })) {
        await billing.upTo(segment.end);
        work.started();
        await peer.send(eventOf("transcript-chunk", { text: deltaOf(segment, segments.length === 0) }));
        segments.push(segment);
      }
    };
    await billing.unlessLeft(tell());
    if (durationSeconds > 0) await billing.whole();
    const { text, language } = transcriptOf(segments, assumedLanguage, durationSeconds);
    await peer.send(eventOf("transcript", { text, language }));
    await peer.send(eventOf("transcript-stop"));
    work.end(200);
  });
}

/** The recording as samples; its bytes are given back. There are no warnings: the file was made here of what arrived. */
async function decode(decoder: Decoder, { request, wav }: Recording) {
  if (wav.sizeBytes === HEADER_BYTES) return { samples: new Float32Array(0), durationSeconds: 0 };
  const { work, holding, claim } = request;
  const shrink = await holding.decode(1, claim.signal);
  const decoded = await decoder.decode(wav.bytes(), claim);
  holding.giveBack(wav.sizeBytes);
  wav.clear();
  if ("refusal" in decoded) throw new Refusal(decoded.refusal, decoded.message);
  holding.take(decoded.samples.byteLength);
  shrink(decoded.samples.byteLength);
  work.note({ audioSeconds: decoded.durationSeconds });
  return decoded;
}

async function* recognized(
  { registry }: RecognitionDeps,
  { request, chosen }: Recording,
  { samples, reached }: Required<Pick<Recognition, "samples" | "reached">>,
): AsyncGenerator<Segment> {
  if (samples.length === 0) return;
  const { engine, language } = chosen;
  const { claim } = request;
  const recognition = { samples, reached, spans: null, language, prompt: "", wordTimes: false, claim };
  for await (const hypothesis of recognize(registry.engine(engine), recognition))
    yield* segmentsOf(hypothesis);
}

const invalidAudio = (message: string) => new Refusal("invalid_audio", message);
