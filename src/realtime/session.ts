/**
 * A realtime session as a state machine: what the client says, what was heard and what was transcribed go in; events
 * for the client and effects for its conductor come out. No socket, no clock, no engine.
 *
 *   turn      started ──────── stopped
 *   item      open  words …    committed   words …   completed or failed, in the order of commits
 *
 * Whatever goes in is answered at once and in order; what cannot be throws its refusal and changes nothing. An end
 * waits for what was committed before it.
 */

import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import type { VadResult } from "../engine/protocol/vad.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { AudioClock } from "./audio-clock.ts";
import { Conversation, type Utterance } from "./conversation.ts";
import * as events from "./events.ts";
import { type Effect, Outbox } from "./outbox.ts";
import { LOGPROBS, type Settings, type Shape, sessionObject, turnRules } from "./settings.ts";
import { TurnBuffer, type VadEvent } from "./turn-buffer.ts";

type Identity = {
  id: string;
  expiresAt: number;
  shape: Shape;
  /** How the API writes an error. */
  errorFields: (refusal: Refusal) => events.ErrorFields;
};
/** Why it ends: a refusal, or null for the server's own closing. */
type Ending = { refusal: Refusal | null; eventId: string | null };

const COMMIT_LEAST_SECONDS = 0.1;
const UNCOMMITTED_MOST_SECONDS = 600;

export class Session {
  readonly #identity: Identity;
  readonly #out: Outbox;
  readonly #conversation: Conversation;
  readonly #listening = new TurnBuffer();
  readonly #received: AudioClock;
  #settings: Settings;
  /** The utterance that is not committed yet. */
  #open: Utterance | null = null;
  /** What came before is committed, cleared, or was silence. */
  #usedSeconds = 0;
  #ending: Ending | null = null;
  #isOver = false;

  constructor(identity: Identity, settings: Settings, language: string) {
    const name = identity.id.replace(/^sess_/, "");
    this.#identity = identity;
    this.#settings = settings;
    this.#received = new AudioClock(settings.format);
    this.#out = new Outbox(name);
    this.#conversation = new Conversation(name, this.#out, this.#telling(settings, language));
  }

