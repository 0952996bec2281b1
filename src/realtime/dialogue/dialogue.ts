/**
 * A conversation as a state machine: turns of the caller, events of the client, parts of the model's answer and its speech go
 * in; events for the client and effects come out. Pure, but for a clock.
 *
 *   speech started ── stopped ─> committed ─> transcript ─> response
 *          │ interrupts what is being said, once it is certain that the caller speaks to us
 *
 * While an answer is heard, speech is told only once it has lasted long enough, or has a word: a cough does not interrupt.
 */
import type { Word } from "../../engine/protocol/recognition.ts";
import { Refusal } from "../../errors.ts";
import { joined } from "../../transcription/transcript.ts";
import * as turnEvents from "../events.ts";
import type { Front, Utterance } from "../front.ts";
import { toMs } from "../front.ts";
import type { Outbox } from "../outbox.ts";
import { asksLogprobs, type Settings } from "../settings.ts";
import { Answering } from "./answering.ts";
import type { Asked } from "./asked.ts";
import { CallerTurn, type Owed } from "./caller-turn.ts";
import * as events from "./dialogue-events.ts";
import { conversationObject, type DialogueSettings } from "./dialogue-settings.ts";
import { interrupts, isIgnored } from "./interruption.ts";
import { type Item, type ItemMemory, Items, type Place, spokenItem } from "./items.ts";

/** What is fixed when a conversation begins. `model`: as the client named it. */
export type DialogueIdentity = {
  id: string;
  expiresAt: number;
  model: string;
  /** Whether the model may be asked before it is certain that the caller has finished. */
  guesses: boolean;
  errorFields: (refusal: Refusal) => turnEvents.ErrorFields;
};

type Options = { settings: DialogueSettings; language: string; now: () => number; memory: ItemMemory };

export class Dialogue implements Front {
  readonly interim = null;
  readonly answering: Answering;
  readonly #identity: DialogueIdentity;
  readonly #now: () => number;
  readonly #out: Outbox;
  readonly #items: Items;
  readonly #turns = new Map<string, CallerTurn>();
  readonly #conversationId: string;
  /** To what was said and waits for the response under way to end. */
  #owed: Owed | null = null;
  #language: string;
  /** In force once the session was updated. */
  next: DialogueSettings;
  /** In force. */
  settings: DialogueSettings;

