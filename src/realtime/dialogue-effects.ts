/** What a conversation has done for it, beside listening: the language model is asked, and text is spoken. */
import type { ChatRequest } from "../engine/protocol/chat.ts";
import type { LiveFormat } from "../engine/protocol/live-format.ts";
import type { Stages } from "./stages.ts";

/** How an answer sounds. `voice`: as the client sent it. */
export type Output = { format: LiveFormat; voice: string | { id: string }; speed: number };

export type DialogueEffect =
  /** `isGuess`: it is not certain that the answer will be wanted. Its speech is prepared, and waits until it is released. */
  | { do: "ask"; responseId: string; request: ChatRequest; isGuess: boolean }
  | { do: "release"; responseId: string }
  /** The model should be loaded, and have read this before it is asked. */
  | { do: "warm"; request: ChatRequest }
  /** The next text of a response, behind those before it. */
  | { do: "speak"; responseId: string; text: string; output: Output }
  /** Of this response no text follows; `isUrgent`: what was said is sent without waiting until it is played. */
  | { do: "endSpeech"; responseId: string; isUrgent: boolean }
  /** It is asked whether a segment is due once this time has come. */
  | { do: "wake"; responseId: string; atMs: number }
  /** It ends once this time has come. */
  | { do: "expire"; responseId: string; atMs: number }
  /** The response is over, or for its model alone. Nothing that comes back for it counts any more. */
  | { do: "stop"; responseId: string; what: "model" | "all" }
  /** The response is over, after its last event. */
  | { do: "over"; responseId: string; outcome: Outcome }
  | ({ do: "count" } & Counted);

export type Tokens = { input: number; output: number };

/** What is measured and paid of a response. `reason` "": it was completed. `tokens` null: its model wrote nothing. */
export type Outcome = {
  status: "completed" | "cancelled" | "incomplete" | "failed";
  reason: string;
  stages: Stages;
  tokens: Tokens | null;
};

/**
 * For the metrics. An answer that was asked for before its turn had ended was released, or thrown away. A sound during an
 * answer interrupted it, or was ignored; one that had interrupted it was no speech, and the answer was resumed.
 */
export type Counted =
  | { what: "guess"; outcome: "released" | "thrown_away" }
  | { what: "interruption"; outcome: "interrupted" | "ignored" | "resumed" };

/** When a word is heard, in seconds from the start of its text. */
type HeardWord = { word: string; start_time: number };

/**
 * What comes back of speech, of a response's texts in order: one begins, its sound, it ends; at last, all are sent. `words`
 * null: the engine does not tell them, or not yet. `bytes`: as the client reads them; `ms`: how long they sound.
 */
export type SpeechEvent =
  | { is: "began"; text: string; expectedMs: number; words: readonly HeardWord[] | null }
  | { is: "sound"; bytes: Uint8Array; ms: number }
  | { is: "ended"; words: readonly HeardWord[] | null }
  | { is: "over" };

/** The speech of one response. `events` ends behind `over`; it throws the refusal of what could not be spoken. */
export type SpokenResponse = {
  /** The next text. */
  push(text: string): void;
  /** No text follows. */
  end(): void;
  events: AsyncGenerator<SpeechEvent>;
};
