/**
 * What is known of a kind of server: its paths, what it understands, what it does badly. Presets are data,
 * `models/upstreams/presets/*.json`; an upstream names one and may change single flags.
 */
import Type, { type Static } from "typebox";
import { checker } from "../../schema.ts";

const closed = { additionalProperties: false };
const orNull = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const Path = Type.String({ pattern: "^/[\\w./-]*$", maxLength: 200 });
const Milliseconds = Type.Integer({ minimum: 1, maximum: 3_600_000 });
const Field = Type.String({ pattern: "^[A-Za-z_][\\w.-]*$", maxLength: 64 });
/** Sent with every request as it is. */
const Extra = Type.Record(Field, Type.Unknown());

const Language = orNull(
  Type.Object({ field: Field, style: Type.Enum(["iso", "bcp47", "english", "kokoro"]) }, closed),
);

const SpeechFlags = Type.Object(
  {
    /** `openai`: JSON of POST /v1/audio/speech. `nim`: the form of NVIDIA's synthesis. */
    dialect: Type.Enum(["openai", "nim"]),
    path: Path,
    model: Type.Enum(["send", "omit"]),
    audio: Type.Enum(["pcm", "wav"]),
    /** Samples a second of headerless PCM, which nothing declares; null: the header of a WAV file declares it. */
    rate: orNull(Type.Integer({ minimum: 8000, maximum: 192_000 })),
    /** What makes it send audio while it is synthesized. `always`: nothing needs to be asked. */
    stream: Type.Enum(["none", "always", "flag", "format"]),
    /** Whether it streams at natural speed only. */
    streams_naturally: Type.Boolean(),
    /** Whether the segments of files are asked for whole, so that it does not divide them for an early start. */
    files_whole: Type.Optional(Type.Boolean()),
    speed: orNull(Type.Object({ min: Type.Number(), max: Type.Number() }, closed)),
    /** Characters of instructions that it takes; null: it ignores them. */
    instructions_max: orNull(Type.Integer({ minimum: 1 })),
    language: Language,
    /** Whether it speaks `<laugh>`, `<breath>` and `<sigh>`; absent: they are dropped. */
    tags: Type.Optional(Type.Boolean()),
    /** Whether it mixes voices that are named as `a(2)+b(1)`. */
    blends: Type.Optional(Type.Boolean()),
    /** Where it answers a clip with the times of its words, as Kokoro-FastAPI does; absent: it knows none. */
    timed_path: Type.Optional(Path),
    characters_max: orNull(Type.Integer({ minimum: 1 })),
    extra: Extra,
  },
  closed,
);

const TranscriptionFlags = Type.Object(
  {
    path: Path,
    translation_path: orNull(Path),
    model: Type.Enum(["send", "omit"]),
    format: Type.Enum(["json", "verbose_json"]),
    /** What has times in its answers; what has none is estimated. */
    times: Type.Enum(["none", "segment", "word", "token"]),
    /** Whether it takes `timestamp_granularities[]`. */
    granularities: Type.Boolean(),
    language: Language,
    /** Whether the language of an answer is only that of the request. */
    echoes_language: Type.Boolean(),
    prompt: Type.Boolean(),
    /** Whether it takes `languages[]`, `keywords[]` and `hotwords`; absent: keywords are put in the prompt. */
    lists: Type.Optional(Type.Boolean()),
    /** Whether translations take the language that is spoken. */
    translates_from: Type.Optional(Type.Boolean()),
    seconds_max: Type.Number({ minimum: 5 }),
    extra: Extra,
  },
  closed,
);

/** Live transcription over a WebSocket with the events of OpenAI's API. */
const RealtimeFlags = Type.Object(
  {
    path: Path,
    /** Samples a second of the PCM that it reads. */
    rate: Type.Integer({ minimum: 8000, maximum: 48_000 }),
    /** Whether each delta ends with a word. */
    whole_words: Type.Boolean(),
    /** Whether it tells log probabilities. */
    logprobs: Type.Boolean(),
    /** Turns that one server listens to at once; more are sent as files. */
    turns_max: Type.Integer({ minimum: 1, maximum: 10_000 }),
  },
  closed,
);

