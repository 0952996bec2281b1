/** The form of a transcription or translation: what stock clients may send, how it reads, and what of it is refused. */
import Type from "typebox";
import { type Detail, invalidInput } from "../../errors.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { checker } from "../../schema.ts";
import type { Granularity, RecognitionKind } from "../../transcription/response.ts";
import { fieldsOf, type Kind } from "../middleware/body/form.ts";
import type { Parsed } from "../middleware/body/upload-parser.ts";

const FORMATS = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
const WITHOUT_EFFECT = "Accepted, and without effect.";
const Milliseconds = Type.Integer({ minimum: 0, description: WITHOUT_EFFECT });

export const TranscriptionForm = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 256, description: "An STT model id." }),
  language: Type.Optional(Type.String({ maxLength: 256, description: "ISO 639-1; detected when absent." })),
  languages: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 100,
      description: "The language is one of these; not together with another language.",
    }),
  ),
  prompt: Type.Optional(
    Type.String({ maxLength: 4000, description: "What was said before, or words to expect." }),
  ),
  keywords: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 100,
      description: "Words to expect, added to the prompt: one line each, without < and >.",
    }),
  ),
  hotwords: Type.Optional(
    Type.String({ maxLength: 4000, description: "Another name for keywords, in one text." }),
  ),
  response_format: Type.Optional(
    Type.Enum([...FORMATS], {
      default: "json",
      description: "The form of the transcript. No model diarizes: diarized_json is refused.",
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
      maxItems: 4,
      description: "Without effect: no model diarizes.",
    }),
  ),
  known_speaker_references: Type.Optional(
    Type.Array(Type.String(), { maxItems: 4, description: "Without effect: no model diarizes." }),
  ),
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
  temperature: "number",
  timestamp_granularities: "list",
  include: "list",
  stream: "boolean",
  chunking_strategy: "object",
  known_speaker_names: "list",
  known_speaker_references: "list",
};

export type TranscriptionRequest = {
  kind: RecognitionKind;
  model: string;
  language: string | null;
  /** The language is one of these; empty: of any. */
  languages: string[];
  /** What was said before, and words to expect. */
  prompt: string;
  format: (typeof FORMATS)[number];
  granularities: readonly Granularity[];
  logprobs: boolean;
  streaming: boolean;
  diarized: boolean;
  translated: boolean;
  /** What was sent and has no effect. */
  ignored: string[];
  /** What was sent and has an effect in engines that take hints. */
  hints: string[];
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
  return {
    kind,
    model: value.model,
    language: value.language ?? null,
    languages: value.language === undefined ? (value.languages ?? []) : [],
    prompt: [value.prompt, ...(value.keywords ?? []), value.hotwords].filter(Boolean).join(" "),
    format,
    granularities: value.timestamp_granularities ?? ["segment"],
    logprobs: value.include?.includes("logprobs") ?? false,
    streaming: value.stream ?? false,
    diarized: format === "diarized_json",
    translated: kind === "translate",
    ignored: [...unknownIn(text), ...ineffective(value)],
    hints: hintsIn(value),
  };
}

/** Rules that a schema cannot express. */
function contradictions({ language, languages, keywords = [] }: Fields): Detail[] {
  const details: Detail[] = [];
  if (language !== undefined && languages && !languages.includes(language))
    details.push({
      field: "languages",
      code: "malformed",
      message: `must be left out, or include language ${language}`,
    });
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
  known_speaker_names: ({ known_speaker_names: names = [] }) => names.length > 0,
  known_speaker_references: ({ known_speaker_references: references = [] }) => references.length > 0,
  chunking_strategy: ({ chunking_strategy: strategy }) =>
    typeof strategy === "object" && Object.keys(strategy).length > 1,
  timestamp_granularities: ({ timestamp_granularities: granularities, ...fields }) =>
    granularities !== undefined && (fields.response_format !== "verbose_json" || fields.stream === true),
  include: ({ include, response_format: format = "json", stream }) =>
    include !== undefined && format !== "json" && stream !== true,
  response_format: ({ response_format: format = "json", stream }) =>
    stream === true && !["json", "text"].includes(format),
};

const ineffective = (fields: Fields): string[] =>
  Object.entries(INEFFECTIVE).flatMap(([name, isIneffective]) => (isIneffective(fields) ? [name] : []));

/** A single language is no hint: it is the language. */
const hintsIn = ({ prompt, keywords, hotwords, languages = [] }: Fields): string[] =>
  Object.entries({
    prompt,
    keywords,
    hotwords,
    languages: languages.length > 1 ? languages : undefined,
  }).flatMap(([name, sent]) => (sent === undefined ? [] : [name]));