  #telling({ include }: Settings, language: string) {
    return {
      beta: this.#identity.shape.beta,
      logprobs: include?.includes(LOGPROBS) ?? false,
      language,
      errorFields: this.#identity.errorFields,
    };
  }

  get settings(): Settings {
    return this.#settings;
  }

  get isEnding(): boolean {
    return this.#ending !== null;
  }

  get receivedSeconds(): number {
    return this.#received.seconds;
  }

  /** What of it costs, by now or, when it is over, in the end. */
  billableSeconds(isOver: boolean): number {
    const open = this.#open ? [{ ...this.#open, seconds: this.#openSeconds() }] : [];
    return this.receivedSeconds - this.#conversation.unpaidSeconds(open, isOver);
  }

  #openSeconds(): number {
    return this.#open ? this.receivedSeconds - this.#open.fromSeconds : 0;
  }

  start(): Effect[] {
    const { beta, intent } = this.#identity.shape;
    const type = beta && intent ? "transcription_session.created" : "session.created";
    this.#out.add({ do: "listen", format: this.#settings.format });
    this.#out.send({ type, session: this.#sessionObject() });
    return this.#out.take();
  }

  /** `reply` is what the answer is called. */
  update(settings: Settings, language: string, reply: string): Effect[] {
    this.#reformat(settings);
    const handed = (this.#settings.turnDetection === null) !== (settings.turnDetection === null);
    if (handed && this.#open) this.#listening.resume();
    else if (handed) this.#startOver();
    this.#settings = settings;
    this.#conversation.telling = this.#telling(settings, language);
    this.#out.send({ type: reply, session: this.#sessionObject() });
    return this.#out.take();
  }

  #reformat({ format }: Settings): void {
    if (JSON.stringify(format) === JSON.stringify(this.#settings.format)) return;
    const waits = this.#settings.turnDetection === null && this.receivedSeconds > this.#usedSeconds;
    if (this.#open || waits) {
      const message = "cannot change while audio is buffered: commit or clear it first";
      throw invalidInput([{ field: "session.audio.input.format", code: "malformed", message }]);
    }
    this.#received.reformat(format);
    this.#listening.reformat();
    this.#out.add({ do: "listen", format });
  }

  append(sizeBytes: number): void {
    this.#received.add(sizeBytes);
  }

  heard(heard: Omit<VadResult, "id">): Effect[] {
    if (this.#ending) return [];
    for (const happening of this.#listening.hear(heard, turnRules(this.#settings))) this.#happen(happening);
    if (this.#openSeconds() > UNCOMMITTED_MOST_SECONDS) {
      const message = `More than ${UNCOMMITTED_MOST_SECONDS} seconds of audio were not committed.`;
      return [...this.#out.take(), ...this.end(new Refusal("audio_too_long", message))];
    }
    return this.#out.take();
  }

  #happen(happening: VadEvent): void {
    if (happening.event === "started") {
      this.#open = this.#begin(happening.at / ASR_SAMPLE_RATE, true);
      this.#out.send(events.speechStarted(this.#open.id, toMs(happening.at)));
    } else if (happening.event === "audio") {
      this.#open ??= this.#begin(this.#usedSeconds, false);
      this.#out.add({ do: "push", itemId: this.#open.id, samples: happening.samples });
    } else if (happening.event === "paused") {
      this.#out.add({ do: "pause", itemId: this.#open!.id });
      if (this.#settings.turnDetection?.type === "semantic_vad")
        this.#out.add({ do: "detectTurn", itemId: this.#open!.id });
    } else if (happening.event === "stopped") {
      this.#out.send(events.speechStopped(this.#open!.id, toMs(happening.at)));
      this.#commit(happening.at / ASR_SAMPLE_RATE, true);
    } else this.#idle(happening.from, happening.at);
  }

  #begin(fromSeconds: number, spoken: boolean): Utterance {
    const utterance = this.#conversation.begin(fromSeconds, spoken);
    this.#out.add({ do: "open", itemId: utterance.id, spoken });
    return utterance;
  }

  /** Nobody spoke for as long as the client wanted to be told of: an item with nothing in it. */
  #idle(from: number, at: number): void {
    const utterance = this.#conversation.begin(from / ASR_SAMPLE_RATE, true);
    this.#out.send(events.timeoutTriggered(utterance.id, toMs(from), toMs(at)));
    utterance.outcome = "completed";
    this.#conversation.commit(utterance, at / ASR_SAMPLE_RATE);
    this.#conversation.settle();
  }

  commit(): Effect[] {
    if (!this.#open || this.#openSeconds() < COMMIT_LEAST_SECONDS) {
      const message = `There is less than ${COMMIT_LEAST_SECONDS * 1000} ms of audio to commit.`;
      throw new Refusal("input_audio_buffer_commit_empty", message);
    }
    const samples = this.#listening.rest();
    if (samples.length > 0) this.#out.add({ do: "push", itemId: this.#open.id, samples });
    this.#commit(this.receivedSeconds, false);
    this.#startOver();
    return this.#out.take();
  }

  #commit(untilSeconds: number, paused: boolean): void {
    const utterance = this.#open!;
    this.#open = null;
    this.#conversation.commit(utterance, untilSeconds);
    this.#out.add({ do: "finish", itemId: utterance.id, paused });
    this.#conversation.settle(); // it may have failed before
  }

  clear(): Effect[] {
    this.#drop();
    this.#startOver();
    this.#out.send({ type: "input_audio_buffer.cleared" });
    return this.#out.take();
  }

  #drop(): void {
    if (this.#open) this.#out.add({ do: "drop", itemId: this.#open.id });
    this.#open = null;
  }

  #startOver(): void {
    this.#usedSeconds = this.receivedSeconds;
    this.#listening.startOver();
  }

  /** Somebody who understands what was said before the pause judges that it was all. */
  finished(itemId: string): Effect[] {
    if (this.#open?.id === itemId) this.#listening.finish();
    return this.#out.take();
  }

  words(itemId: string, words: Word[]): Effect[] {
    const utterance = this.#underWay(itemId);
    if (utterance) this.#conversation.add(utterance, words);
    return this.#out.take();
  }

  /** All of an utterance is known, or never will be. */
  settle(itemId: string, outcome: "completed" | Refusal): Effect[] {
    const utterance = this.#underWay(itemId);
    if (utterance) {
      utterance.outcome = outcome;
      this.#conversation.settle();
      this.#endIfDone();
    }
    return this.#out.take();
  }

  #underWay(itemId: string): Utterance | null {
    return this.#open?.id === itemId ? this.#open : this.#conversation.waitingFor(itemId);
  }

  retrieve(itemId: string): Effect[] {
    const item = events.itemObject(this.#conversation.find(itemId));
    this.#out.send({ type: "conversation.item.retrieved", item });
    return this.#out.take();
  }

  delete(itemId: string): Effect[] {
    this.#conversation.delete(itemId);
    this.#out.send({ type: "conversation.item.deleted", item_id: itemId });
    return this.#out.take();
  }

  /** Says what was wrong with the client's event, and ends the session unless that is harmless. */
  refuse(refusal: Refusal, eventId: string | null): Effect[] {
    if (!events.isHarmless(refusal)) return this.end(refusal, eventId);
    this.#out.send(this.#error(refusal, eventId));
    return this.#out.take();
  }

  /** Ends the session once what was committed is told; without a refusal, because the server closes. */
  end(refusal: Refusal | null, eventId: string | null = null): Effect[] {
    if (this.#ending) return [];
    this.#ending = { refusal, eventId };
    this.#drop();
    this.#endIfDone();
    return this.#out.take();
  }

  /** Ends it now: its engine is gone, or it waited long enough. */
  endNow(refusal: Refusal | null): Effect[] {
    this.#ending ??= { refusal, eventId: null };
    this.#hangUp(this.#ending);
    return this.#out.take();
  }

  #endIfDone(): void {
    if (this.#ending && !this.#conversation.isWaiting) this.#hangUp(this.#ending);
  }

  #hangUp({ refusal, eventId }: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (refusal) this.#out.send(this.#error(refusal, eventId));
    this.#out.add({ do: "hangUp", refusal });
  }

  #error(refusal: Refusal, eventId: string | null): events.ServerEvent {
    return events.error(this.#identity.errorFields(refusal), eventId);
  }

  #sessionObject(): object {
    return sessionObject(this.#settings, this.#identity, this.#identity.shape);
  }
}

const toMs = (samples: number) => Math.round((samples * 1000) / ASR_SAMPLE_RATE);