  constructor(identity: DialogueIdentity, out: Outbox, { settings, language, now, memory }: Options) {
    this.#items = new Items(memory);
    this.#identity = identity;
    this.#out = out;
    this.#now = now;
    this.settings = settings;
    this.next = settings;
    this.#language = language;
    this.#conversationId = `conv_${out.name}`;
    this.answering = new Answering({
      ...{ out, now, items: this.#items, conversationId: this.#conversationId },
      errorFields: identity.errorFields,
      isTranscribing: () => [...this.#turns.values()].some(({ isCommitted }) => isCommitted),
      language: () => this.#language,
      truncation: () => this.settings.truncation,
    });
  }

  created(): void {
    this.#out.send({ type: "session.created", session: this.#sessionObject() });
    const conversation = { id: this.#conversationId, object: "realtime.conversation" };
    this.#out.send({ type: "conversation.created", conversation });
    const request = this.answering.beginning(this.settings);
    if (request) this.#out.add({ do: "warm", request });
  }

  updated(_settings: Settings, language: string): void {
    this.settings = this.next;
    this.#language = language;
    this.#out.send({ type: "session.updated", session: this.#sessionObject() });
  }

  #sessionObject = (): object => conversationObject(this.settings, this.#identity);

  speechStarted(utterance: Utterance, at: number): void {
    const isHeld = this.settings.interruptsResponse && this.answering.isAudible();
    const turn = this.#turn(utterance);
    turn.heldFrom = at;
    if (!isHeld || interrupts(this.settings.interruption, { spokenMs: 0, words: [] })) this.#tell(turn);
  }

  #turn(utterance: Utterance): CallerTurn {
    const turn = this.#turns.get(utterance.id) ?? new CallerTurn(utterance, this.#now());
    this.#turns.set(utterance.id, turn);
    return turn;
  }

  /** Tells the client of a turn, as far as it has come, and ends what is being said to the caller. */
  #tell(turn: CallerTurn): void {
    const { utterance, heldFrom, stoppedAt, isCommitted } = turn;
    if (heldFrom === null) return;
    turn.heldFrom = null;
    this.#out.send(turnEvents.speechStarted(utterance.id, toMs(heldFrom)));
    if (this.settings.interruptsResponse) turn.hasInterrupted = this.answering.interrupt();
    this.#delta(utterance, utterance.words);
    if (stoppedAt !== null) this.#out.send(turnEvents.speechStopped(utterance.id, toMs(stoppedAt)));
    if (isCommitted) this.#commit(turn);
  }

  speaking({ id }: Utterance, spokenMs: number): void {
    const turn = this.#turns.get(id);
    if (!turn) return;
    if (turn.goesOn(spokenMs, this.#now())) this.answering.withdrawGuess();
    this.#tellIfItInterrupts(turn);
  }

  #tellIfItInterrupts(turn: CallerTurn): void {
    const { heldFrom, spokenMs, utterance } = turn;
    if (heldFrom !== null && interrupts(this.settings.interruption, { spokenMs, words: utterance.words }))
      this.#tell(turn);
  }

  words(utterance: Utterance, added: Word[]): void {
    const turn = this.#turns.get(utterance.id);
    if (turn && turn.heldFrom !== null) this.#tellIfItInterrupts(turn);
    else this.#delta(utterance, added);
  }

  paused({ id }: Utterance, tentative: Word[]): void {
    const turn = this.#turns.get(id);
    const isAnswered = this.#identity.guesses && this.settings.createsResponse && this.#turns.size === 1;
    const transcript = isAnswered && turn?.heldFrom === null ? turn.guess(tentative) : null;
    if (transcript === null) return;
    const content = [{ type: "input_audio" as const, transcript }];
    const input = [...this.#items.all, { ...spokenItem(id), content }];
    this.answering.guess({ ...this.#asked(), input });
  }

  #delta(utterance: Utterance, added: Word[]): void {
    if (this.settings.transcription !== null && added.length > 0)
      this.#out.send(turnEvents.delta(utterance, added, this.#style(utterance.id)));
  }

  #style = (itemId: string): turnEvents.TranscriptStyle => ({
    contentIndex: this.#items.audioIndex(itemId),
    tellsLogprobs: asksLogprobs(this.settings.listening),
    language: this.#language,
    errorFields: this.#identity.errorFields,
  });

  speechStopped({ id }: Utterance, at: number): void {
    const turn = this.#turns.get(id)!;
    turn.stoppedAt = at;
    if (turn.heldFrom === null) this.#out.send(turnEvents.speechStopped(id, toMs(at)));
  }

  committed(utterance: Utterance): void {
    const turn = this.#turn(utterance);
    turn.isCommitted = true;
    turn.isByClient = turn.stoppedAt === null && turn.idleSeconds === null;
    if (turn.isByClient) this.#tell(turn);
    if (turn.heldFrom === null) this.#commit(turn);
  }

  #commit({ utterance: { id } }: CallerTurn): void {
    if (this.#items.find(id)) return;
    const previousId = this.#items.add(spokenItem(id));
    for (const event of turnEvents.committed({ id, previousId, transcript: null }, false))
      this.#out.send(event);
  }

  concluded(utterance: Utterance): void {
    const { id, words } = utterance;
    const turn = this.#turns.get(id)!;
    const transcript = joined(words);
    this.#turns.delete(id);
    const isIgnoredTurn = turn.heldFrom !== null && isIgnored(this.settings.interruption, transcript);
    if (isIgnoredTurn) this.#out.add({ do: "count", what: "interruption", outcome: "ignored" });
    else this.#tellConcluded(turn, transcript);
    this.#continue();
  }

  #tellConcluded(turn: CallerTurn, transcript: string): void {
    const { id, outcome } = turn.utterance;
    this.#tell(turn);
    this.#items.transcribe(id, transcript);
    if (this.settings.transcription !== null)
      this.#out.send(turnEvents.concluded(turn.utterance, this.#style(id)));
    const isAnswered = !turn.isByClient && this.settings.createsResponse && outcome === "completed";
    if (isAnswered && (transcript !== "" || turn.idleSeconds !== null)) {
      this.#owed = turn.owed(this.#now());
      this.#answer();
    } else if (isAnswered && turn.hasInterrupted && this.settings.interruption.resumes && !this.#isSpokenTo())
      this.answering.resume(this.#asked()); // what interrupted was no speech
  }

  #isSpokenTo = (): boolean => [...this.#turns.values()].some(({ heldFrom }) => heldFrom === null);

  #asked = (note: string | null = null): Asked => ({
    ...{ settings: this.settings, isInConversation: true, input: null, metadata: null, note },
  });

  /** Answers what was said, unless the caller goes on, or is being answered. */
  #answer(): void {
    const owed = this.#owed;
    if (owed === null || this.#isSpokenTo() || this.answering.active !== null) return;
    this.#owed = null;
    this.answering.create(this.#asked(owed.note), owed.heard);
  }

  /** What waited may go on. */
  #continue(): void {
    this.answering.transcribed();
    this.#answer();
    if (this.#owed === null) this.answering.withdrawGuess(); // nothing is left that it may answer
  }

  dropped({ id }: Utterance): void {
    this.#turns.delete(id);
    this.#continue();
  }

  idle(utterance: Utterance, from: number, to: number): void {
    this.#turn(utterance).idleSeconds = (toMs(to) - toMs(from)) / 1000;
    this.#out.send(turnEvents.timeoutTriggered(utterance.id, toMs(from), toMs(to)));
  }

  cleared(): void {
    this.#out.send({ type: "input_audio_buffer.cleared" });
  }

  refused(refusal: Refusal, eventId: string | null): void {
    this.#out.send(turnEvents.error(this.#identity.errorFields(refusal), eventId));
  }

  /** Where the session may not go on, nothing is said any more; otherwise what is being said ends first. */
  ending(refusal: Refusal | null): void {
    this.#owed = null;
    if (refusal !== null && refusal.code !== "session_expired") this.answering.fail(refusal);
  }

  isBusy = (): boolean => this.answering.isBusy;

  isAudible = (): boolean => this.answering.isAudible() || this.answering.active !== null;

  /** A response is over: the next may begin. */
  proceed = (): void => this.#answer();

  /** Says this first, unless something was said already. */
  greet(text: string): void {
    const isFirst = this.#items.all.length + this.#turns.size === 0 && !this.answering.isBusy;
    if (isFirst) this.answering.say(text, this.#asked());
  }

  respond(asked: Omit<Asked, "note">): void {
    this.answering.create({ ...asked, note: null });
  }

  /** Throws where the id is taken, the item before it does not exist, or there is no memory. */
  create(item: Item, place: Place): void {
    if (this.#items.find(item.id) || this.#turns.has(item.id))
      throw new Refusal("validation_error", `There is an item with the id '${item.id}' already.`, {
        param: "item.id",
      });
    if (typeof place.after === "string")
      this.#items.require(place.after, "item_create_invalid_previous_item_id");
    const previous = this.#items.create(item, place);
    this.#out.send(events.itemAdded(item, previous));
    this.#out.send(events.itemDone(item, previous));
  }

  newItemId = (): string => this.#out.itemId();

  /** Throws where there is none. `param`: the field that names it. */
  find(itemId: string, param?: string): Item {
    return this.#items.require(itemId, "item_retrieve_invalid_item_id", param);
  }

  retrieve(itemId: string): void {
    this.#out.send(events.itemRetrieved(this.find(itemId)));
  }

  delete(itemId: string): void {
    this.#items.delete(this.#items.require(itemId, "item_delete_invalid_item_id").id);
    this.#out.send({ type: "conversation.item.deleted", item_id: itemId });
  }

  truncate(itemId: string, audioEndMs: number): void {
    this.#items.require(itemId, "item_truncate_invalid_item_id");
    const cutMs = this.answering.truncate(itemId, audioEndMs);
    if (cutMs === null)
      throw new Refusal("item_not_audio", "Only model output audio messages can be truncated");
    this.#out.send(events.itemTruncated(itemId, cutMs));
  }
}
