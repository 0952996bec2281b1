/**
 * POST /v1/audio/speech: text in, audio out, whole or as it is said.
 *
 *   key -> scope -> body -> catalogue -> engine        nothing before the engine costs anything
 */
import { Elysia } from "elysia";
import Type, { type Static } from "typebox";
import { MEDIA_TYPES } from "../audio/encode.ts";
import type { Catalogue } from "../catalog/catalogue.ts";
import { type ChosenSpeech, chooseSpeech } from "../catalog/choose.ts";
import { envelope, Fault, invalidBody, toFault } from "../errors.ts";
import type { Log } from "../log.ts";
import { checker } from "../schema.ts";
import { type Clip, render, renderWhole, type Studio } from "../speech/render.ts";
import type { Utterance } from "../speech/say.ts";
import type { Access } from "./access.ts";
import { type Patience, readJson } from "./body.ts";
import { event, STREAM_HEADERS, streamOf } from "./stream.ts";

const SpeechBody = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 256, description: "A TTS model id." }),
  input: Type.String({
    minLength: 1,
    maxLength: 8000,
    description: "The text, counted in Unicode code points.",
  }),
  voice: Type.Union([
    Type.String({ minLength: 1, maxLength: 256, description: "A voice id bound to the model." }),
    Type.Object({ id: Type.String({ minLength: 1, maxLength: 256 }) }),
  ]),
  response_format: Type.Optional(Type.String({ maxLength: 256, default: "wav" })),
  speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4, default: 1 })),
  stream: Type.Optional(Type.Boolean({ default: false })),
  stream_format: Type.Optional(
    Type.Enum(["audio", "sse"], { description: "Either value turns streaming on." }),
  ),
  language: Type.Optional(Type.String({ maxLength: 256, description: "The language of input, as a tag." })),
  instructions: Type.Optional(Type.String({ maxLength: 1000, description: "How to say it." })),
});

const speechBody = checker(SpeechBody);

export type SpeechParts = {
  access: Access;
  catalogue: Catalogue;
  studio: Studio;
  patience: Patience;
  log: Log;
};

export function speechRoute({ access, catalogue, studio, patience, log }: SpeechParts) {
  return new Elysia().post(
    "/v1/audio/speech",
    async ({ request, server, set }) => {
      server?.timeout(request, 0); // a long clip is silent until it is whole
      const principal = access(request, "speech:create");
      const order = readOrder(await readJson(request, patience));
      const chosen = chooseSpeech(catalogue, order);
      const utterance = utteranceOf(order, chosen, request.signal);
      const id = set.headers["x-request-id"] as string;
      const done = (status: number, audioSeconds: number) =>
        log.info("speech", {
          id,
          key: principal.keyId,
          model: chosen.model,
          characters: order.characters,
          audioSeconds,
          status,
        });
      if (!order.streaming) return whole({ studio, utterance, chosen, done });
      const clip = await render(studio, utterance, {
        format: chosen.format,
        lengthFirst: chosen.manifest.speech.length_first,
      });
      return order.sse
        ? sseStream({ clip, chosen, order, id, done })
        : audioStream({ clip, chosen, order, id, done });
    },
    {
      parse: "none",
      detail: {
        summary: "Speak a text",
        tags: ["Audio"],
        requestBody: { required: true, content: { "application/json": { schema: SpeechBody as never } } },
        responses: { 200: { description: "The audio, whole, chunked, or as server-sent events." } },
      },
    },
  );
}

type Order = {
  model: string;
  voice: string;
  format: string;
  speed: number;
  streaming: boolean;
  sse: boolean;
  text: string;
  characters: number;
  language: string | null;
  instructions: string;
};

function readOrder(body: unknown): Order {
  const checked = speechBody.check(withoutNulls(body));
  if (checked.details !== null) throw invalidBody(checked.details);
  const fields: Static<typeof SpeechBody> = checked.value;
  if (fields.input.trim() === "") {
    throw invalidBody([{ field: "input", code: "too_short", message: "must hold something to say" }]);
  }
  return {
    model: fields.model,
    voice: typeof fields.voice === "string" ? fields.voice : fields.voice.id,
    format: fields.response_format ?? "wav",
    speed: fields.speed ?? 1,
    streaming: fields.stream === true || fields.stream_format !== undefined,
    sse: fields.stream_format === "sse",
    text: fields.input,
    characters: [...fields.input].length,
    language: fields.language ?? null,
    instructions: fields.instructions ?? "",
  };
}

/** Stock clients send null for a field they leave out. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function utteranceOf(order: Order, { voice, manifest }: ChosenSpeech, signal: AbortSignal): Utterance {
  return {
    family: voice.engine,
    speaker: voice.speaker,
    text: order.text,
    language: order.language ?? voice.locale,
    speed: order.speed,
    instructions: manifest.speech.instructions ? order.instructions : "",
    signal,
  };
}

type Done = (status: number, audioSeconds: number) => void;
type Whole = { studio: Studio; utterance: Utterance; chosen: ChosenSpeech; done: Done };

async function whole({ studio, utterance, chosen, done }: Whole): Promise<Response> {
  try {
    const { bytes, audioSeconds } = await renderWhole(studio, utterance, chosen.format);
    done(200, audioSeconds);
    return new Response(bytes, { headers: { "content-type": MEDIA_TYPES[chosen.format] } });
  } catch (reason) {
    if (utterance.signal.aborted) done(499, 0);
    throw reason;
  }
}

type Streamed = { clip: Clip; chosen: ChosenSpeech; order: Order; id: string; done: Done };

/** A raw audio body has no room for an error: one that fails is broken off. */
function audioStream({ clip, chosen, done }: Streamed): Response {
  const body = streamOf(clip.chunks, {
    lastWords: null,
    end: ({ how }) => done(STATUS[how], clip.audioSeconds()),
  });
  return new Response(body, { headers: { ...STREAM_HEADERS, "content-type": MEDIA_TYPES[chosen.format] } });
}

const STATUS = { complete: 200, left: 499, failed: 502 };

function sseStream({ clip, chosen, order, id, done }: Streamed): Response {
  const body = streamOf(speechEvents(clip, chosen, order), {
    lastWords: (reason) => event("error", envelope(interrupted(reason), id)),
    end: ({ how }) => done(STATUS[how], clip.audioSeconds()),
  });
  return new Response(body, {
    headers: { ...STREAM_HEADERS, "content-type": "text/event-stream; charset=utf-8" },
  });
}

const DELTA_LIMIT = 32 * 1024; // bytes of audio in one event; even, so that a PCM delta holds whole samples
const TOKENS_PER_SECOND = 20; // stock clients want a token count; nothing is billed by it

async function* speechEvents(
  clip: Clip,
  { format }: ChosenSpeech,
  { characters }: Order,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of clip.chunks) {
    for (let at = 0; at < chunk.length; at += DELTA_LIMIT) {
      const audio = Buffer.from(chunk.subarray(at, at + DELTA_LIMIT)).toString("base64");
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

/** What an interrupted stream says: never less than that it was interrupted. */
function interrupted(reason: unknown): Fault {
  const fault = toFault(reason);
  if (fault.code !== "internal_error" && fault.code !== "inference_unavailable") return fault;
  return new Fault("stream_interrupted", "The engine stopped before the end of the speech.", {
    cause: reason,
  });
}
