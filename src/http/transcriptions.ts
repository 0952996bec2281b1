/**
 * POST /v1/audio/transcriptions: a recording in, its text out, whole or utterance by utterance.
 *
 *   key -> scope -> form -> catalogue -> decode -> engine        nothing before the engine costs anything
 */
import { Elysia } from "elysia";
import type { Decoded, Decoder } from "../audio/decode.ts";
import type { Catalogue } from "../catalog/catalogue.ts";
import { chooseHearing } from "../catalog/choose.ts";
import type { Claim, Queue } from "../engine/queue.ts";
import { Fault } from "../errors.ts";
import type { Log } from "../log.ts";
import { hear } from "../transcript/hear.ts";
import { deltaEvent, doneEvent, jsonBody, verboseBody } from "../transcript/json.ts";
import { plainText, srt, vtt } from "../transcript/subtitles.ts";
import { deltaOf, type Segment, segmentOf, type Transcript, transcriptOf } from "../transcript/transcript.ts";
import type { Access } from "./access.ts";
import type { Patience } from "./body.ts";
import { readForm } from "./form.ts";
import { type Ending, event, eventStream, levelOf } from "./stream.ts";
import { formDocument, readOrder, type TranscriptionOrder } from "./transcription-form.ts";

export type TranscriptionParts = {
  access: Access;
  catalogue: Catalogue;
  decoder: Decoder;
  recogniser: Queue;
  patience: Patience;
  log: Log;
};

export function transcriptionRoute(parts: TranscriptionParts) {
  const { access, catalogue, decoder, recogniser, patience, log } = parts;
  return new Elysia().post(
    "/v1/audio/transcriptions",
    async ({ request, server, set }) => {
      server?.timeout(request, 0); // a long recording is silent until it is heard
      const principal = access(request, "transcription:create");
      const form = await readForm(request, patience);
      const order = readOrder(form);
      const { model, manifest, language } = chooseHearing(catalogue, order);
      const recording = await decode(decoder, form.file, request.signal);
      const id = set.headers["x-request-id"] as string;
      const { durationSeconds } = recording;
      const done = (ending: Ending) =>
        log[levelOf(ending)]("transcription", {
          id,
          key: principal.keyId,
          model,
          audioSeconds: durationSeconds,
          ...ending,
        });
      const claim: Claim = {
        urgency: order.streaming ? "streaming" : "batch",
        organization: principal.organizationId,
        request: id,
        signal: request.signal,
      };
      const spoken = language ?? manifest.hearing.languages[0]!;
      const segments = hearSegments(recogniser, recording, claim);
      const job: Job = { segments, spoken, durationSeconds, order, id, done };
      return order.streaming ? streamed(job) : whole(job, request.signal);
    },
    { parse: "none", detail: formDocument },
  );
}

type Job = {
  segments: AsyncGenerator<Segment>;
  spoken: string;
  durationSeconds: number;
  order: TranscriptionOrder;
  id: string;
  done: (ending: Ending) => void;
};

async function decode(decoder: Decoder, file: Uint8Array, signal: AbortSignal): Promise<Decoded> {
  const decoded = await decoder.decode(file, signal);
  if ("refusal" in decoded) throw new Fault(decoded.refusal, decoded.message, { param: "file" });
  return decoded;
}

async function* hearSegments(recogniser: Queue, { samples }: Decoded, claim: Claim): AsyncGenerator<Segment> {
  for await (const hypothesis of hear(recogniser, { samples, language: null, claim })) {
    const segment = segmentOf(hypothesis);
    if (segment) yield segment;
  }
}

async function whole(
  { segments, spoken, durationSeconds, order, done }: Job,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const heard = await Array.fromAsync(segments);
    done({ status: 200 });
    return respond(transcriptOf(heard, spoken, durationSeconds), order);
  } catch (reason) {
    if (signal.aborted) done({ status: 499 });
    throw reason;
  }
}

function respond(transcript: Transcript, { format, granularities }: TranscriptionOrder): Response {
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
  return eventStream(transcriptEvents(job, first), job.id, job.done);
}

async function* transcriptEvents(job: Job, first: IteratorResult<Segment>): AsyncGenerator<Uint8Array> {
  const heard: Segment[] = [];
  try {
    for (let step = first; !step.done; step = await job.segments.next()) {
      const delta = deltaOf(step.value, heard.length === 0);
      heard.push(step.value);
      yield event("transcript.text.delta", deltaEvent(delta));
    }
    yield event("transcript.text.done", doneEvent(transcriptOf(heard, job.spoken, job.durationSeconds)));
  } finally {
    await job.segments.return(undefined); // the listener may have left: the engine stops too
  }
}
