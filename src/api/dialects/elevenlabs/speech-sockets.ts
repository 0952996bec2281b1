/**
 * GET /v1/text-to-speech/{voice_id}/stream-input and /multi-stream-input of ElevenLabs, which become sockets. Refusals are
 * told on the open socket, because browsers cannot read a failed upgrade.
 */
import { Elysia } from "elysia";
import { modelSpeaking } from "../../../models/default-speech.ts";
import { TransientSet } from "../../../transient.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import type { SpeechSocketDeps } from "../speech-session.ts";
import { type Anonymous, type Message, SpeechSocket } from "../speech-socket.ts";
import { elevenLabsSecret, KEY_HEADER, socketSecret, tokenIn } from "./elevenlabs-key.ts";
import { DEFAULT_FORMAT, outputFormat } from "./output-format.ts";
import { languageOf } from "./speech-fields.ts";
import { StreamInput } from "./stream-input.ts";

const ENDPOINT = "/elevenlabs/v1/text-to-speech/stream-input";
const TOKENS = ["single_use_token", "token"];
const USED = ["model_id", "output_format", "language_code", "inactivity_timeout", ...TOKENS];
const IDLE_SECONDS = 20;
const IDLE_SECONDS_MAX = 180;

export function speechSockets(deps: SpeechSocketDeps) {
  const anonymous: Anonymous = new TransientSet();
  const route = (isMulti: boolean) =>
    deps.sockets.handle((request, caller) => {
      const url = new URL(request.url);
      const query = url.searchParams;
      const ignored = [...query.keys()].filter((name) => !USED.includes(name));
      return {
        protocol: null,
        headers: ignoredFieldsHeader(ignored),
        connect: (socket) => {
          const idleMs = idleMsOf(query);
          const dialect = new StreamInput({ isMulti, idleMs, secretOf: secretOf(request) });
          const choice = () => choiceOf(url);
          const opening = { ...caller, request, endpoint: ENDPOINT, choice, dialect, anonymous };
          return new SpeechSocket(deps, opening, socket);
        },
      };
    });
  const options = { detail: { hide: true } }; // OpenAPI cannot describe a socket
  return new Elysia()
    .get("/elevenlabs/v1/text-to-speech/:voice_id/stream-input", route(false), options)
    .get("/elevenlabs/v1/text-to-speech/:voice_id/multi-stream-input", route(true), options);
}

/** Browsers, which set no headers, send it in the first message. */
const secretOf = (request: Request) => (first: Message | null) => {
  const { headers, url } = request;
  if (headers.has(KEY_HEADER) || headers.has("authorization") || tokenIn(url) !== null)
    return socketSecret(request);
  if (first === null) return null;
  const { xi_api_key: key, authorization } = first;
  const sent = new Headers();
  if (typeof key === "string" && isHeader(key)) sent.set(KEY_HEADER, key);
  if (typeof authorization === "string" && isHeader(authorization)) sent.set("authorization", authorization);
  return elevenLabsSecret(sent);
};

const isHeader = (text: string): boolean => /^[!-~ ]{1,512}$/.test(text);

function choiceOf({ pathname, searchParams: query }: URL) {
  const voice = decoded(pathname.split("/").at(-2) ?? "");
  const language = languageOf(query.get("language_code"));
  const model = query.get("model_id")?.slice(0, 256) || null;
  return {
    ...{ voice, language, speed: 1 },
    format: outputFormat(query.get("output_format") || DEFAULT_FORMAT),
    named: (
      catalogue: Parameters<typeof modelSpeaking>[0],
      ownVoice: Parameters<typeof modelSpeaking>[1]["ownVoice"],
    ) => ({ voice, model: model ?? modelSpeaking(catalogue, { voice, ownVoice, language }) }),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function idleMsOf(query: URLSearchParams): number {
  const seconds = Number(query.get("inactivity_timeout") || IDLE_SECONDS);
  return 1000 * (Number.isFinite(seconds) ? Math.min(IDLE_SECONDS_MAX, Math.max(1, seconds)) : IDLE_SECONDS);
}
