/**
 * POST /v1/audio/transcriptions and /v1/audio/translations: a recording in, its text or its text in English out, whole or
 * utterance by utterance.
 *
 *   key -> scope -> limits -> credit -> form -> catalogue -> decode -> seconds -> engine -> charge -> answer
 *                                                   └── in the background: a job -> its record
 */
import { Elysia } from "elysia";
import { unlessRefused } from "../../errors.ts";
import type { Log } from "../../log/log.ts";
import {
  type MeteredRecording,
  type TranscriptionServices,
  transcribe,
} from "../../metered/transcription.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { type ChosenRecognition, chooseRecognition } from "../../models/choose.ts";
import { knownLanguage } from "../../models/choose-engine.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
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
import { plainText, srt, vtt } from "../../transcription/subtitles.ts";
import { deltaOf, type Segment, type Transcript, transcriptOf } from "../../transcription/transcript.ts";
import type { Work } from "../../usage/work.ts";
import type { BodyTimeouts } from "../middleware/body/body.ts";
import { uploadFingerprint } from "../middleware/body/idempotency.ts";
import { readUpload, type Upload } from "../middleware/body/upload.ts";
import {
  type Admitted,
  claimOf,
  endAs,
  type MeteredCall,
  type MeteredRoutes,
} from "../middleware/metering.ts";
import { audioWarningsHeader, ignoredFieldsHeader } from "../middleware/response-headers.ts";
import { event, eventStream } from "../middleware/stream.ts";
import { unlessElsewhere } from "./background-fields.ts";
import { formDocument, translationDocument } from "./transcription-document.ts";
import { parseTranscriptionRequest, type TranscriptionRequest } from "./transcription-request.ts";

/** A request that is to become a job. `tellsWordTimes`: whether its engine does. */
export type BackgroundCall = {
  admitted: Admitted;
  request: TranscriptionRequest;
  upload: Upload;
  chosen: ChosenRecognition;
  hints: ReturnType<typeof hintsOf>;
  tellsWordTimes: boolean;
};

export type JobWork = Pick<BackgroundCall, "request" | "chosen" | "hints" | "tellsWordTimes">;

export type TranscriptionDeps = TranscriptionServices & {
  metered: MeteredRoutes;
  /** Answers a request that is to become a job. */
  createJob: (call: BackgroundCall) => Promise<Response>;
  catalogueFor: CatalogueFor;
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
    const create = (call: MeteredCall) => deps.metered(call, route, (admitted) => answer(call, admitted));
    app.post(endpoint, ({ request, set }) => create({ request, set }), {
      parse: "none",
      detail: document,
    });
  }
  return app;
}

function createHandler(deps: TranscriptionDeps, kind: RecognitionKind) {
  const { catalogueFor, timeouts, unreadMs, log } = deps;
  return async (call: MeteredCall, admitted: Admitted): Promise<Response> => {
    const { id, principal, work, holding, signal } = admitted;
    const catalogue = catalogueFor(principal);
    using upload = await readUpload(call.request, { timeouts, holding, ...ELSEWHERE });
    const request = parseTranscriptionRequest(upload.text, kind, catalogue);
    const knownModel = catalogue.find(request.model)?.id ?? null; // usage sums by model are kept forever
    const { endUser, label, streaming: stream, format: responseFormat } = request;
    work.note({ model: knownModel, stream, responseFormat, endUser, label });
    const chosen = chosenFor(catalogue, request);
    const hints = [...request.ignored, ...unusedHints(request, chosen)];
    Object.assign(call.set.headers, ignoredFieldsHeader(hints));
    const claim = claimOf(admitted, request.streaming ? "streaming" : "batch");
    await work.identify(() => uploadFingerprint(upload));
    work.note({ language: knownLanguage(chosen) });
    if (request.background) return await inBackground(deps, { admitted, request, upload, chosen }, catalogue);
    const source = { bytes: upload.file, free: () => upload[Symbol.dispose](), param: "file" };
    const recording = await transcribe(deps, source, {
      ...{ work, holding, claim, chosen },
      hints: hintsOf(request, chosen),
      speakers: { known: request.knownSpeakers, count: request.speakerCount },
    });
    Object.assign(call.set.headers, audioWarningsHeader(recording.warnings));
    const job: Job = {
      id,
      work,
      recording,
      assumedLanguage: chosen.assumedLanguage,
      request,
      signal,
      log,
      unreadMs,
    };
    return request.streaming ? streamed(job) : whole(job);
  };
}

const ELSEWHERE = { noFile: unlessElsewhere, noAudio: unlessElsewhere };

type Chosen = Pick<BackgroundCall, "admitted" | "request" | "upload" | "chosen">;

const inBackground = (deps: TranscriptionDeps, call: Chosen, catalogue: Catalogue): Promise<Response> =>
  deps.createJob({ ...call, ...recognitionOf(catalogue, call) });

