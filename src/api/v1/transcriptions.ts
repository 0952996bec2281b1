/**
 * POST /v1/audio/transcriptions: a recording in, its text out, whole or utterance by utterance.
 *
 *   key -> scope -> limits -> credit -> form -> catalogue -> decode -> seconds -> engine -> charge -> answer
 */
import { Elysia } from "elysia";
import type { Claim } from "../../engine/claim.ts";
import type { Decoded, Decoder } from "../../engine/media-decoder.ts";
import type { Engine, EngineRegistry } from "../../engine/registry.ts";
import { Refusal } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { chooseRecognition } from "../../models/choose.ts";
import { type Recognition, recognize } from "../../transcription/recognize.ts";
import { deltaEvent, doneEvent, jsonBody, verboseBody } from "../../transcription/response.ts";
import { plainText, srt, vtt } from "../../transcription/subtitles.ts";
import {
  deltaOf,
  type Segment,
  segmentsOf,
  type Transcript,
  transcriptOf,
} from "../../transcription/transcript.ts";
import type { Work } from "../../usage/work.ts";
import type { BodyTimeouts } from "../middleware/body/body.ts";
import { openFormUploads, readForm } from "../middleware/body/form.ts";
import { endAs, type MeteredRoutes } from "../middleware/metering.ts";
import { event, eventStream } from "../middleware/stream.ts";
import {
  formDocument,
  parseTranscriptionRequest,
  type TranscriptionRequest,
} from "./transcription-request.ts";

export type TranscriptionDeps = {
  metered: MeteredRoutes;
  catalogue: Catalogue;
  decoder: Decoder;
  registry: EngineRegistry;
  timeouts: BodyTimeouts;
  unreadMs: number;
  log: Log;
};

const ROUTE = {
  endpoint: "/v1/audio/transcriptions",
  scope: "transcription:create",
  bucket: "seconds",
} as const;

export function transcriptionRoute(deps: TranscriptionDeps) {
  const { metered, catalogue, decoder, registry, timeouts, unreadMs, log } = deps;
  const uploads = openFormUploads();
  return new Elysia().post(
    ROUTE.endpoint,
    (call) =>
      metered(call, ROUTE, async ({ id, principal, work, holding }) => {
        const { signal } = call.request;
        const { organizationId } = principal;
        const hold = holding.take;
        using form = await readForm(call.request, { timeouts, hold, uploads, organizationId });
        const order = parseTranscriptionRequest(form);
        const known = catalogue.find(order.model)?.id ?? null; // usage sums by model are kept forever
        work.note({ model: known, stream: order.streaming, responseFormat: order.format });
        const chosen = chooseRecognition(catalogue, order);
        const { model, manifest, language, spoken } = chosen;
        const claim: Claim = {
          urgency: order.streaming ? "streaming" : "batch",
          organization: organizationId,
          request: id,
          signal,
        };
        const recording = await decode(decoder, form.file, claim);
        const { durationSeconds } = recording;
        holding.giveBack(form.file.length);
        form[Symbol.dispose](); // recognition takes long
        holding.take(recording.samples.byteLength);
        work.note({ audioSeconds: durationSeconds });
        await work.take(durationSeconds);
        const recognition = {
          samples: recording.samples,
          spans: null,
          language,
          prompt: order.prompt,
          wordTimes: needsWordTimes(order),
          claim,
        };
        const segments = recognizeSegments(registry.engine(chosen.engine), recognition);
        const post = (quantity: number) => work.post({ model, priceMicros: manifest.price_micros, quantity });
        const job: Job = {
          id,
          work,
          segments,
          spoken,
          durationSeconds,
          order,
          post,
          signal,
          log,
          unreadMs,
        };
        return order.streaming ? streamed(job) : whole(job);
      }),
    { parse: "none", detail: formDocument },
  );
}

/** The times of subtitles are those of their first and last word. */
const needsWordTimes = ({ format, granularities }: TranscriptionRequest): boolean =>
  format === "srt" || format === "vtt" || (format === "verbose_json" && granularities.includes("word"));

type Job = {
  id: string;
  work: Work;
  segments: AsyncGenerator<Segment>;
  spoken: string;
  durationSeconds: number;
  order: TranscriptionRequest;
  /** Charges up to so many seconds of the recording. */
  post: (seconds: number) => Promise<void>;
  signal: AbortSignal;
  log: Log;
  unreadMs: number;
};

async function decode(decoder: Decoder, file: Uint8Array, claim: Claim): Promise<Decoded> {
  const decoded = await decoder.decode(file, claim);
  if ("refusal" in decoded) throw new Refusal(decoded.refusal, decoded.message, { param: "file" });
  return decoded;
}

async function* recognizeSegments(engine: Engine, recognition: Recognition): AsyncGenerator<Segment> {
  for await (const hypothesis of recognize(engine, recognition)) {
    yield* segmentsOf(hypothesis);
  }
}

async function whole({
  work,
  segments,
  spoken,
  durationSeconds,
  order,
  post,
  signal,
}: Job): Promise<Response> {
  const recognized = await Array.fromAsync(segments);
  signal.throwIfAborted(); // a result that nobody receives is not charged
  await post(durationSeconds);
  work.started();
  work.end(200);
  return respond(transcriptOf(recognized, spoken, durationSeconds), order);
}

function respond(transcript: Transcript, { format, granularities }: TranscriptionRequest): Response {
  switch (format) {
    case "text":
      return plain(plainText(transcript));
    case "srt":
      return plain(srt(transcript));
    case "vtt":
      return plain(vtt(transcript));
    case "verbose_json":
      return Response.json(verboseBody(transcript, granularities), { headers: JSON_HEADERS });
    default:
      return Response.json(jsonBody(transcript), { headers: JSON_HEADERS });
  }
}

const JSON_HEADERS = { "content-type": "application/json" };
const plain = (text: string) =>
  new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });

/** The first utterance is awaited, so that an engine that fails at once is still an ordinary HTTP error. */
async function streamed(job: Job): Promise<Response> {
  const first = await job.segments.next();
  job.work.started();
  const { id, unreadMs } = job;
  return eventStream(transcriptEvents(job, first), {
    requestId: id,
    unreadMs,
    end: (ending) => endAs(job, ending),
  });
}

async function* transcriptEvents(job: Job, first: IteratorResult<Segment>): AsyncGenerator<Uint8Array> {
  const segments: Segment[] = [];
  try {
    for (let step = first; !step.done; step = await job.segments.next()) {
      const delta = deltaOf(step.value, segments.length === 0);
      segments.push(step.value);
      await job.post(Math.min(step.value.end, job.durationSeconds));
      yield event("transcript.text.delta", deltaEvent(delta));
    }
    await job.post(job.durationSeconds);
    yield event("transcript.text.done", doneEvent(transcriptOf(segments, job.spoken, job.durationSeconds)));
  } finally {
    await job.segments.return(undefined); // the client may have left: stops the engine
  }
}
