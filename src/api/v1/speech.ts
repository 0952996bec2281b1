/**
 * POST /v1/audio/speech: text in, audio out, whole or streamed.
 *
 *   key -> scope -> limits -> credit -> body -> catalogue -> characters -> engine -> charge -> first byte
 */

import { Elysia } from "elysia";
import { MEDIA_TYPES, type SpeechFormat } from "../../audio/formats.ts";
import type { Log } from "../../log/log.ts";
import type { Ending } from "../../metered/ending.ts";
import {
  type MeteredUtterance,
  NOTHING_SPOKEN,
  type Pronunciations,
  readText,
  type SpeechServices,
  speak,
  speakWhole,
} from "../../metered/speech.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { type ChosenSpeech, chooseSpeech } from "../../models/choose.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import type { Clip, Synthesizer } from "../../speech/synthesizer.ts";
import type { WordTime } from "../../speech/words/timeline.ts";
import { type OwnVoices, ownVoiceNamed } from "../../voices/voices.ts";
import { type BodyTimeouts, readJson } from "../middleware/body/body.ts";
import { jsonFingerprint } from "../middleware/body/idempotency.ts";
import {
  type Admitted,
  claimOf,
  endAs,
  type MeteredCall,
  type MeteredRoutes,
} from "../middleware/metering.ts";
import { ignoredFieldsHeader } from "../middleware/response-headers.ts";
import { byteStream, event, eventStream } from "../middleware/stream.ts";
import {
  CAPTIONED_PATH,
  captionedDocument,
  captionedJson,
  parseCaptionedRequest,
} from "./captioned-speech.ts";
import { bodyDocument, parseSpeechRequest, type SpeechRequest } from "./speech-request.ts";

/** A request that is to become a job. */
export type BackgroundSpeech = { call: MeteredCall; admitted: Admitted; body: unknown };

type CreateJob = (background: BackgroundSpeech) => Promise<Response>;

export type SpeechDeps = {
  metered: MeteredRoutes;
  /** Answers a request that is to become a job. */
  createJob: CreateJob;
  catalogueFor: CatalogueFor;
  synthesizer: Synthesizer;
  timeouts: BodyTimeouts;
  unreadMs: number;
  log: Log;
  pronunciations: Pronunciations;
  ownVoices: OwnVoices;
};

const ROUTE = { endpoint: "/v1/audio/speech", scope: "speech:create", bucket: "characters" } as const;

export function speechRoute({ metered, pronunciations, createJob, ...deps }: SpeechDeps) {
  const { catalogueFor, ownVoices, timeouts } = deps;
  const createHandler = (parse: typeof parseSpeechRequest, create: CreateJob | null) => (call: MeteredCall) =>
    metered(call, ROUTE, async (admitted) => {
      const { id, principal, work, holding } = admitted;
      const longer = { ...LONGER, hold: holding.take };
      const body = await readJson(call.request, timeouts, create ? { longer } : {});
      if (create && isBackground(body)) return create({ call, admitted, body });
      const catalogue = catalogueFor(principal);
      const parsed = parse(body);
      const organization = principal.organizationId;
      const read = await readText(pronunciations, { text: parsed.text, organization, field: "input" });
      const request = { ...parsed, streaming: isStreamed(parsed, catalogue) };
      work.note({ ...notesOf(request, catalogue), characters: read.characters });
      const ownVoice = await ownVoiceNamed(ownVoices, principal, request.voice);
      const chosen = chooseSpeech(catalogue, { ...request, ownVoice });
      work.note({ voice: chosen.voice.id, responseFormat: chosen.format });
      Object.assign(call.set.headers, ignoredFieldsHeader(ignoredBy(request, chosen)));
      await work.identify(async () => jsonFingerprint(body));
      const urgency = request.streaming ? "streaming" : "batch";
      const claim = claimOf(admitted, urgency);
      const { language, speed, instructions } = request;
      const wording = { read, language, speed, instructions };
      const utterance = { ...wording, work, chosen, ownVoice, claim, before: NOTHING_SPOKEN };
      const job = { ...deps, voices: ownVoices.voices, id, utterance, request };
      return request.streaming ? streamed(job) : whole(job);
    });
  const create = createHandler(parseSpeechRequest, createJob);
  const createCaptioned = createHandler(parseCaptionedRequest, null);
  return new Elysia()
    .post(ROUTE.endpoint, ({ request, set }) => create({ request, set }), {
      parse: "none",
      detail: bodyDocument,
    })
    .post(CAPTIONED_PATH, ({ request, set }) => createCaptioned({ request, set }), {
      parse: "none",
      detail: captionedDocument,
    });
}