/** `wordTimes`: the field that asks for the times of words; null: none does. */
const chosenFor = (
  catalogue: Catalogue,
  request: TranscriptionRequest,
  wordTimes = asksWordTimes(request) ? GRANULARITIES : null,
): ChosenRecognition => chooseRecognition(catalogue, { ...request, keywords: request.mustPrefer, wordTimes });

/** A job keeps the times of words where its engine tells them, whatever the format. */
function recognitionOf(catalogue: Catalogue, { request, chosen }: Pick<Chosen, "request" | "chosen">) {
  const telling = unlessRefused(() => chosenFor(catalogue, request, GRANULARITIES));
  return { hints: hintsOf(request, chosen), tellsWordTimes: telling?.engine === chosen.engine };
}

/** What a job does that the fields of a request ask for. */
export function jobWork(catalogue: Catalogue, kind: RecognitionKind, text: Upload["text"]): JobWork {
  const request = parseTranscriptionRequest(text, kind, catalogue);
  const chosen = chosenFor(catalogue, request);
  return { request, chosen, ...recognitionOf(catalogue, { request, chosen }) };
}

/** What the engine does not use. */
const unusedHints = ({ sent }: TranscriptionRequest, { hints, keywords }: ChosenRecognition): string[] => [
  ...(sent.prompt && !hints ? ["prompt"] : []),
  ...(sent.hotwords && !keywords ? ["hotwords"] : []),
];

const hintsOf = (request: TranscriptionRequest, chosen: ChosenRecognition) => ({
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
  recording: MeteredRecording;
  assumedLanguage: string;
  request: TranscriptionRequest;
  signal: AbortSignal;
  log: Log;
  unreadMs: number;
};

async function whole({ work, recording, assumedLanguage, request }: Job): Promise<Response> {
  const segments = await recording.whole();
  work.started();
  work.end(200);
  return transcriptResponse(transcriptFrom(recording, segments, assumedLanguage), request);
}

const transcriptFrom = (
  { durationSeconds, warnings }: MeteredRecording,
  segments: Segment[],
  assumedLanguage: string,
) => ({ ...transcriptOf(segments, assumedLanguage, durationSeconds), warnings });

/** How a transcript is written. */
export type Writing = Pick<
  TranscriptionRequest,
  "format" | "granularities" | "logprobs" | "kind" | "diarized"
>;

export function transcriptResponse(transcript: Transcript, writing: Writing): Response {
  const { format, diarized } = writing;
  switch (format) {
    case "text":
      return plain(diarized ? speakerLines(transcript.segments) : plainText(transcript));
    case "srt":
      return plain(srt(transcript));
    case "vtt":
      return plain(vtt(transcript));
    default:
      return Response.json(objectOf(transcript, writing), { headers: JSON_HEADERS });
  }
}

/** As a line of JSON has it: what is no JSON is the text of an object. */
export async function transcriptBody(transcript: Transcript, writing: Writing): Promise<object> {
  const isText = ["text", "srt", "vtt"].includes(writing.format);
  if (!isText) return objectOf(transcript, writing);
  return { text: await transcriptResponse(transcript, writing).text() };
}

function objectOf(transcript: Transcript, { format, granularities, logprobs, kind }: Writing): object {
  if (format === "diarized_json") return diarizedBody(transcript, kind);
  return format === "verbose_json"
    ? verboseBody(transcript, granularities, kind)
    : jsonBody(transcript, logprobs);
}

const JSON_HEADERS = { "content-type": "application/json" };
const plain = (text: string) =>
  new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });

/** The first utterance is awaited, so that an engine that fails at once is still an ordinary HTTP error. */
async function streamed(job: Job): Promise<Response> {
  const { id, unreadMs, signal, recording } = job;
  const segments = recording.stream();
  const first = await segments.next();
  job.work.started();
  return eventStream(transcriptEvents(job, segments, first), {
    requestId: id,
    unreadMs,
    signal,
    end(ending) {
      if (ending.status === 499) void recording.left().then(() => endAs(job, ending));
      else endAs(job, ending);
    },
  });
}

async function* transcriptEvents(
  { request, recording, assumedLanguage }: Job,
  charged: AsyncGenerator<Segment>,
  first: IteratorResult<Segment>,
): AsyncGenerator<Uint8Array> {
  const segments: Segment[] = [];
  const { logprobs, diarized } = request;
  try {
    for (let step = first; !step.done; step = await charged.next()) {
      const index = segments.length;
      const delta = deltaOf(step.value, index === 0);
      segments.push(step.value);
      const words = logprobs ? step.value.words : null;
      yield event("transcript.text.delta", deltaEvent(delta, words, diarized ? index : null));
      if (diarized) yield event("transcript.text.segment", segmentEvent(step.value, index));
    }
    yield event(
      "transcript.text.done",
      doneEvent(transcriptFrom(recording, segments, assumedLanguage), logprobs),
    );
  } finally {
    await charged.return(undefined); // the client may have left: stops the engine
  }
}
