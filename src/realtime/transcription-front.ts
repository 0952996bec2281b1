/** The events of a session that transcribes, and the last hundred of its items, for retrieval. */

import type { Word } from "../engine/protocol/recognition.ts";
import { Refusal } from "../errors.ts";
import { joined } from "../transcription/transcript.ts";
import { TransientMap } from "../transient.ts";
import type { ErrorFields } from "./events.ts";
import * as events from "./events.ts";
import { type Front, toMs, type Utterance } from "./front.ts";
import type { Outbox } from "./outbox.ts";
import { asksLogprobs, type Settings, type Shape, sessionObject } from "./settings.ts";

const KEPT = 100;

/** `language`: the one that is spoken. */
type Opening = { settings: Settings; language: string };

export class TranscriptionFront implements Front {
  readonly #identity: Identity;
  readonly #out: Outbox;
  readonly #kept = new TransientMap<string, events.Item>();
  #lastId: string | null = null;
  #style: events.TranscriptStyle;
  #interim: Front["interim"] = null;
  /** What was told last that may change. */
  #told: { id: string; text: string } | null = null;

  constructor(identity: Identity, out: Outbox, { settings, language }: Opening) {
    this.#identity = identity;
    this.#out = out;
    this.#style = this.#styleOf(settings, language);
    this.#tellInterim(settings);
  }

  #styleOf = (settings: Settings, language: string): events.TranscriptStyle => ({
    tellsLogprobs: asksLogprobs(settings),
    language,
    contentIndex: 0,
    errorFields: this.#identity.errorFields,
  });

  created(settings: Settings): void {
    const { beta, intent } = this.#identity.shape;
    this.#sendSession(settings, beta && intent ? "transcription_session.created" : "session.created");
  }

  updated(settings: Settings, language: string, reply: string): void {
    this.#style = this.#styleOf(settings, language);
    this.#tellInterim(settings);
    this.#sendSession(settings, reply);
  }

  #sendSession(settings: Settings, type: string): void {
    this.#out.send({ type, session: sessionObject(settings, this.#identity, this.#identity.shape) });
  }

  speechStarted({ id }: Utterance, at: number): void {
    this.#out.send(events.speechStarted(id, toMs(at)));
  }

  speaking(): void {}

  speechStopped({ id }: Utterance, at: number): void {
    this.#out.send(events.speechStopped(id, toMs(at)));
  }

  committed({ id }: Utterance): void {
    const item: events.Item = { id, previousId: this.#lastId, transcript: null };
    this.#lastId = id;
    this.#kept.set(id, item);
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    for (const event of events.committed(item, this.#identity.shape.beta)) this.#out.send(event);
  }

  words(utterance: Utterance, added: Word[]): void {
    this.#out.send(events.delta(utterance, added, this.#style));
  }

  paused(): void {}

  get interim(): Front["interim"] {
    return this.#interim;
  }

  /** From the next utterance on. */
  #tellInterim({ interim }: Settings): void {
    this.#interim = interim ? (utterance, words) => this.#sendInterim(utterance, words) : null;
  }

  #sendInterim({ id, held }: Utterance, words: Word[]): void {
    if (held !== null) return; // the client does not know it yet
    const event = events.interim(id, words);
    const before = this.#told?.id === id ? this.#told.text : "";
    if (event.text === before) return;
    this.#told = { id, text: event.text as string };
    this.#out.send(event);
  }

  concluded(utterance: Utterance): void {
    const item = this.#kept.get(utterance.id);
    if (item) item.transcript = joined(utterance.words);
    this.#out.send(events.concluded(utterance, this.#style));
  }

  dropped(): void {}

  idle({ id }: Utterance, from: number, to: number): void {
    this.#out.send(events.timeoutTriggered(id, toMs(from), toMs(to)));
  }

  cleared(): void {
    this.#out.send({ type: "input_audio_buffer.cleared" });
  }

  refused(refusal: Refusal, eventId: string | null): void {
    this.#out.send(events.error(this.#identity.errorFields(refusal), eventId));
  }

  ending(): void {}

  isBusy = (): boolean => false;

  isAudible = (): boolean => false;

  retrieve(itemId: string): void {
    const item = events.itemObject(this.#find(itemId));
    this.#out.send({ type: "conversation.item.retrieved", item });
  }

  delete(itemId: string): void {
    this.#kept.delete(this.#find(itemId).id);
    this.#out.send({ type: "conversation.item.deleted", item_id: itemId });
  }

  #find(id: string): events.Item {
    const item = this.#kept.get(id);
    if (item) return item;
    const message = `There is no item ${id.slice(0, 100)}; the last ${KEPT} are kept.`;
    throw new Refusal("item_not_found", message, { param: "item_id" });
  }
}

/**
 * What is fixed when a session opens.
 *
 * `expiresAt` in Unix seconds.
 */
export type Identity = {
  id: string;
  expiresAt: number;
  shape: Shape;
  /** How the API writes an error. */
  errorFields: (refusal: Refusal) => ErrorFields;
};
