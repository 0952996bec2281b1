/**
 * What writes the events of a session for its client: a transcription, or a conversation. The session knows of turns and
 * utterances; which events tell of them, and what is known as an item, is its front's.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import type { Refusal } from "../errors.ts";
import type { Settings } from "./settings.ts";

export type Utterance = {
  id: string;
  /** Its start in the session's audio, and its committed length. */
  fromSeconds: number;
  seconds: number;
  words: Word[];
  /** Words not told yet, because the utterance was not announced to the client; null once it was. */
  held: Word[] | null;
  outcome: "completed" | Refusal | null;
};

/** All is called within a step of the session, and sent with its effects. Positions are in samples at 16 kHz. */
export type Front = {
  created(settings: Settings): void;
  /** `reply`: the type of the confirming event. `language`: the one that is spoken. */
  updated(settings: Settings, language: string, reply: string): void;
  speechStarted(utterance: Utterance, at: number): void;
  /** Speech goes on, or a pause in it: how much was spoken since the utterance began, and how long it has been silent. */
  speaking(utterance: Utterance, spokenMs: number, quietMs: number): void;
  /** How probable it is, by the turn detector, that the speaker has finished; absent: it is not told. */
  detected?(utterance: Utterance, probability: number): void;
  /** The speaker pauses, and may have finished: the words that would be final then, beyond those that are. */
  paused(utterance: Utterance, tentative: Word[]): void;
  /** What was heard last beyond the words that are final, and may still change; null: it is not told. */
  readonly interim: ((utterance: Utterance, words: Word[]) => void) | null;
  speechStopped(utterance: Utterance, at: number): void;
  committed(utterance: Utterance): void;
  /** Words that became final, of an utterance that the client knows. */
  words(utterance: Utterance, added: Word[]): void;
  /** All of its words are known, or it has failed; of utterances in the order of their commits. */
  concluded(utterance: Utterance): void;
  /** The utterance that was not committed yet is discarded. */
  dropped(utterance: Utterance): void;
  /** The client's idle timeout has passed without speech. */
  idle(utterance: Utterance, from: number, to: number): void;
  cleared(): void;
  refused(refusal: Refusal, eventId: string | null): void;
  /** The session ends, for this reason; null: because the server closes. */
  ending(refusal: Refusal | null): void;
  /** Whether something is being answered: an ending session waits for it. */
  isBusy(): boolean;
  /** Whether the client is being spoken to: its silence does not count as idle. */
  isAudible(): boolean;
};

/** Of a position in samples, as clients receive it. */
export const toMs = (samples: number) => Math.round((samples * 1000) / ASR_SAMPLE_RATE);