/** A job's text: a million characters in UTF-8, as many as most in any way that JSON has. */
const LONGER = { member: "background", limitBytes: 8 * 1024 * 1024 };

const isBackground = (body: unknown): boolean =>
  typeof body === "object" && body !== null && (body as { background?: unknown }).background === true;

type Settled = SpeechRequest & { streaming: boolean };

/** Other APIs stream what asks for nothing, and so do their names here. */
const isStreamed = ({ streaming, model }: SpeechRequest, { names }: Catalogue): boolean =>
  streaming ?? names.isForeign(model);

/** Some models follow no instructions. */
export const ignoredBy = ({ ignored, instructions }: SpeechRequest, { manifest }: ChosenSpeech): string[] =>
  instructions === "" || manifest.speech.instructions ? ignored : [...ignored, "instructions"];

/** Usage sums by model are kept forever, so only names of the catalogue may appear in them. */
const notesOf = ({ model, streaming, endUser, label }: Settled, { find }: Catalogue) => ({
  model: find(model)?.id ?? null,
  stream: streaming,
  endUser,
  label,
});

type Job = {
  id: string;
  utterance: MeteredUtterance;
  request: Settled;
} & SpeechServices &
  Pick<SpeechDeps, "log" | "unreadMs">;

/** A short body is sent at once; a long one is streamed from its file, and holds its slot until it is sent. */
async function whole({ id, utterance, request, ...deps }: Job): Promise<Response> {
  const { work, chosen, read, claim } = utterance;
  const { captioned, wordTimes } = request;
  const { format } = chosen;
  const { body, words, end } = await speakWhole(deps, utterance, { format, wordTimes });
  const mediaType = MEDIA_TYPES[format];
  const bytes = captioned ? null : body.whole();
  if (bytes !== null) {
    work.end(200);
    return new Response(bytes, { headers: { "content-type": mediaType } });
  }
  const { script } = read;
  const chunks = captioned
    ? captionedJson(body.chunks(), { ...captioned, mediaType, words, script })
    : body.chunks();
  return byteStream(chunks, {
    mediaType: captioned ? "application/json" : mediaType,
    unreadMs: deps.unreadMs,
    signal: claim.signal,
    end(ending) {
      end(ending);
      endAs({ id, work, log: deps.log }, ending);
    },
  });
}

/** Its first byte is sent once there is audio. */
async function streamed({ id, utterance, request, ...deps }: Job): Promise<Response> {
  const { work, chosen, read, claim } = utterance;
  const { format, manifest } = chosen;
  const clip = await speak(deps, utterance, {
    format,
    lengthFirst: manifest.speech.length_first && !chosen.aliased, // a known length costs time before the first byte
    wordTimes: request.wordTimes,
  });
  const end = (ending: Ending) => {
    clip.end(ending);
    endAs({ id, work, log: deps.log }, ending);
  };
  const sending = { unreadMs: deps.unreadMs, end, signal: claim.signal };
  return request.sse
    ? eventStream(speechEvents(clip, format, read.characters), { requestId: id, ...sending })
    : byteStream(clip.chunks, { mediaType: MEDIA_TYPES[format], ...sending });
}

const DELTA_LIMIT = 32 * 1024; // bytes of audio in one event; even, so that a PCM delta holds whole samples
const TOKENS_PER_SECOND = 20; // stock clients want a token count; nothing is billed by it

/**
 * A clip as server-sent events: its audio in pieces, the times of its words where they are told, and what was used.
 *
 * The words of a delta may be in the audio of one before it, where the encoder holds some back.
 */
async function* speechEvents(
  clip: Clip,
  format: SpeechFormat,
  characters: number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of clip.chunks) {
    for (let offset = 0; offset < chunk.length; offset += DELTA_LIMIT) {
      const audio = Buffer.from(chunk.subarray(offset, offset + DELTA_LIMIT)).toString("base64");
      const delta = { type: "speech.audio.delta", audio, response_format: format };
      yield event("speech.audio.delta", { ...delta, ...timesOf(clip) });
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
    ...timesOf(clip),
  });
}

/** What was heard since the last event; nothing where no times were asked for. */
function timesOf(clip: Clip): { timestamps?: WordTime[] } {
  const timestamps = clip.words();
  return timestamps.length > 0 ? { timestamps } : {};
}
