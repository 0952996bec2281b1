/**
 * A realtime session as a state machine: client events, VAD results and transcribed words go in; events for the client
 * and effects for the session runner come out. No socket, no clock, no engine.
 *
 *   turn      started ──────── stopped
 *   item      open  words …    committed   words …   completed or failed, in the order of commits
 *
 * Inputs are handled at once, in order; an invalid one throws and changes nothing. Ending waits for what was committed.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import { AudioClock } from "../engine/protocol/live-format.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import type { Silence, VadResult } from "../engine/protocol/vad.ts";
import { invalidInput, Refusal } from "../errors.ts";
import type { Front, Utterance } from "./front.ts";
import type { Effect, Outbox } from "./outbox.ts";
import { isFinished, isSemantic, type Settings, turnRules } from "./settings.ts";
import { TurnBuffer, type VadEvent } from "./turn-buffer.ts";
import { Utterances } from "./utterances.ts";

/** Why it ends: a refusal, or null if the server is closing or the client is done. */
type Ending = { refusal: Refusal | null; eventId: string | null; isDone?: boolean };

export const COMMIT_MIN_SECONDS = 0.1;
const UNCOMMITTED_MAX_SECONDS = 600;
const SILENCE_KEPT_SECONDS = 60; // more than recognition may be behind, so no word is lost

/** `countsSilence`: whether audio without a word counts as uncommitted; otherwise a silent microphone does not end the session. */
type SessionOptions = { front: Front; out: Outbox; countsSilence: boolean };

export class Session {
  readonly #front: Front;
  readonly #out: Outbox;
  readonly #utterances: Utterances;
  readonly #countsSilence: boolean;
  readonly #turns = new TurnBuffer();
  readonly #received: AudioClock;
  #itemSeconds = 0;
  #settings: Settings;
  /** The utterance that is not committed yet. */
  #open: Utterance | null = null;
  /** Audio before this is committed, cleared, or silence. */
  #usedSeconds = 0;
  #ending: Ending | null = null;
  #isOver = false;

  constructor(settings: Settings, { front, out, countsSilence }: SessionOptions) {
    this.#settings = settings;
    this.#received = new AudioClock(settings.format);
    this.#front = front;
    this.#out = out;
    this.#countsSilence = countsSilence;
    this.#utterances = new Utterances(front);
  }

  get settings(): Settings {
    return this.#settings;
  }

  get isEnding(): boolean {
    return this.#ending !== null;
  }

  /** Whether it ends because the server is closing. */
  get isClosing(): boolean {
    return this.#ending?.refusal === null && !this.#ending.isDone;
  }

  /** Also of items that brought their audio. */
  get receivedSeconds(): number {
    return this.#received.seconds + this.#itemSeconds;
  }

  /** The billable duration so far or, once over, in total. */
  billableSeconds(isOver: boolean): number {
    const open = this.#open ? [{ ...this.#open, seconds: this.#openSeconds() }] : [];
    return this.receivedSeconds - this.#utterances.unpaidSeconds(open, isOver);
  }

  /** Of the open utterance, in milliseconds. */
  get openMs(): number {
    return this.#openSeconds() * 1000;
  }

