/** The body of a speech call: what stock clients may send, how it reads, and what of it is refused. */
import Type from "typebox";
import { MEDIA_TYPES } from "../../audio/encode.ts";
import { invalidInput } from "../../errors.ts";
import { checker } from "../../schema.ts";
import { IGNORED_HEADER, LIMIT_HEADERS, METERED_REFUSALS, operation } from "../openapi/operation.ts";

const SpeechBody = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 256, description: "A TTS model id." }),
  input: Type.String({
    minLength: 1,
    maxLength: 8000,
    description: "The text, counted in Unicode code points. It may be up to 30 minutes of speech.",
  }),
  voice: Type.Union(
    [
      Type.String({ minLength: 1, maxLength: 256 }),
      Type.Object({ id: Type.String({ minLength: 1, maxLength: 256, description: "A voice id." }) }),
    ],
    { description: "The id of a voice of the model, or an object with it." },
  ),
  response_format: Type.Optional(
    Type.String({
      maxLength: 256,
      default: "wav",
      description:
        "wav, mp3, flac, pcm or opus, as far as the model produces it: see speech_options. An alias may have another default, and produces aac too where FFmpeg is installed.",
    }),
  ),
  speed: Type.Optional(
    Type.Number({
      minimum: 0.25,
      maximum: 4,
      default: 1,
      description: "A factor; 1 is the voice's natural pace.",
    }),
  ),
  stream: Type.Optional(
    Type.Boolean({ default: false, description: "Sends the audio while it is synthesized." }),
  ),
  stream_format: Type.Optional(
    Type.Enum(["audio", "sse"], { description: "Either value turns streaming on." }),
  ),
  language: Type.Optional(Type.String({ maxLength: 256, description: "The language of input, as a tag." })),
  lang_code: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "Another name for language; also a letter, as Kokoro names languages.",
    }),
  ),
  instructions: Type.Optional(Type.String({ maxLength: 1000, description: "How to say it." })),
});

/** Kokoro's letters of languages. */
const LETTERS = new Map(
  Object.entries({
    a: "en-US",
    b: "en-GB",
    e: "es",
    f: "fr",
    h: "hi",
    i: "it",
    j: "ja",
    p: "pt-BR",
    z: "zh",
  }),
);

const speechBody = checker(SpeechBody);

export type SpeechRequest = {
  model: string;
  voice: string;
  /** Null: the default of the model's name. */
  format: string | null;
  speed: number;
  streaming: boolean;
  sse: boolean;
  text: string;
  characters: number;
  language: string | null;
  instructions: string;
  /** What was sent and has no effect. */
  ignored: string[];
};

export function parseSpeechRequest(body: unknown): SpeechRequest {
  const { value, details } = speechBody.check(withoutNulls(body));
  if (details !== null) throw invalidInput(details);
  if (value.input.trim() === "") {
    throw invalidInput([{ field: "input", code: "too_short", message: "is empty" }]);
  }
  return {
    model: value.model,
    voice: typeof value.voice === "string" ? value.voice : value.voice.id,
    format: value.response_format ?? null,
    speed: value.speed ?? 1,
    streaming: value.stream === true || value.stream_format !== undefined,
    sse: value.stream_format === "sse",
    text: value.input,
    characters: [...value.input].length,
    language: value.language ?? LETTERS.get(value.lang_code ?? "") ?? value.lang_code ?? null,
    instructions: value.instructions ?? "",
    ignored: Object.keys(value).filter((name) => !Object.hasOwn(SpeechBody.properties, name)),
  };
}

/** Stock clients send null for a field they leave out. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const EXAMPLE = { model: "svc-tts1", voice: "female-warm", input: "Good morning." };

const EVENTS = `Server-sent events, where stream_format is sse: speech.audio.delta with base64 audio, then speech.audio.done.`;

export const bodyDocument = operation({
  id: "createSpeech",
  summary: "Create speech",
  description: "Without `stream` and `stream_format`, the response is one whole file.",
  tag: "Audio",
  access: "key",
  body: {
    required: true,
    content: { "application/json": { schema: SpeechBody, example: EXAMPLE } },
  },
  ok: {
    description: "The audio, in the format of the request.",
    headers: { ...LIMIT_HEADERS, ...IGNORED_HEADER },
    content: {
      ...Object.fromEntries(
        Object.values(MEDIA_TYPES).map((type) => [type, { schema: { type: "string", format: "binary" } }]),
      ),
      "text/event-stream": { schema: { type: "string", description: EVENTS } },
    },
  },
  refusals: [
    ...METERED_REFUSALS,
    "invalid_model",
    "model_unavailable",
    "invalid_voice",
    "voice_not_supported",
    "unsupported_response_format",
    "unsupported_speed",
    "unpronounceable_input",
    "inference_rejected",
    "inference_unavailable",
  ],
});
