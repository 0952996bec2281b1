/** The body of a speech call: what stock clients may send, how it reads, and what of it is refused. */

import Type, { type Static } from "typebox";
import { FORMAT_CHOICE, MEDIA_TYPES } from "../../audio/formats.ts";
import { withoutNulls } from "../../bounded-json.ts";
import { type Detail, invalidInput } from "../../errors.ts";
import { isLanguageTag, KOKORO_LETTERS, languageHint } from "../../language-tag.ts";
import { CHARACTERS_MAX } from "../../metered/request-limits.ts";
import { checker } from "../../schema.ts";
import { labelIn } from "../../usage/request-log.ts";
import { CHARGED_ONCE_HEADERS, CHARGED_ONCE_REFUSALS, IDEMPOTENCY_KEY } from "../openapi/charged-once.ts";
import { JobRecord } from "../openapi/job-schema.ts";
import { IGNORED_HEADER, json, LIMIT_HEADERS, METERED_REFUSALS, operation } from "../openapi/operation.ts";
import { END_USER, LABEL } from "./logged-fields.ts";
import { LongSpeechFields, longFaults } from "./long-speech-fields.ts";

export const SpeechBody = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 256, description: "A TTS model id." }),
  input: Type.String({
    minLength: 1,
    maxLength: CHARACTERS_MAX,
    description:
      "The text, counted in Unicode code points. It may be up to 30 minutes of speech. [pause 300ms] and [pause:1.5s] are silence; a text that begins with <speak> is SSML.",
  }),
  voice: Type.Union(
    [
      Type.String({ minLength: 1, maxLength: 256 }),
      Type.Object({ id: Type.String({ minLength: 1, maxLength: 256, description: "A voice id." }) }),
    ],
    {
      description:
        "The id of a voice of the model or of your own, or an object with it; or a blend of voices, such as female-warm(2)+male-deep(1), where the engine mixes them.",
    },
  ),
  response_format: Type.Optional(
    Type.String({
      maxLength: 256,
      default: "wav",
      description: `${FORMAT_CHOICE}, as far as the model produces it: see speech_options. An alias may have another default, and produces aac too where FFmpeg is installed. With background also m4b, an audiobook with chapters, where FFmpeg is installed.`,
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
    Type.Boolean({
      description:
        "Sends the audio while it is synthesized: in a response_format of the model's streamable_formats and at speed 1; under an alias in any format and at any speed. Default: true under an alias, else false. With false, the answer is one whole file.",
    }),
  ),
  stream_format: Type.Optional(
    Type.Enum(["audio", "sse"], { description: "Either value turns streaming on, whatever stream says." }),
  ),
  language: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "The language of input: a tag, a code or its English name; auto for the voice's own.",
    }),
  ),
  lang_code: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "Another name for language; also a letter, as Kokoro names languages.",
    }),
  ),
  instructions: Type.Optional(Type.String({ maxLength: 4096, description: "How to say it." })),
  user: Type.Optional(Type.String({ description: END_USER })),
  metadata: Type.Optional(Type.Unknown({ description: LABEL })),
  return_timing: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "With stream_format sse: events also say when each word of input is heard. Refused for voices whose engine does not know.",
    }),
  ),
});

const speechBody = checker(SpeechBody);

/** With the fields of jobs, which have their text elsewhere too. */
const DocumentedBody = Type.Object({
  ...SpeechBody.properties,
  input: Type.Optional(SpeechBody.properties.input),
  ...LongSpeechFields,
});

export type SpeechRequest = {
  model: string;
  voice: string;
  /** Null: the default of the model's name. */
  format: string | null;
  speed: number;
  /** Null: as the API does whose name of a model it uses. */
  streaming: boolean | null;
  sse: boolean;
  text: string;
  language: string | null;
  instructions: string;
  /** Whether it is told when words are heard. */
  wordTimes: boolean;
  /** The clip and the times of its words are one JSON object, with subtitles of this format; null: the clip alone. */
  captioned: { subtitles: "vtt" | "srt" | null } | null;
  /** Null: the body names none. */
  endUser: string | null;
  /** Null: the body has none. */
  label: string | null;
  /** What was sent and has no effect. */
  ignored: string[];
};

