/**
 * POST /v1/audio/transcriptions and /v1/audio/translations: a recording in, its text or its text in English out, whole or
 * utterance by utterance.
 *
 *   key -> scope -> limits -> credit -> form -> catalogue -> decode -> seconds -> engine -> charge -> answer
 */
import { Elysia } from "elysia";
import type { Claim } from "../../engine/claim.ts";
import type { Decoded, Decoder } from "../../engine/media/media-decoder.ts";
import type { Engine, EngineRegistry } from "../../engine/registry.ts";
import { Refusal } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { type ChosenRecognition, chooseRecognition } from "../../models/choose.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import { type Recognition, recognize } from "../../transcription/recognize.ts";
import {
  deltaEvent,
  diarizedBody,
  doneEvent,
  jsonBody,
  type RecognitionKind,
  segmentEvent,
  verboseBody,
} from "../../transcription/response.ts";
import { speakerLines } from "../../transcription/speakers/by-speaker.ts";
import { withSpeakers } from "../../transcription/speakers/with-speakers.ts";
import { plainText, srt, vtt } from "../../transcription/subtitles.ts";
import {
  deltaOf,
  type Segment,
  segmentsOf,
  type Transcript,
  transcriptOf,
} from "../../transcription/transcript.ts";
import { RecordingBilling } from "../../usage/recording-billing.ts";
import type { Work } from "../../usage/work.ts";
import type { BodyTimeouts } from "../middleware/body/body.ts";
import { uploadFingerprint } from "../middleware/body/idempotency.ts";
import { readUpload } from "../middleware/body/upload.ts";
import { type Admitted, endAs, type MeteredRoutes } from "../middleware/metering.ts";
import { audioWarningsHeader, ignoredFieldsHeader } from "../middleware/response-headers.ts";
import { event, eventStream } from "../middleware/stream.ts";
import { decodeVoices } from "./known-speakers.ts";
import { formDocument, translationDocument } from "./transcription-document.ts";
import { parseTranscriptionRequest, type TranscriptionRequest } from "./transcription-request.ts";

export type TranscriptionDeps = {
  metered: MeteredRoutes;
  catalogueFor: CatalogueFor;
  decoder: Decoder;
  registry: EngineRegistry;
  timeouts: BodyTimeouts;
  unreadMs: number;
  log: Log;
};

const KINDS = {
  transcribe: { endpoint: "/v1/audio/transcriptions", document: formDocument },
  translate: { endpoint: "/v1/audio/translations", document: translationDocument },
} as const;

export function transcriptionRoutes(deps: TranscriptionDeps) {
  const app = new Elysia();
  for (const [kind, { endpoint, document }] of Object.entries(KINDS)) {
    const route = { endpoint, scope: "transcription:create", bucket: "seconds" } as const;
    const answer = createHandler(deps, kind as RecognitionKind);
    const transcribe = (call: Call) => deps.metered(call, route, (admitted) => answer(call, admitted));
    app.post(endpoint, ({ request, set }) => transcribe({ request, set }), {
      parse: "none",
      detail: document,
    });
  }
  return app;
}

type Call = { request: Request; set: { headers: Record<string, string | number> } };

function createHandler(deps: TranscriptionDeps, kind: RecognitionKind) {
  const { catalogueFor, decoder, registry, timeouts, unreadMs, log } = deps;
  return async (call: Call, { id, principal, work, holding, signal }: Admitted): Promise<Response> => {
    const { organizationId, plan } = principal;
    const catalogue = catalogueFor(plan);
    using upload = await readUpload(call.request, { timeouts, holding });
    const request = parseTranscriptionRequest(upload.text, kind, catalogue);
    const knownModel = catalogue.find(request.model)?.id ?? null; // usage sums by model are kept forever
    work.note({ model: knownModel, stream: request.streaming, responseFormat: request.format });
    const needs = { keywords: request.mustPrefer, wordTimes: asksWordTimes(request) ? GRANULARITIES : null };
    const chosen = chooseRecognition(catalogue, { ...request, ...needs });
    const { model, manifest, assumedLanguage } = chosen;
    Object.assign(
      call.set.headers,
      ignoredFieldsHeader([...request.ignored, ...unusedHints(request, chosen)]),
    );
    const claim: Claim = {
      urgency: request.streaming ? "streaming" : "batch",
      organization: organizationId,
      request: id,
      signal,
      trace: work.trace,
    };
    await work.identify(() => uploadFingerprint(upload));
    const copies = chosen.diarizer ? 2 : 1;
    const shrink = await holding.decode(copies, signal);
    const recording = await decode(decoder, upload.file, claim);
    const { durationSeconds } = recording;
    holding.giveBack(upload.file.length);
    upload[Symbol.dispose](); // recognition takes long
    holding.take(recording.samples.byteLength * copies);
    shrink(recording.samples.byteLength * copies);
    const known = await decodeVoices(decoder, chosen.diarizer ? request.knownSpeakers : [], claim);
    const warnings = [...recording.warnings, ...known.warnings];
    Object.assign(call.set.headers, audioWarningsHeader(warnings));
    work.note({ audioSeconds: durationSeconds });
    await work.take(durationSeconds);
    const { speakerCount, knownSpeakers } = request;
    const telling = chosen.diarizer && {
      engine: registry.engine(chosen.diarizer),
      samples: recording.samples.slice(),
      names: knownSpeakers.map(({ name }) => name),
      ...{ voices: known.voices, speakerCount, claim },
    };
    const price = { model, priceMicros: manifest.price_micros };
    const billing = new RecordingBilling(work, { ...price, durationSeconds, signal });
    const recognition = {
      ...recognitionOf(request, chosen),
      ...{ samples: recording.samples, claim, reached: billing.reached },
    };
    const recognized = recognizeSegments(registry.engine(chosen.engine), recognition);
    const segments = telling ? withSpeakers(recognized, telling) : recognized;
    const outcome = { assumedLanguage, durationSeconds, warnings };
    const job: Job = { id, work, segments, ...outcome, request, billing, signal, log, unreadMs };
    return request.streaming ? streamed(job) : whole(job);
  };
}

