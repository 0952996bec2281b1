/**
 * Requests that transcribe: audio as it arrives, recognized when it is complete.
 *
 *   model -> audio … -> decode -> seconds (429) -> engine -> transcript-start, transcript-chunk …, transcript, transcript-stop
 *
 * Every segment is charged before it is sent. Clients that do not stream read `transcript` only.
 */
import { HEADER_BYTES, pcmHeader } from "../audio/pcm.ts";
import { Refusal } from "../errors.ts";
import { Gathered } from "../memory/spool.ts";
import { FILE_BYTES_MAX } from "../metered/request-limits.ts";
import { type TranscriptionServices, transcribe as transcribeMetered } from "../metered/transcription.ts";
import type { ChosenRecognition } from "../models/choose.ts";
import type { CatalogueFor } from "../models/live-catalogue.ts";
import { deltaOf, type Segment, transcriptOf } from "../transcription/transcript.ts";
import { chooseModelFor } from "./catalogue-choice.ts";
import type { ModelSelection, PcmFormat } from "./event-fields.ts";
import { ending, type MeteredRequest, type MeteringDeps, openRequest, type Peer } from "./metered-request.ts";
import { eventOf } from "./wyoming-session.ts";

export type RecognitionDeps = MeteringDeps & TranscriptionServices & { catalogueFor: CatalogueFor };

const KIND = { endpoint: "wyoming/transcribe", scope: "transcription:create", bucket: "seconds" } as const;

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
    const chosen = chooseModelFor(deps.catalogueFor(request.principal), selection);
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
    if (wav.sizeBytes + chunk.bytes.length > FILE_BYTES_MAX)
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
    const result = await recognized(deps, recording);
    const segments: Segment[] = [];
    await peer.send(eventOf("transcript-start", { language: chosen.assumedLanguage }));
    for await (const segment of result.segments) {
      work.started();
      await peer.send(eventOf("transcript-chunk", { text: deltaOf(segment, segments.length === 0) }));
      segments.push(segment);
    }
    const { text, language } = transcriptOf(segments, chosen.assumedLanguage, result.durationSeconds);
    await peer.send(eventOf("transcript", { text, language }));
    await peer.send(eventOf("transcript-stop"));
    work.end(200);
  });
}

type Recognized = { segments: AsyncIterable<Segment> | Segment[]; durationSeconds: number };

/** There are no warnings: the file was made here of what arrived. */
async function recognized(deps: RecognitionDeps, { request, chosen, wav }: Recording): Promise<Recognized> {
  const { work, holding, claim } = request;
  if (wav.sizeBytes === HEADER_BYTES) return { segments: [], durationSeconds: 0 };
  const source = { bytes: wav.bytes(), free: () => wav.clear() };
  const { language } = chosen;
  const metered = await transcribeMetered(deps, source, {
    ...{ work, holding, claim, chosen },
    hints: { language, prompt: "", wordTimes: false },
    speakers: { known: [], count: null },
  });
  return { segments: metered.stream(), durationSeconds: metered.durationSeconds };
}

const invalidAudio = (message: string) => new Refusal("invalid_audio", message);
