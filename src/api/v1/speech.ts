/**
 * POST /v1/audio/speech: text in, audio out, whole or streamed.
 *
 *   key -> scope -> limits -> credit -> body -> catalogue -> characters -> engine -> charge -> first byte
 */
import { Elysia } from "elysia";
import { MEDIA_TYPES } from "../../audio/encode.ts";
import type { Claim } from "../../engine/claim.ts";
import { unavailableOnError } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { type ChosenSpeech, chooseSpeech } from "../../models/choose.ts";
import { speakerOf } from "../../models/choose-voice.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import { readerOf } from "../../speech/pronounceable.ts";
import type { Dictionary } from "../../speech/script/dictionary.ts";
import { type RenderRequest, render, renderWhole, type Synthesizer } from "../../speech/synthesizer.ts";
import type { Consumed } from "../../usage/charges.ts";
import type { Work } from "../../usage/work.ts";
import { styleOf } from "../../voices/encode-voice.ts";
import { type OwnVoices, ownVoiceNamed } from "../../voices/own-speech.ts";
import { type BodyTimeouts, readJson } from "../middleware/body/body.ts";
import { jsonFingerprint } from "../middleware/body/idempotency.ts";
import { endAs, type MeteredRoutes } from "../middleware/metering.ts";
import { ignoredFieldsHeader } from "../middleware/response-headers.ts";
import { byteStream, type Ending, eventStream, isCutShort } from "../middleware/stream.ts";
import {
  CAPTIONED_PATH,
  captionedDocument,
  captionedJson,
  parseCaptionedRequest,
} from "./captioned-speech.ts";
import { speechEvents } from "./speech-events.ts";
import { bodyDocument, parseSpeechRequest, type SpeechRequest, withReadings } from "./speech-request.ts";

export type SpeechDeps = {
  metered: MeteredRoutes;
  catalogueFor: CatalogueFor;
  synthesizer: Synthesizer;
  timeouts: BodyTimeouts;
  unreadMs: number;
  log: Log;
  /** How an organization reads words. */
  pronunciations: { dictionaryOf(organizationId: string): Promise<Dictionary> };
  ownVoices: OwnVoices;
};

const ROUTE = { endpoint: "/v1/audio/speech", scope: "speech:create", bucket: "characters" } as const;

export function speechRoute({ metered, pronunciations, ownVoices, ...deps }: SpeechDeps) {
  const { catalogueFor, synthesizer, timeouts, unreadMs, log } = deps;
  const createHandler = (parse: typeof parseSpeechRequest) => (call: Call) =>
    metered(call, ROUTE, async ({ id, principal, work, signal }) => {
      const catalogue = catalogueFor(principal.plan);
      const body = await readJson(call.request, timeouts);
      const parsed = parse(body);
      const words = pronunciations.dictionaryOf(principal.organizationId);
      const read = withReadings(parsed, await unavailableOnError("The dictionary", words));
      const request = { ...read, streaming: isStreamed(read, catalogue) };
      work.note(notesOf(request, catalogue));
      const ownVoice = await ownVoiceNamed(ownVoices, principal, request.voice);
      const chosen = chooseSpeech(catalogue, { ...request, ownVoice });
      work.note({ voice: chosen.voice.id, responseFormat: chosen.format });
      Object.assign(call.set.headers, ignoredFieldsHeader(ignoredBy(request, chosen)));
      await work.identify(async () => jsonFingerprint(body));
      await work.take(request.characters);
      const claim: Claim = {
        urgency: request.streaming ? "streaming" : "batch",
        organization: principal.organizationId,
        request: id,
        signal,
        trace: work.trace,
      };
      const { registry } = synthesizer;
      const style =
        ownVoice?.kind === "recording" &&
        (await styleOf(ownVoices.voices, ownVoice, { registry, engine: chosen.voice.engine, claim }));
      const synthesis = { ...renderRequestOf(request, chosen, claim), ...(style ? { style } : {}) };
      const job = { id, work, synthesizer, synthesis, chosen, request, log, unreadMs };
      return request.streaming ? streamed(job) : whole(job);
    });
  const speak = createHandler(parseSpeechRequest);
  const speakCaptioned = createHandler(parseCaptionedRequest);
  return new Elysia()
    .post(ROUTE.endpoint, ({ request, set }) => speak({ request, set }), {
      parse: "none",
      detail: bodyDocument,
    })
    .post(CAPTIONED_PATH, ({ request, set }) => speakCaptioned({ request, set }), {
      parse: "none",
      detail: captionedDocument,
    });
}

