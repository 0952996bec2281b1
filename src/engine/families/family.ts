/** What an entry of the table of families says, by what its models do: the compiler asks for the rest. */
import type Type from "typebox";

/** What a family's models do. An engine is started for a package unless its family has no worker. */
export type FamilyTask = FamilyEntry["task"];

/**
 * `word_times`: tells when each word of a text is heard. `expression_tags`: speaks `<laugh>`, `<breath>` and `<sigh>`; they are
 * dropped from the text of others. `delivery`: delivers speech while it synthesizes it. `cloning`: encodes recorded voices, and
 * speaks with them. `blending`: speaks with several of its voices mixed.
 */
export type SynthesisAbility = "word_times" | "expression_tags" | "delivery" | "cloning" | "blending";

/**
 * `prompt`: reads one. `keywords`: prefers given words. `detection`: detects the language; others are told it by their callers.
 * `languages`: detects it among some that are named. `word_times`: knows when words are spoken; those of others are estimates.
 */
export type RecognitionAbility = "prompt" | "keywords" | "detection" | "languages" | "word_times";

export type Ability = SynthesisAbility | RecognitionAbility;

type Engine = {
  /** Path below `workers/`, without the extension; null: its files are read by other engines. */
  worker: string | null;
  /** What `options` of a package may set. */
  options: Type.TSchema;
  /** How many tasks a thread works on at once. */
  concurrency: number;
  /** What another package does, which its worker also reads: without one installed, it is no engine. */
  companion?: FamilyTask;
  /** Keeps the state of streams between tasks, so all tasks go to one thread. */
  stateful?: true;
  /** How many spans of speech a part of a long recording has: about what an engine works on at once. */
  spansAtOnce?: number;
  /** When a package is pulled, a graph of the durations alone is derived from its graph `model`. */
  durationsGraph?: true;
};

type Synthesis = {
  task: "synthesis";
  /** For callers who are told of it. */
  title: string;
  does: readonly SynthesisAbility[];
  /** Letters, or the phonemes that it reads instead. */
  reads: "text" | "ipa" | "kokoro";
};

type Recognition = {
  task: "recognition" | "streaming-recognition";
  does: readonly RecognitionAbility[];
};

type Other = {
  task:
    | "turn-detection"
    | "voice-activity"
    | "diarization"
    | "speaker-embedding"
    | "pronunciation"
    | "program";
};

export type FamilyEntry = Engine & (Synthesis | Recognition | Other);