/** Chat completions of OpenAI's API. */
const ChatFlags = Type.Object(
  {
    path: Path,
    /** Whether it counts the tokens of a stream where it is asked to. */
    usage: Type.Boolean(),
    max_tokens: Type.Enum(["max_tokens", "max_completion_tokens"]),
    /** What makes a model that thinks answer at once. */
    thinking_off: Extra,
    /** `may-lead`: an answer may begin with thinking whose first mark is missing. */
    thinking: Type.Enum(["marked", "may-lead"]),
    /** Whether it takes `reasoning_effort`. */
    reasoning: Type.Boolean(),
    /** Whether it takes `tool_choice`. */
    tool_choice: Type.Boolean(),
    /** `first`: a system message must be the first of all. */
    system: Type.Enum(["anywhere", "first"]),
    /** How long it may take to the first token when the model was not used lately, and may have to be loaded. */
    load_ms: Milliseconds,
    /** Where it tells how many tokens a model reads, by the name of the field; null: nowhere. */
    context: orNull(Type.Object({ path: Path, field: Field }, closed)),
  },
  closed,
);

export const presetSchema = checker(
  Type.Object(
    {
      title: Type.String({ minLength: 1 }),
      /** Whether text and recordings leave for machines of another operator. */
      leaves_host: Type.Boolean(),
      auth: Type.Object({ header: Field, scheme: Type.String() }, closed),
      /** `honest`: a 200 means that it works. Null: it is not asked. */
      health: orNull(
        Type.Object({ path: Path, truth: Type.Enum(["honest", "process-only", "may-block"]) }, closed),
      ),
      models_path: orNull(Path),
      voices_path: orNull(Path),
      /** Voices of a server that lists none. */
      known_voices: Type.Array(Type.String({ minLength: 1 })),
      /** By the server's own name of a model: the day from which it no longer has it. */
      shutdown_dates: Type.Optional(
        Type.Record(Type.String({ minLength: 1 }), Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })),
      ),
      /** Requests that one server takes at once. */
      max_in_flight: Type.Integer({ minimum: 1, maximum: 10_000 }),
      /** Between the beginnings of two requests. */
      min_gap_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
      /** `finishes`: it continues to work for a caller that has left. */
      cancel: Type.Enum(["aborts", "finishes"]),
      timeouts: Type.Object(
        { first_byte_ms: Milliseconds, between_bytes_ms: Milliseconds, whole_ms: Milliseconds },
        closed,
      ),
      speech: orNull(SpeechFlags),
      transcription: orNull(TranscriptionFlags),
      /** Absent: live speech is sent as files. */
      realtime: Type.Optional(RealtimeFlags),
      /** Absent: it has no language models. */
      chat: Type.Optional(ChatFlags),
    },
    closed,
  ),
);

export type Preset = Static<typeof presetSchema.schema>;
export type SpeechFlags = Static<typeof SpeechFlags>;
export type RealtimeFlags = Static<typeof RealtimeFlags>;
export type ChatFlags = Static<typeof ChatFlags>;
export type TranscriptionFlags = Static<typeof TranscriptionFlags>;

/** A preset with single flags changed; objects are merged, anything else is replaced. */
export function withFlags(preset: unknown, flags: unknown): unknown {
  if (!isObject(preset) || !isObject(flags)) return flags === undefined ? preset : flags;
  const names = new Set([...Object.keys(preset), ...Object.keys(flags)]);
  return Object.fromEntries([...names].map((name) => [name, withFlags(preset[name], flags[name])]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const timeoutsOf = ({ timeouts }: Pick<Preset, "timeouts">) => ({
  firstByteMs: timeouts.first_byte_ms,
  betweenBytesMs: timeouts.between_bytes_ms,
  wholeMs: timeouts.whole_ms,
});

const LEAST_ANSWER_MS = 120_000;
const ANSWER_TIMES = 2.5; // of the recording

/** How long the whole answer about so many seconds of audio may take. */
export function answerMsMax({ timeouts }: Pick<Preset, "timeouts">, seconds: number): number {
  return Math.max(Math.min(LEAST_ANSWER_MS, timeouts.whole_ms), ANSWER_TIMES * 1000 * seconds);
}
