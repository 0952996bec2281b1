/** The form of a transcription or translation: what stock clients may send, how it reads, and what of it is refused. */

import Type from "typebox";
import { type Detail, invalidInput } from "../../errors.ts";
import { languageHint } from "../../language-tag.ts";
import { PROMPT_CHARACTERS_MAX } from "../../metered/request-limits.ts";
import type { KnownSpeaker } from "../../metered/transcription.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { checker } from "../../schema.ts";
import type { Granularity, RecognitionKind } from "../../transcription/response.ts";
import { labelIn } from "../../usage/request-log.ts";
import { fieldsOf, type Kind } from "../middleware/body/form.ts";
import { LONG_LIMIT, type Parsed } from "../middleware/body/upload-parser.ts";
import {
  BACKGROUND_KINDS,
  type Background,
  BackgroundFields,
  backgroundFaults,
  backgroundOf,
} from "./background-fields.ts";
import { KNOWN_SPEAKERS_MAX, readKnownSpeakers } from "./known-speakers.ts";
import { END_USER } from "./logged-fields.ts";

export const FORMATS = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
const WITHOUT_EFFECT = "Accepted, and without effect.";
const KEYWORDS_MAX = 100;
const SPEAKERS_MAX = 20;
const Milliseconds = Type.Integer({ minimum: 0, description: WITHOUT_EFFECT });

export const TranscriptionForm = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 256, description: "An STT model id." }),
  language: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "A code, a tag or its English name; detected when absent or auto, by models that can.",
    }),
  ),
  languages: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 100,
      description: "The language is detected among these; not together with another language.",
    }),
  ),
  prompt: Type.Optional(
    Type.String({
      maxLength: PROMPT_CHARACTERS_MAX,
      description: "What was said before, or words to expect.",
    }),
  ),
  keywords: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: KEYWORDS_MAX,
      description: "Words to prefer as they are written: one line each, without < and >.",
    }),
  ),
  hotwords: Type.Optional(
    Type.String({
      maxLength: PROMPT_CHARACTERS_MAX,
      description: "More keywords, in one text with commas between them.",
    }),
  ),
  response_format: Type.Optional(
    Type.Enum([...FORMATS], {
      default: "json",
      description: "The form of the transcript; diarized_json has the speaker of each segment.",
    }),
  ),
  diarize: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Names the speakers in text, srt, vtt and verbose_json, and in streams.",
    }),
  ),
  num_speakers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: SPEAKERS_MAX,
      description: "How many people speak, where they are told apart; found when absent.",
    }),
  ),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 0, description: "Without effect: the model chooses it." }),
  ),
  timestamp_granularities: Type.Optional(
    Type.Array(Type.Enum(["word", "segment"]), { maxItems: 10, description: "For verbose_json." }),
  ),
  include: Type.Optional(
    Type.Array(Type.Enum(["logprobs"]), { maxItems: 10, description: "For json and streams: of each word." }),
  ),
  stream: Type.Optional(
    Type.Boolean({ default: false, description: "Server-sent events, utterance by utterance." }),
  ),
  chunking_strategy: Type.Optional(
    Type.Union(
      [
        Type.Enum(["auto"]),
        Type.Object({
          type: Type.Enum(["server_vad"], { description: "By voice activity." }),
          prefix_padding_ms: Type.Optional(Milliseconds),
          silence_duration_ms: Type.Optional(Milliseconds),
          threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: WITHOUT_EFFECT })),
        }),
      ],
      { description: "Recordings are always divided by voice activity; the numbers are without effect." },
    ),
  ),
  known_speaker_names: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: KNOWN_SPEAKERS_MAX,
      description: "People who may speak, by the names to call them; others are A, B, …",
    }),
  ),
  known_speaker_references: Type.Optional(
    Type.Array(Type.String({ maxLength: LONG_LIMIT }), {
      maxItems: KNOWN_SPEAKERS_MAX,
      description: "A recording of the voice of each, as a data URL in base64: 1.2 to 10 seconds.",
    }),
  ),
  user: Type.Optional(Type.String({ description: END_USER })),
  ...BackgroundFields,
});

const transcriptionForm = checker(TranscriptionForm);
type Fields = Type.Static<typeof TranscriptionForm>;

const KINDS: Record<keyof Fields, Kind> = {
  model: "text",
  language: "text",
  languages: "list",
  prompt: "text",
  keywords: "list",
  hotwords: "text",
  response_format: "text",
  diarize: "boolean",
  num_speakers: "number",
  temperature: "number",
  timestamp_granularities: "list",
  include: "list",
  stream: "boolean",
  chunking_strategy: "object",
  known_speaker_names: "list",
  known_speaker_references: "list",
  user: "text",
  ...BACKGROUND_KINDS,
};

export type TranscriptionRequest = {
  kind: RecognitionKind;
  model: string;
  language: string | null;
  /** The language is one of these; empty: of any. */
  languages: string[];
  /** What was said before. */
  prompt: string;
  keywords: string[];
  /** The words must be preferred: the field that asks for it is not an extension that clients send unasked. */
  mustPrefer: boolean;
  format: (typeof FORMATS)[number];
  granularities: readonly Granularity[];
  logprobs: boolean;
  streaming: boolean;
  /** Speakers are told apart. */
  diarized: boolean;
  /** The field that asks for it, or has no effect without; null: none does. */
  speakers: { param: string; isUsed: boolean } | null;
  speakerCount: number | null;
  knownSpeakers: KnownSpeaker[];
  translated: boolean;
  /** Null: the answer is the transcript. */
  background: Background | null;
  /** Null: the form names none. */
  endUser: string | null;
  /** Null: the form has none. */
  label: string | null;
  /** What was sent and has no effect. */
  ignored: string[];
  /** Whether fields were sent that have an effect in some engines only. */
  sent: { prompt: boolean; hotwords: boolean };
};