type Call = Parameters<MeteredRoutes>[0];

type Settled = SpeechRequest & { streaming: boolean };

/** Other APIs stream what asks for nothing, and so do their names here. */
const isStreamed = ({ streaming, model }: SpeechRequest, { names }: Catalogue): boolean =>
  streaming ?? names.isForeign(model);

/** Some models follow no instructions. */
const ignoredBy = ({ ignored, instructions }: SpeechRequest, { manifest }: ChosenSpeech): string[] =>
  instructions === "" || manifest.speech.instructions ? ignored : [...ignored, "instructions"];

/** Usage sums by model are kept forever, so only names of the catalogue may appear in them. */
const notesOf = ({ model, streaming, characters }: Settled, { find }: Catalogue) => ({
  model: find(model)?.id ?? null,
  stream: streaming,
  characters,
});

function renderRequestOf(
  { text, script, language, speed, instructions }: SpeechRequest,
  { voice, manifest }: ChosenSpeech,
  claim: Claim,
): RenderRequest {
  return {
    engine: voice.engine,
    ...speakerOf(voice),
    reader: readerOf(voice, language),
    text,
    script,
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
  request: Settled;
  log: Log;
  unreadMs: number;
};

/** `share`: of the text. Single characters of a segment are not counted: normalized text is longer than the input. */
const consumedOf = ({ chosen, request }: Job, share = 1): Consumed => ({
  model: chosen.model,
  priceMicros: chosen.manifest.price_micros,
  quantity: Math.floor(request.characters * share),
});

/** A short body is sent at once; a long one is streamed from its file, and holds its slot until it is sent. */
async function whole(job: Job): Promise<Response> {
  const { work, synthesizer, synthesis, chosen } = job;
  const { request } = job;
  const { captioned, wordTimes } = request;
  const { format } = chosen;
  const { body, audioSeconds, words } = await renderWhole(synthesizer, synthesis, { format, wordTimes });
  try {
    synthesis.claim.signal.throwIfAborted(); // a result without a receiver is not charged
    await work.post(consumedOf(job));
  } catch (cause) {
    await body.close();
    throw cause;
  }
  work.note({ audioSeconds });
  work.started();
  const mediaType = MEDIA_TYPES[format];
  const bytes = captioned ? null : body.whole();
  if (bytes === null)
    return byteStream(
      captioned ? captionedJson(body.chunks(), { mediaType, words, request }) : body.chunks(),
      {
        mediaType: captioned ? "application/json" : mediaType,
        unreadMs: job.unreadMs,
        signal: synthesis.claim.signal,
        end(ending) {
          if (isCutShort(ending)) work.refund(consumedOf(job, 0)); // a file that is cut short is no file
          endAs(job, ending);
        },
      },
    );
  work.end(200);
  return new Response(bytes, { headers: { "content-type": mediaType } });
}

/** Charges once there is audio, before its first byte is sent. What the server fails to deliver of it is refunded. */
async function streamed(job: Job): Promise<Response> {
  const { id, work, synthesizer, synthesis, chosen, request, unreadMs } = job;
  const { format, manifest } = chosen;
  const clip = await render(synthesizer, synthesis, {
    format,
    lengthFirst: manifest.speech.length_first && !chosen.aliased, // a known length costs time before the first byte
    wordTimes: request.wordTimes,
  });
  try {
    synthesis.claim.signal.throwIfAborted();
    await work.post(consumedOf(job));
  } catch (error) {
    clip.chunks.return(null).catch(() => {});
    throw error;
  }
  const end = (ending: Ending) => {
    work.note({ audioSeconds: clip.audioSeconds() });
    if (isCutShort(ending)) work.refund(consumedOf(job, clip.deliveredShare()));
    endAs(job, ending);
  };
  work.started();
  const sending = { unreadMs, end, signal: synthesis.claim.signal };
  return request.sse
    ? eventStream(speechEvents(clip, format, request.characters), { requestId: id, ...sending })
    : byteStream(clip.chunks, { mediaType: MEDIA_TYPES[format], ...sending });
}