/** What the engine does not use. */
const unusedHints = ({ sent }: TranscriptionRequest, { hints, keywords }: ChosenRecognition): string[] => [
  ...(sent.prompt && !hints ? ["prompt"] : []),
  ...(sent.hotwords && !keywords ? ["hotwords"] : []),
];

const recognitionOf = (request: TranscriptionRequest, chosen: ChosenRecognition) => ({
  spans: null,
  language: chosen.language,
  languages: chosen.languages,
  translate: request.translated,
  prompt: request.prompt,
  keywords: chosen.keywords ? request.keywords : [],
  mustPrefer: request.mustPrefer,
  wordTimes: needsWordTimes(request),
});

/** The times of subtitles are those of their first and last word, and speakers are told by the times of words. */
const needsWordTimes = (request: TranscriptionRequest): boolean => {
  const { format, streaming, diarized } = request;
  return diarized || (!streaming && (format === "srt" || format === "vtt")) || asksWordTimes(request);
};

const GRANULARITIES = "timestamp_granularities";

/** The events of a stream have no words. */
const asksWordTimes = ({ format, granularities, streaming }: TranscriptionRequest): boolean =>
  format === "verbose_json" && granularities.includes("word") && !streaming;

type Job = {
  id: string;
  work: Work;
  segments: AsyncGenerator<Segment>;
  assumedLanguage: string;
  durationSeconds: number;
  warnings: readonly string[];
  request: TranscriptionRequest;
  billing: RecordingBilling;
  signal: AbortSignal;
  log: Log;
  unreadMs: number;
};

async function decode(decoder: Decoder, file: Uint8Array, claim: Claim): Promise<Decoded> {
  const decoded = await decoder.decode(file, claim);
  if ("refusal" in decoded) throw new Refusal(decoded.refusal, decoded.message, { param: "file" });
  return decoded;
}

/** A translation is English, whatever was spoken. */
async function* recognizeSegments(engine: Engine, recognition: Recognition): AsyncGenerator<Segment> {
  for await (const hypothesis of recognize(engine, recognition)) {
    yield* segmentsOf(recognition.translate ? { ...hypothesis, language: "en" } : hypothesis);
  }
}

async function whole({
  work,
  segments,
  assumedLanguage,
  durationSeconds,
  warnings,
  request,
  billing,
}: Job): Promise<Response> {
  const recognized = await billing.unlessLeft(Array.fromAsync(segments));
  await billing.whole();
  work.started();
  work.end(200);
  return respond({ ...transcriptOf(recognized, assumedLanguage, durationSeconds), warnings }, request);
}

function respond(transcript: Transcript, request: TranscriptionRequest): Response {
  const { format, granularities, logprobs, kind, diarized } = request;
  switch (format) {
    case "text":
      return plain(diarized ? speakerLines(transcript.segments) : plainText(transcript));
    case "srt":
      return plain(srt(transcript));
    case "vtt":
      return plain(vtt(transcript));
    case "diarized_json":
      return Response.json(diarizedBody(transcript, kind), { headers: JSON_HEADERS });
    case "verbose_json":
      return Response.json(verboseBody(transcript, granularities, kind), { headers: JSON_HEADERS });
    default:
      return Response.json(jsonBody(transcript, logprobs), { headers: JSON_HEADERS });
  }
}

const JSON_HEADERS = { "content-type": "application/json" };
const plain = (text: string) =>
  new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });

/** The first utterance is awaited, so that an engine that fails at once is still an ordinary HTTP error. */
async function streamed(job: Job): Promise<Response> {
  const { id, unreadMs, signal, billing } = job;
  const first = await billing.unlessLeft(job.segments.next()).catch(async (error: unknown) => {
    await job.segments.return(undefined);
    throw error;
  });
  job.work.started();
  return eventStream(transcriptEvents(job, first), {
    requestId: id,
    unreadMs,
    signal,
    end(ending) {
      if (ending.status === 499) void billing.left().then(() => endAs(job, ending));
      else endAs(job, ending);
    },
  });
}

async function* transcriptEvents(job: Job, first: IteratorResult<Segment>): AsyncGenerator<Uint8Array> {
  const segments: Segment[] = [];
  const { logprobs, diarized } = job.request;
  try {
    for (let step = first; !step.done; step = await job.segments.next()) {
      const index = segments.length;
      const delta = deltaOf(step.value, index === 0);
      segments.push(step.value);
      await job.billing.upTo(step.value.end);
      const words = logprobs ? step.value.words : null;
      yield event("transcript.text.delta", deltaEvent(delta, words, diarized ? index : null));
      if (diarized) yield event("transcript.text.segment", segmentEvent(step.value, index));
    }
    await job.billing.whole();
    const { assumedLanguage, durationSeconds, warnings } = job;
    const transcript = { ...transcriptOf(segments, assumedLanguage, durationSeconds), warnings };
    yield event("transcript.text.done", doneEvent(transcript, logprobs));
  } finally {
    await job.segments.return(undefined); // the client may have left: stops the engine
  }
}