  #openSeconds(): number {
    return this.#open ? this.#received.seconds - this.#open.fromSeconds : 0;
  }

  start(): Effect[] {
    this.#out.add({ do: "listen", format: this.#settings.format });
    if (isSemantic(this.#settings)) this.#out.add({ do: "expectTurns" });
    this.#front.created(this.#settings);
    return this.#out.take();
  }

  /** `reply`: the type of the confirming event. */
  update(settings: Settings, language: string, reply: string): Effect[] {
    this.#reformat(settings);
    const handed = (this.#settings.turnDetection === null) !== (settings.turnDetection === null);
    if (handed && this.#open) this.#turns.resume();
    else if (handed) this.#startOver();
    this.#settings = settings;
    if (isSemantic(settings)) this.#out.add({ do: "expectTurns" });
    this.#front.updated(settings, language, reply);
    return this.#out.take();
  }

  #reformat({ format }: Settings): void {
    if (JSON.stringify(format) === JSON.stringify(this.#settings.format)) return;
    const waits = this.#settings.turnDetection === null && this.#received.seconds > this.#usedSeconds;
    if (this.#open || waits) {
      const message = "cannot change while audio is buffered: commit or clear it first";
      throw invalidInput([{ field: "session.audio.input.format", code: "malformed", message }]);
    }
    this.#received.reformat(format);
    this.#turns.reformat();
    this.#out.add({ do: "listen", format });
  }

  silence = (): Silence | null => this.#turns.silence(turnRules(this.#settings));

  append(sizeBytes: number): void {
    this.#received.add(sizeBytes);
  }

  addVadResult(result: Omit<VadResult, "id">): Effect[] {
    if (this.#ending) return [];
    if (this.#front.isAudible()) this.#turns.postponeIdle();
    for (const event of this.#turns.process(result, turnRules(this.#settings))) this.#apply(event);
    if (this.#openSeconds() > UNCOMMITTED_MAX_SECONDS && !this.#dropSilence()) {
      const message = `More than ${UNCOMMITTED_MAX_SECONDS} seconds of audio were not committed.`;
      return [...this.#out.take(), ...this.end(new Refusal("audio_too_long", message))];
    }
    return this.#out.take();
  }

  /** Audio in which no word was recognized no longer belongs to the utterance; false where it has words or counts. */
  #dropSilence(): boolean {
    if (this.#countsSilence || this.#open!.words.length > 0) return false;
    this.#open!.fromSeconds = this.#received.seconds - SILENCE_KEPT_SECONDS;
    return true;
  }

  #apply(event: VadEvent): void {
    if (event.event === "started") {
      this.#open = this.#begin(event.at / ASR_SAMPLE_RATE, true);
      this.#front.speechStarted(this.#open, event.at);
    } else if (event.event === "audio") {
      this.#open ??= this.#begin(this.#usedSeconds, false);
      this.#out.add({ do: "push", itemId: this.#open.id, samples: event.samples });
      this.#front.speaking(this.#open, event.spokenMs, event.quietMs);
    } else if ("quietFrom" in event) {
      const itemId = this.#open!.id;
      if (event.event === "paused") this.#out.add({ do: "pause", itemId });
      if (isSemantic(this.#settings)) this.#out.add({ do: "detectTurn", itemId, quietFrom: event.quietFrom });
    } else if (event.event === "stopped") {
      this.#front.speechStopped(this.#open!, event.at);
      this.#commit(event.at / ASR_SAMPLE_RATE, event.paused);
    } else this.#utterances.idle(this.#out.itemId(), event.from, event.at);
  }

  #begin(fromSeconds: number, spoken: boolean): Utterance {
    const utterance = this.#utterances.begin(this.#out.itemId(), fromSeconds, spoken);
    this.#out.add({ do: "open", itemId: utterance.id, spoken });
    return utterance;
  }

  commit(): Effect[] {
    if (!this.#open || this.#openSeconds() < COMMIT_MIN_SECONDS) {
      const message = `There is less than ${COMMIT_MIN_SECONDS * 1000} ms of audio to commit.`;
      throw new Refusal("input_audio_buffer_commit_empty", message);
    }
    const samples = this.#turns.rest();
    if (samples.length > 0) this.#out.add({ do: "push", itemId: this.#open.id, samples });
    this.#commit(this.#received.seconds, false);
    this.#startOver();
    return this.#out.take();
  }

  /** An item brought so much audio: it is transcribed beside the stream, as an utterance that was committed. */
  hear(itemId: string, seconds: number): Effect[] {
    this.#itemSeconds += seconds;
    this.#utterances.commit(this.#utterances.begin(itemId, 0, true), seconds);
    return this.#out.take();
  }

  #commit(untilSeconds: number, paused: boolean): void {
    const utterance = this.#open!;
    this.#open = null;
    this.#utterances.commit(utterance, untilSeconds);
    this.#out.add({ do: "finish", itemId: utterance.id, paused });
    this.#utterances.tellConcluded(); // it may have failed already
  }

  clear(): Effect[] {
    this.#drop();
    this.#startOver();
    this.#front.cleared();
    return this.#out.take();
  }

  #drop(): void {
    const utterance = this.#open;
    this.#open = null;
    if (utterance === null) return;
    this.#out.add({ do: "drop", itemId: utterance.id });
    this.#front.dropped(utterance);
  }

  #startOver(): void {
    this.#usedSeconds = this.#received.seconds;
    this.#turns.startOver();
  }

  /** How probable the turn detector finds that the utterance is complete, in the silence that began at `quietFrom`. */
  turnDetected(itemId: string, quietFrom: number, probability: number): Effect[] {
    const open = this.#open?.id === itemId ? this.#open : null;
    if (open && this.#turns.detected(quietFrom, isFinished(this.#settings, probability)))
      this.#front.detected?.(open, probability);
    return this.#out.take();
  }

  words(itemId: string, words: Word[]): Effect[] {
    const utterance = this.#underWay(itemId);
    if (utterance) this.#utterances.add(utterance, words);
    return this.#out.take();
  }

  /** The speaker pauses: what the recognizer heard until then, beyond the words that are final. */
  guess(itemId: string, tentative: Word[]): Effect[] {
    if (this.#open?.id === itemId) this.#front.paused(this.#open, tentative);
    return this.#out.take();
  }

  /** Of text that may still change. */
  get tellsInterim(): boolean {
    return this.#front.interim !== null;
  }

  interim(itemId: string, words: Word[]): Effect[] {
    const utterance = this.#underWay(itemId);
    if (utterance) this.#front.interim?.(utterance, words);
    return this.#out.take();
  }

  /** An utterance is completely transcribed, or has failed. */
  conclude(itemId: string, outcome: "completed" | Refusal): Effect[] {
    const utterance = this.#underWay(itemId);
    if (utterance) this.#utterances.conclude(utterance, outcome);
    return this.advance();
  }

  #underWay(itemId: string): Utterance | null {
    return this.#open?.id === itemId ? this.#open : this.#utterances.waitingFor(itemId);
  }

  /** Sends the error of a client's event, and ends the session unless it goes on. */
  refuse(refusal: Refusal, eventId: string | null, goesOn: boolean): Effect[] {
    if (!goesOn) return this.end(refusal, eventId);
    this.#front.refused(refusal, eventId);
    return this.#out.take();
  }

  /** The server is closing, or the client is done: commits the open utterance, and ends once everything was sent. */
  close(isDone = false): Effect[] {
    const committed = this.#openSeconds() >= COMMIT_MIN_SECONDS ? this.commit() : [];
    return [...committed, ...this.end(null, null, isDone)];
  }

  /** Ends the session once everything committed was sent. A null refusal: because the server is closing. */
  end(refusal: Refusal | null, eventId: string | null = null, isDone = false): Effect[] {
    if (this.#ending) return [];
    this.#ending = { refusal, eventId, isDone };
    this.#drop();
    this.#front.ending(refusal);
    return this.advance();
  }

  /** Ends at once: the engine failed, or waiting took too long. An earlier refusal stays the reason. */
  endNow(refusal: Refusal | null): Effect[] {
    if (!this.#ending?.refusal) this.#ending = { refusal, eventId: null };
    this.#hangUp(this.#ending);
    return this.#out.take();
  }

  /** What is to be done now; an ending session hangs up once nothing is transcribed or answered any more. */
  advance(): Effect[] {
    if (this.#ending && !this.#utterances.isWaiting && !this.#front.isBusy()) this.#hangUp(this.#ending);
    return this.#out.take();
  }

  #hangUp({ refusal, eventId }: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (refusal) this.#front.refused(refusal, eventId);
    this.#out.add({ do: "hangUp", refusal });
  }
}