export function parseSpeechRequest(body: unknown): SpeechRequest {
  const { value, details } = speechBody.check(withoutNulls(body));
  if (details !== null) {
    const faults = details.map(withVoices);
    throw invalidInput(isWithoutText(details) ? [...longFaults(body!), ...faults] : faults);
  }
  if (value.input.trim() === "") {
    throw invalidInput([{ field: "input", code: "too_short", message: "is empty" }]);
  }
  return {
    model: value.model,
    voice: typeof value.voice === "string" ? value.voice : value.voice.id,
    format: value.response_format ?? null,
    speed: value.speed ?? 1,
    streaming: value.stream_format === undefined ? (value.stream ?? null) : true,
    sse: value.stream_format === "sse",
    text: value.input,
    language: languageIn(value),
    instructions: value.instructions ?? "",
    wordTimes: value.return_timing === true && value.stream_format === "sse",
    captioned: null,
    endUser: value.user ?? null,
    label: labelIn(value.metadata),
    ignored: Object.keys(value).filter((name) => !isUsed(name, value)),
  };
}

const withVoices = (detail: Detail): Detail =>
  detail.field === "voice" && detail.code === "required"
    ? { ...detail, message: `${detail.message}; GET /v1/voices lists them` }
    : detail;

const isWithoutText = (details: readonly Detail[]) => details.some(({ field }) => field === "input");

/** Null where none is named: then the text is read in the voice's own. */
function languageIn({ language, lang_code: letter = "" }: Static<typeof SpeechBody>): string | null {
  const hint = languageHint(language ?? KOKORO_LETTERS.get(letter) ?? letter);
  return hint !== null && isLanguageTag(hint) ? hint : null;
}

/** Without events, there is no place for times. */
function isUsed(name: string, { stream_format, metadata }: Static<typeof SpeechBody>): boolean {
  if (name === "metadata") return labelIn(metadata) !== null;
  if (name === "return_timing") return stream_format === "sse";
  if (name === "background") return true;
  return Object.hasOwn(SpeechBody.properties, name);
}

const EXAMPLE = { model: "svc-tts1", voice: "female-warm", input: "Good morning." };

const EVENTS = `Server-sent events, where stream_format is sse: speech.audio.delta with base64 audio, then speech.audio.done. With return_timing, an event may have timestamps: a list of {word, start_time, end_time}, in seconds from the start of the audio.`;

export const SPEECH_REFUSALS = [
  ...METERED_REFUSALS,
  ...CHARGED_ONCE_REFUSALS,
  "invalid_model",
  "model_unavailable",
  "invalid_voice",
  "voice_not_supported",
  "unsupported_response_format",
  "unsupported_speed",
  "word_times_not_supported",
  "voice_cloning_not_supported",
  "voice_cloning_disabled",
  "voice_unreadable",
  "unpronounceable_input",
  "inference_rejected",
  "inference_unavailable",
] as const;

export const bodyDocument = operation({
  id: "createSpeech",
  summary: "Create speech",
  description:
    "Without `stream` and `stream_format`, the response is one whole file; under an alias, it is sent while it is synthesized, without its length.",
  tag: "Audio",
  access: "key",
  headers: [IDEMPOTENCY_KEY],
  body: {
    required: true,
    content: { "application/json": { schema: DocumentedBody, example: EXAMPLE } },
  },
  ok: {
    description: "The audio, in the format of the request.",
    headers: { ...LIMIT_HEADERS, ...IGNORED_HEADER, ...CHARGED_ONCE_HEADERS },
    content: {
      ...Object.fromEntries(
        Object.values(MEDIA_TYPES).map((type) => [type, { schema: { type: "string", format: "binary" } }]),
      ),
      "text/event-stream": { schema: { type: "string", description: EVENTS } },
    },
  },
  also: { 202: { description: "Where background is true: the job.", content: json(JobRecord) } },
  refusals: [...SPEECH_REFUSALS, "not_found", "too_many_jobs"],
});
