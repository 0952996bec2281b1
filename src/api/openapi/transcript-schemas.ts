/** Transcripts and the settings of live sessions, as the OpenAPI document describes them. */
import Type, { type TSchema } from "typebox";
import { number, oneOf, text, unixTime, whole } from "./described.ts";

const Languages = Type.Array(Type.Object({ code: text("A primary language subtag.") }), {
  description: "The languages of the speech; empty where none was found.",
});
const Usage = Type.Object({
  type: Type.Literal("duration"),
  seconds: number("The length of the recording, which is what is billed."),
});
const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: "What of the file is missing: only where it is cut or damaged." }),
);
const Logprob = Type.Object({
  token: text("A word, with the space before it: the tokens joined are the text."),
  logprob: number("The natural logarithm of its probability."),
  bytes: Type.Array(Type.Integer(), { description: "The token in UTF-8." }),
});

const Transcription = Type.Object({
  text: text("The transcript."),
  languages: Languages,
  warnings: Warnings,
  usage: Usage,
  logprobs: Type.Optional(Type.Array(Logprob, { description: "Where `include` asks for them." })),
});

const Segment = Type.Object({
  id: whole("Its place in the list."),
  seek: whole("Where the segment, or the window of a Whisper model, begins, in hundredths of a second."),
  start: number("Seconds from the beginning."),
  end: number("Seconds from the beginning."),
  text: text("What was said, after a space."),
  tokens: Type.Array(Type.Integer(), { description: "Of a Whisper model, times included; else empty." }),
  temperature: number("At which a Whisper model sampled the window; else 0."),
  avg_logprob: number(
    "The mean log probability of its words, or of the tokens of the window; 0 where it is not known.",
  ),
  compression_ratio: number("Of the text, or of that of the window: high where it repeats itself."),
  no_speech_prob: number("The probability of silence; 0 where it is not known."),
  speaker: Type.Optional(text("Who speaks, where `diarize` asks for it.")),
});
const Word = Type.Object({
  word: text("A word."),
  start: number("Seconds from the beginning."),
  end: number("Seconds from the beginning."),
});

const VerboseTranscription = Type.Object({
  task: oneOf(["transcribe", "translate"], "What was done."),
  language: text("The English name of the language."),
  languages: Languages,
  duration: number("The length of the recording in seconds."),
  text: text("The transcript."),
  segments: Type.Optional(Type.Array(Segment, { description: "Unless only words are asked for." })),
  words: Type.Optional(Type.Array(Word, { description: "Where `timestamp_granularities` asks for them." })),
  warnings: Warnings,
  usage: Usage,
});

const DiarizedTranscription = Type.Object({
  task: oneOf(["transcribe", "translate"], "What was done."),
  duration: number("The length of the recording in seconds."),
  text: text("The transcript."),
  segments: Type.Array(
    Type.Object({
      type: Type.Literal("transcript.text.segment", { description: "What it is, as in a stream." }),
      id: text("Its place in the list, such as seg_0."),
      start: number("Seconds from the beginning."),
      end: number("Seconds from the beginning."),
      text: text("What was said."),
      speaker: text("A known speaker's name, else A, B, … in the order of appearance."),
    }),
    { description: "What was said, speaker by speaker." },
  ),
  warnings: Warnings,
  usage: Usage,
});

const SETTINGS = "The session's settings are further fields, which docs/realtime.md describes.";
const sessionFields = {
  id: text("The id of the session."),
  object: text("What kind of session it is."),
  expires_at: unixTime("When the session ends; 0 before it is opened"),
};
const Session = Type.Object(sessionFields, { additionalProperties: true, description: SETTINGS });

const ClientSecret = Type.Object({
  value: text("The secret."),
  expires_at: unixTime("Until when it opens sessions"),
  session: { $ref: "#/components/schemas/Session" } as unknown as TSchema,
});

const BetaSession = Type.Object(
  {
    ...sessionFields,
    client_secret: Type.Object({
      value: text("The secret."),
      expires_at: unixTime("Until when it opens sessions"),
    }),
  },
  { additionalProperties: true, description: SETTINGS },
);

export const TRANSCRIPT_SCHEMAS = {
  Transcription,
  VerboseTranscription,
  DiarizedTranscription,
  Session,
  ClientSecret,
  RealtimeSession: BetaSession,
  TranscriptionSession: BetaSession,
};
