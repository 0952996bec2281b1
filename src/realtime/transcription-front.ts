/** The events of a session that transcribes, and the last hundred of its items, for retrieval. */
import type { Word } from "../engine/protocol/recognition.ts";
import { Refusal } from "../errors.ts";
import { joined } from "../transcription/transcript.ts";
import { toMs } from "./audio-clock.ts";
import * as events from "./events.ts";
import type { Front, Utterance } from "./front.ts";
import type { Outbox } from "./outbox.ts";
import type { Identity } from "./session-identity.ts";
import { LOGPROBS, type Settings, sessionObject } from "./settings.ts";

const KEPT = 100;

/** `language`: the one that is spoken. */
type Opening = { settings: Settings; language: string };

export class TranscriptionFront implements Front {
  readonly #identity: Identity;
  readonly #out: Outbox;
  readonly #kept = new Map<string, events.Item>();
  #lastId: string | null = null;
  #language: string;
  #tellsLogprobs: boolean;

  constructor(identity: Identity, out: Outbox, { settings, language }: Opening) {
    this.#identity = identity;
    this.#out = out;
    this.#language = language;
    this.#tellsLogprobs = asksLogprobs(settings.include);
  }

  created(settings: Settings): void {
    const { beta, intent } = this.#identity.shape;
    this.#sendSession(settings, beta && intent ? "transcription_session.created" : "session.created");
  }

  updated(settings: Settings, language: string, reply: string): void {
    this.#language = language;
    this.#tellsLogprobs = asksLogprobs(settings.include);
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

  words({ id, words }: Utterance, added: Word[]): void {
    const isFirst = words.length === added.length || added[0]?.glued;
    const text = isFirst ? joined(added) : ` ${joined(added)}`;
    this.#out.send(events.delta(id, text, this.#tellsLogprobs ? added : null));
  }

  concluded({ id, words, seconds, outcome }: Utterance): void {
    const transcript = joined(words);
    const item = this.#kept.get(id);
    if (item) item.transcript = transcript;
    if (outcome instanceof Refusal) {
      this.#out.send(events.failed(id, this.#identity.errorFields(outcome)));
      return;
    }
    const told = this.#tellsLogprobs ? words : null;
    this.#out.send(events.completed(id, { transcript, seconds, language: this.#language, words: told }));
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

const asksLogprobs = (include: Settings["include"]): boolean => include?.includes(LOGPROBS) ?? false;
