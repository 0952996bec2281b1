/**
 * The answers of a conversation: which there are, and how they come about, end and give way.
 *
 *   caller pauses ─> guess ──the same is asked for──> it begins at once
 *                      └ the caller goes on, or something else is asked for: withdrawn, and nothing was told or charged
 *
 * One response at a time writes to the conversation; a few others may run beside it, whose items are in no conversation.
 */
import type { ChatEvent, ChatRequest } from "../../engine/protocol/chat.ts";
import { Refusal } from "../../errors.ts";
import { primaryLanguage } from "../../language-tag.ts";
import { TransientMap } from "../../transient.ts";
import type { Outcome, SpeechEvent } from "../dialogue-effects.ts";
import type { Heard } from "../stages.ts";
import { Answer, type AnswerDeps } from "./answer.ts";
import { type Asked, requestOf } from "./asked.ts";
import { Context } from "./context.ts";
import type { AnswerSettings } from "./dialogue-settings.ts";
import { unheardText } from "./heard.ts";
import { SpokenItems } from "./spoken-items.ts";

type Deps = Omit<AnswerDeps, "context" | "spoken" | "over"> & {
  /** Whether something that was said is not transcribed yet. */
  isTranscribing: () => boolean;
};

const OTHERS_MAX = 4;

export class Answering {
  readonly context = new Context();
  readonly #deps: Deps;
  readonly #shared: AnswerDeps;
  readonly #answers = new TransientMap<string, Answer>();
  readonly #spoken: SpokenItems;
  #guess: Answer | null = null;
  /** Of the answer that was interrupted last, from the sentence on that was cut; "": it had no text yet; null: nothing. */
  #unheard: string | null = null;
  #made = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#spoken = new SpokenItems(deps.items);
    this.#shared = {
      ...{ ...deps, context: this.context, spoken: this.#spoken },
      over: (answer) => {
        this.#answers.delete(answer.id);
        if (this.#guess === answer) this.#guess = null;
      },
    };
  }

  /** The response that writes to the conversation. */
  get active(): string | null {
    return this.#active()?.id ?? null;
  }

  #begun = (): Answer[] => [...this.#answers.values()].filter(({ hasBegun }) => hasBegun);

  #active = (): Answer | null => this.#begun().find(({ asked }) => asked.isInConversation) ?? null;

  get isBusy(): boolean {
    return this.#begun().length > 0;
  }

  /** Whether the caller hears an answer, or is about to. */
  isAudible(): boolean {
    return this.#active()?.isSpeaking === true || this.#spoken.aheadMs(this.#deps.now()) > 0;
  }

  /** `heard`: what it answers; null: the client asked for it. */
  create(asked: Asked, heard: Heard | null = null): void {
    this.#requireRoom(asked);
    const guess = asked.isInConversation ? this.#takeGuess(asked) : null;
    const answer = guess ?? this.#add(asked);
    this.#begin(answer, heard);
    if (guess) this.#deps.out.add({ do: "release", responseId: guess.id });
    else if (!this.#deps.isTranscribing()) answer.ask();
  }

  #requireRoom({ isInConversation }: Asked): void {
    const { active } = this;
    if (isInConversation && active !== null) throw alreadyActive(active);
    const others = this.#begun().filter(({ asked }) => !asked.isInConversation);
    if (!isInConversation && others.length >= OTHERS_MAX) throw tooMany();
  }

  #add(asked: Asked): Answer {
    const answer = new Answer(`resp_${this.#deps.out.name}_${++this.#made}`, asked, this.#shared);
    this.#answers.set(answer.id, answer);
    return answer;
  }