export function parseTranscriptionRequest(
  text: Parsed["text"],
  kind: RecognitionKind,
  { find }: Pick<Catalogue, "find">,
): TranscriptionRequest {
  const fields = fieldsOf(text, KINDS);
  const unnamed = text.get("model")?.at(-1) === "" ? find("") : null; // an alias may stand for an empty name
  const { value, details } = transcriptionForm.check(unnamed ? { ...fields, model: unnamed.id } : fields);
  if (details !== null) throw invalidInput(details);
  const wrong = contradictions(value);
  if (wrong.length > 0) throw invalidInput(wrong);
  const format = value.response_format ?? "json";
  const diarized = isDiarized(value);
  const language = languageHint(value.language);
  return {
    kind,
    model: value.model,
    language,
    languages: language === null ? (value.languages ?? []) : [],
    prompt: value.prompt ?? "",
    keywords: [...(value.keywords ?? []), ...hotwordsIn(value)],
    mustPrefer: (value.keywords ?? []).length > 0,
    format,
    granularities: value.timestamp_granularities ?? ["segment"],
    logprobs: value.include?.includes("logprobs") ?? false,
    streaming: value.stream ?? false,
    diarized,
    speakers: askedSpeakers(value, diarized),
    speakerCount: value.num_speakers ?? null,
    knownSpeakers: readKnownSpeakers(value),
    translated: kind === "translate",
    background: value.background ? backgroundOf(value) : null,
    endUser: value.user ?? null,
    label: labelIn(value.metadata),
    ignored: [...unknownIn(text), ...ineffective(value)],
    sent: { prompt: value.prompt !== undefined, hotwords: value.hotwords !== undefined },
  };
}

const SPEAKER_FIELDS = [
  "diarize",
  "num_speakers",
  "known_speaker_names",
  "known_speaker_references",
] as const;

function askedSpeakers(fields: Fields, diarized: boolean): TranscriptionRequest["speakers"] {
  if (fields.response_format === "diarized_json") return { param: "response_format", isUsed: true };
  const param = SPEAKER_FIELDS.find((name) => fields[name] !== undefined && fields[name] !== false);
  return param === undefined ? null : { param, isUsed: diarized };
}

/** Rules that a schema cannot express. */
function contradictions({ languages, keywords = [], ...fields }: Fields): Detail[] {
  const details = fields.background ? backgroundFaults(fields) : [];
  const language = languageHint(fields.language);
  if (fields.diarize && (fields.response_format ?? "json") === "json" && !fields.stream)
    details.push({
      field: "diarize",
      code: "malformed",
      message: "needs a response_format that names speakers: diarized_json, verbose_json, text, srt or vtt",
    });
  if (language !== null && languages && !languages.map(languageHint).includes(language))
    details.push({
      field: "languages",
      code: "malformed",
      message: `must be left out, or include language ${language}`,
    });
  if (keywords.length + hotwordsIn(fields).length > KEYWORDS_MAX)
    details.push({ field: "hotwords", code: "too_long", message: `must have at most ${KEYWORDS_MAX} words` });
  for (const [index, keyword] of keywords.entries())
    if (/[<>\r\n]/.test(keyword))
      details.push({
        field: `keywords.${index}`,
        code: "malformed",
        message: "must be one line without < and >",
      });
  return details;
}

const nameOf = (key: string): string => key.split("[")[0]!;

const unknownIn = (text: Parsed["text"]): string[] =>
  [...text.keys()].map(nameOf).filter((name) => !Object.hasOwn(KINDS, name));

type Ineffective = (fields: Fields) => boolean;

/** When a known field has no effect, whatever the engine. */
const INEFFECTIVE: Partial<Record<keyof Fields, Ineffective>> = {
  temperature: ({ temperature = 0 }) => temperature !== 0,
  known_speaker_names: (fields) => fields.known_speaker_names !== undefined && !isDiarized(fields),
  known_speaker_references: (fields) => fields.known_speaker_references !== undefined && !isDiarized(fields),
  num_speakers: (fields) => fields.num_speakers !== undefined && !isDiarized(fields),
  chunking_strategy: ({ chunking_strategy: strategy }) =>
    typeof strategy === "object" && Object.keys(strategy).length > 1,
  timestamp_granularities: ({ timestamp_granularities: granularities, ...fields }) =>
    granularities !== undefined && (fields.response_format !== "verbose_json" || fields.stream === true),
  include: ({ include, response_format: format = "json", stream }) =>
    include !== undefined && format !== "json" && stream !== true,
  file_id: ({ file_id: id, background }) => id !== undefined && !background,
  url: ({ url, background }) => url !== undefined && !background,
  metadata: ({ metadata, background }) => metadata !== undefined && !background && labelIn(metadata) === null,
  response_format: ({ response_format: format = "json", stream }) =>
    stream === true && !["json", "text", "diarized_json"].includes(format),
};

const isDiarized = ({ response_format: format, diarize }: Fields): boolean =>
  format === "diarized_json" || diarize === true;

const ineffective = (fields: Fields): string[] =>
  Object.entries(INEFFECTIVE).flatMap(([name, isIneffective]) => (isIneffective(fields) ? [name] : []));

const hotwordsIn = ({ hotwords = "" }: Fields): string[] =>
  hotwords
    .split(/[,\r\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
