/**
 * POST /v1/audio/speech: text in, audio out, whole or streamed.
 *
 *   key -> scope -> limits -> credit -> body -> catalogue -> characters -> engine -> charge -> first byte
 */
import { Elysia } from "elysia";
import { MEDIA_TYPES, type SpeechFormat } from "../../audio/encode.ts";
import type { Claim } from "../../engine/claim.ts";
import type { Log } from "../../log.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { type ChosenSpeech, chooseSpeech } from "../../models/choose.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import { readerOf } from "../../speech/pronounceable.ts";
import {
  type Clip,
  type RenderRequest,
  render,
  renderWhole,
  type Synthesizer,
} from "../../speech/synthesizer.ts";
import type { Consumed } from "../../usage/charges.ts";
import type { Work } from "../../usage/work.ts";
import { type BodyTimeouts, readJson } from "../middleware/body/body.ts";
import { ignoredFieldsHeader } from "../middleware/ignored-fields.ts";
import { endAs, type MeteredRoutes } from "../middleware/metering.ts";
import { byteStream, type Ending, event, eventStream } from "../middleware/stream.ts";
import { bodyDocument, parseSpeechRequest, type SpeechRequest } from "./speech-request.ts";

export type SpeechDeps = {
  metered: MeteredRoutes;
  catalogueFor: CatalogueFor;
  synthesizer: Synthesizer;
  timeouts: BodyTimeouts;
  unreadMs: number;
  log: Log;
};

const ROUTE = { endpoint: "/v1/audio/speech", scope: "speech:create", bucket: "characters" } as const;

export function speechRoute({ metered, catalogueFor, synthesizer, timeouts, unreadMs, log }: SpeechDeps) {
  return new Elysia().post(
    ROUTE.endpoint,
    (call) =>
      metered(call, ROUTE, async ({ id, principal, work, signal }) => {
        const catalogue = catalogueFor(principal.plan);
        const request = parseSpeechRequest(await readJson(call.request, timeouts));
        work.note(notesOf(request, catalogue));
        const chosen = chooseSpeech(catalogue, request);
        work.note({ voice: chosen.voice.id, responseFormat: chosen.format });
        Object.assign(call.set.headers, ignoredFieldsHeader(ignoredBy(request, chosen)));
        await work.take(request.characters);
        const synthesis = renderRequestOf(request, chosen, {
          urgency: request.streaming ? "streaming" : "batch",
          organization: principal.organizationId,
          request: id,
          signal,
          trace: work.trace,
        });
        const job = { id, work, synthesizer, synthesis, chosen, request, log, unreadMs };
        return request.streaming ? streamed(job) : whole(job);
      }),
    { parse: "none", detail: bodyDocument },
  );
}

/** Some models follow no instructions. */
const ignoredBy = ({ ignored, instructions }: SpeechRequest, { manifest }: ChosenSpeech): string[] =>
  instructions === "" || manifest.speech.instructions ? ignored : [...ignored, "instructions"];

/** Usage sums by model are kept forever, so only names of the catalogue may appear in them. */
const notesOf = ({ model, streaming, characters }: SpeechRequest, { find }: Catalogue) => ({
  model: find(model)?.id ?? null,
  stream: streaming,
  characters,
});

function renderRequestOf(
  { text, language, speed, instructions }: SpeechRequest,
  { voice, manifest }: ChosenSpeech,
  claim: Claim,
): RenderRequest {
  return {
    engine: voice.engine,
    speaker: voice.speaker,
    reader: readerOf(voice, language),
    text,
    language: language ?? voice.locale,
    speed,
    instructions: manifest.speech.instructions ? instructions : "",
    claim,
  };
}

type Job = {
  id: string;
  work: Work;
  synthesizer: Synthesizer;
  synthesis: RenderRequest;
  chosen: ChosenSpeech;
  request: SpeechRequest;
  log: Log;
  unreadMs: number;
};

const consumedOf = ({ chosen, request }: Job): Consumed => ({
  model: chosen.model,
  priceMicros: chosen.manifest.price_micros,
  quantity: request.characters,
});

/** A short body is sent at once; a long one is streamed from its file, and holds its slot until it is sent. */
async function whole(job: Job): Promise<Response> {
  const { work, synthesizer, synthesis, chosen } = job;
  const { body, audioSeconds } = await renderWhole(synthesizer, synthesis, chosen.format);
  try {
    synthesis.claim.signal.throwIfAborted(); // a result without a receiver is not charged
    await work.post(consumedOf(job));
  } catch (cause) {
    await body.close();
    throw cause;
  }
  work.note({ audioSeconds });
  work.started();
  const mediaType = MEDIA_TYPES[chosen.format];
  const bytes = body.whole();
  if (bytes === null)
    return byteStream(body.chunks(), {
      mediaType,
      unreadMs: job.unreadMs,
      signal: synthesis.claim.signal,
      end: (ending) => endAs(job, ending),
    });
  work.end(200);
  return new Response(bytes, { headers: { "content-type": mediaType } });
}

/** Charges once there is audio, before its first byte is sent. */
async function streamed(job: Job): Promise<Response> {
  const { id, work, synthesizer, synthesis, chosen, request, unreadMs } = job;
  const { format, manifest } = chosen;
  const clip = await render(synthesizer, synthesis, { format, lengthFirst: manifest.speech.length_first });
  try {
    synthesis.claim.signal.throwIfAborted();
    await work.post(consumedOf(job));
  } catch (error) {
    clip.chunks.return(null).catch(() => {});
    throw error;
  }
  const end = (ending: Ending) => {
    work.note({ audioSeconds: clip.audioSeconds() });
    endAs(job, ending);
  };
  work.started();
  const sending = { unreadMs, end, signal: synthesis.claim.signal };
  return request.sse
    ? eventStream(speechEvents(clip, format, request.characters), { requestId: id, ...sending })
    : byteStream(clip.chunks, { mediaType: MEDIA_TYPES[format], ...sending });
}

const DELTA_LIMIT = 32 * 1024; // bytes of audio in one event; even, so that a PCM delta holds whole samples
const TOKENS_PER_SECOND = 20; // stock clients want a token count; nothing is billed by it

async function* speechEvents(
  clip: Clip,
  format: SpeechFormat,
  characters: number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of clip.chunks) {
    for (let offset = 0; offset < chunk.length; offset += DELTA_LIMIT) {
      const audio = Buffer.from(chunk.subarray(offset, offset + DELTA_LIMIT)).toString("base64");
      yield event("speech.audio.delta", { type: "speech.audio.delta", audio, response_format: format });
    }
  }
  const audioSeconds = Math.round(clip.audioSeconds() * 1000) / 1000;
  const output = Math.ceil(audioSeconds * TOKENS_PER_SECOND);
  yield event("speech.audio.done", {
    type: "speech.audio.done",
    usage: {
      input_tokens: characters,
      output_tokens: output,
      total_tokens: characters + output,
      characters,
      audio_seconds: audioSeconds,
    },
  });
}