  #begin(answer: Answer, heard: Heard | null): void {
    if (answer.asked.isInConversation) this.#unheard = null;
    answer.begin(heard);
  }

  /** Asks the model before it is certain that this will be wanted. Another guess gives way to it. */
  guess(asked: Asked): void {
    this.withdrawGuess();
    if (this.active !== null) return;
    this.#guess = this.#add(asked);
    this.#guess.ask();
  }

  withdrawGuess(): void {
    this.#guess?.withdraw();
  }

  /** The guess, where it answers exactly what is asked for now; otherwise it is withdrawn. */
  #takeGuess(asked: Asked): Answer | null {
    const guess = this.#guess;
    if (guess === null) return null;
    const isSame =
      !this.#deps.isTranscribing() &&
      guess.asked.settings === asked.settings &&
      guess.isOf(requestOf(asked, this.#shared));
    this.#guess = null;
    if (isSame) return guess;
    guess.withdraw();
    return null;
  }

  /** Asks for the responses that waited for what was said. */
  transcribed(): void {
    if (this.#deps.isTranscribing()) return;
    for (const answer of this.#begun().filter(({ isWaiting }) => isWaiting)) answer.transcribed();
  }

  /** What the model reads before anything is said. */
  beginning(settings: AnswerSettings): ChatRequest | null {
    const asked = { settings, isInConversation: false, input: [], metadata: null, note: null };
    return requestOf(asked, this.#shared);
  }

  /** A part of the model's answer. */
  answered(responseId: string, event: ChatEvent): void {
    this.#answers.get(responseId)?.answered(event);
  }

  wake(responseId: string): void {
    this.#answers.get(responseId)?.wake();
  }

  expire(responseId: string): void {
    this.#answers.get(responseId)?.expire();
  }

  failed(responseId: string, refusal: Refusal): void {
    this.#answers.get(responseId)?.failed(refusal);
  }

  spoke(responseId: string, event: SpeechEvent): void {
    this.#answers.get(responseId)?.spoke(event);
  }

  /** `responseId` null: the one that writes to the conversation. */
  cancel(responseId: string | null): void {
    const answer = responseId === null ? this.#active() : this.#answers.get(responseId);
    if (!answer?.hasBegun) throw notActive();
    const message = answer.break("cancelled", { type: "cancelled", reason: "client_cancelled" });
    if (message) this.#spoken.interrupt(message.item.id, this.#deps.now());
  }

  /** The caller speaks: what is being said to them ends. Returns whether anything was. */
  interrupt(): boolean {
    const active = this.#active();
    const message = active?.break("cancelled", { type: "cancelled", reason: "turn_detected" });
    const cut =
      active && !message ? null : this.#spoken.interrupt(message?.item.id ?? null, this.#deps.now());
    if (active === null && cut === null) return false;
    this.#deps.out.add({ do: "count", what: "interruption", outcome: "interrupted" });
    this.#unheard = active?.isSpoken === false ? null : this.#restOf(active?.said ?? cut!.text, cut?.heard);
    return true;
  }

  #restOf(said: string, heard = ""): string | null {
    if (said === "") return "";
    return unheardText(said, heard, primaryLanguage(this.#deps.language())) || null;
  }

  /** What interrupted the last answer was no speech: the rest of it is spoken, or asked for where none was written. */
  resume(asked: Asked): void {
    const rest = this.#unheard;
    if (rest === null || this.active !== null) return;
    this.#deps.out.add({ do: "count", what: "interruption", outcome: "resumed" });
    if (rest === "") this.create(asked);
    else this.say(rest, asked);
  }

  /** An answer that no model is asked for. */
  say(text: string, asked: Asked): void {
    this.#requireRoom(asked);
    this.withdrawGuess();
    const answer = this.#add(asked);
    this.#begin(answer, null);
    answer.say(text);
  }

  /** All of them end, for this reason. */
  fail(refusal: Refusal): void {
    this.withdrawGuess();
    for (const answer of this.#begun()) answer.fail(refusal);
  }

  /** The session is over: so is what is under way. */
  leave(): Outcome[] {
    this.withdrawGuess();
    return this.#begun().map((answer) => answer.leave());
  }

  /** The client played so much of an item; returns how much of that there is. Null: it was not spoken. */
  truncate = (itemId: string, audioEndMs: number): number | null => this.#spoken.truncate(itemId, audioEndMs);
}

const notActive = () =>
  new Refusal("response_cancel_not_active", "Cancellation failed: no active response found");

const alreadyActive = (id: string) =>
  new Refusal(
    "conversation_already_has_active_response",
    `Conversation already has an active response in progress: ${id}. Wait until the response is finished before creating a new one.`,
  );

const tooMany = () =>
  new Refusal(
    "conversation_already_has_active_response",
    `There are ${OTHERS_MAX} responses outside the conversation. Wait until one of them is finished.`,
  );
