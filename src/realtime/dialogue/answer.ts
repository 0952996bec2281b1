/**
 * One answer on its way: what the language model writes becomes speech, or text, and the response that a client sees. Pure,
 * but for a clock.
 *
 *   ask ─> text ──chunker──> segments ──speech──> sound ─> calls ─> done
 *            │ cancelled, interrupted, failed: the message ends as incomplete ─> done
 *
 * An answer that is asked for before it is certain that its caller has finished is a guess: nothing of it is told until it
 * begins.
 */
import { isDeepStrictEqual } from "node:util";
import type { ChatCall, ChatEvent, ChatRequest, ChatUsage } from "../../engine/protocol/chat.ts";
import { Refusal } from "../../errors.ts";
import { primaryLanguage } from "../../language-tag.ts";
import { Chunker } from "../../speech/text/chunker.ts";
import type { Outcome, SpeechEvent } from "../dialogue-effects.ts";
import type { ErrorFields } from "../events.ts";
import type { Outbox } from "../outbox.ts";
import { type Heard, Stages } from "../stages.ts";
import { type Asked, halvedRequestOf, requestOf } from "./asked.ts";
import type { Context } from "./context.ts";
import type { StatusDetails } from "./dialogue-events.ts";
import type { Truncation } from "./dialogue-settings.ts";
import type { Items } from "./items.ts";
import { type OpenMessage, Response } from "./live-response.ts";
import { outcomeOf, type Writing, writtenCharacters } from "./outcome.ts";
import type { SpokenItems } from "./spoken-items.ts";

/** What the answers of a conversation share. */
export type AnswerDeps = {
  out: Outbox;
  items: Items;
  context: Context;
  spoken: SpokenItems;
  conversationId: string;
  now: () => number;
  errorFields: (refusal: Refusal) => ErrorFields;
  language: () => string;
  truncation: () => Truncation;
  /** The answer is over. */
  over: (answer: Answer) => void;
};

type Ended = { reason: "complete" | "limit" | "filter"; usage: ChatUsage | null };

const CHARACTERS_MAX = 8000;
const LONGEST_MS = 600_000;

export class Answer {
  readonly id: string;
  readonly asked: Asked;
  readonly #deps: AnswerDeps;
  readonly #chunker: Chunker;
  readonly #stages: Stages;
  /** Null: nothing of it is told yet. */
  #response: Response | null = null;
  #request: ChatRequest | null = null;
  readonly #calls: ChatCall[] = [];
  /** Of an answer that is not spoken: what was not told. */
  #untold = "";
  /** Of one that is: what went to its voice. */
  #said = "";
  /** Characters that the model wrote, spoken or not. */
  #written = 0;
  /** All of it was written. */
  #ended: Ended | null = null;
  #isSpeaking = false;
  #isHalved = false;

  constructor(id: string, asked: Asked, deps: AnswerDeps) {
    this.id = id;
    this.asked = asked;
    this.#deps = deps;
    this.#chunker = new Chunker(primaryLanguage(deps.language()));
    this.#stages = new Stages(deps.now);
  }

  get hasBegun(): boolean {
    return this.#response !== null;
  }

  /** What was said before it is still being transcribed: the model was not asked. */
  get isWaiting(): boolean {
    return this.#request === null && this.#ended === null;
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  get isSpoken(): boolean {
    return this.asked.settings.modality === "audio";
  }

  /** What its voice was given. */
  get said(): string {
    return this.#said;
  }

  /** The client is told of it from now on. `heard` null: the client asked for it. */
  begin(heard: Heard | null): void {
    this.#stages.begin(heard);
    const { out, items, conversationId } = this.#deps;
    out.add({ do: "expire", responseId: this.id, atMs: this.#deps.now() + LONGEST_MS });
    const { settings, isInConversation, metadata } = this.asked;
    const fields = {
      id: this.id,
      conversationId: isInConversation ? conversationId : null,
      ...{ modality: settings.modality, maxTokens: settings.maxTokens, output: settings.output, metadata },
    };
    const deps = { out, items: isInConversation ? items : null, stages: this.#stages };
    this.#response = new Response(fields, deps);
    if (this.#untold !== "") this.#response.addText(this.#untold);
    if (this.#ended && !this.#isSpeaking) this.#complete(this.#response, this.#ended);
  }

  /** What was said before is transcribed, and the language model is asked. */
  transcribed(): void {
    this.#stages.reached("transcript");
    this.ask();
  }

  /** Asks the language model. Where it cannot read that much, a guess is given up. */
  ask(): void {
    const request = requestOf(this.asked, this.#deps);
    if (request !== null) this.#ask(request);
    else if (this.hasBegun) this.fail(tooLong());
    else this.withdraw();
  }

  /** Whether the model was asked the same. */
  isOf(request: ChatRequest | null): boolean {
    return request !== null && isDeepStrictEqual(request, this.#request);
  }

  #ask(request: ChatRequest): void {
    this.#request = request;
    this.#stages.reached("asked");
    this.#deps.out.add({ do: "ask", responseId: this.id, request, isGuess: !this.hasBegun });
  }

  /** A text that no model is asked for, and all of it. */
  say(text: string): void {
    if (this.isSpoken)
      this.#speak([...this.#chunker.push(text, this.#deps.now()), ...this.#chunker.finish()]);
    else this.#write(text);
    if (this.#ended === null) this.#finishWriting({ reason: "complete", usage: null });
  }

  /** A part of what the model writes. */
  answered(event: ChatEvent): void {
    if (this.#ended) return;
    if (event.is !== "end") {
      this.#stages.reached("firstToken");
      this.#written += writtenCharacters(event);
    }
    if (event.is === "text") this.#write(event.text);
    else if (event.is === "call") this.#calls.push({ ...event });
    else this.#end(event);
  }

  #write(text: string): void {
    if (this.isSpoken) {
      this.#speak(this.#chunker.push(text, this.#deps.now(), this.#aheadMs()));
      const { dueMs } = this.#chunker;
      if (dueMs !== null) this.#wakeAt(dueMs);
    } else if (this.#response) this.#response.addText(text);
    else this.#untold += text;
  }

  /** Of what was sent. */
  #aheadMs = (): number => this.#response?.message?.clock.aheadMs(this.#deps.now()) ?? 0;

  #wakeAt(atMs: number): void {
    if (this.#ended === null) this.#deps.out.add({ do: "wake", responseId: this.id, atMs });
  }

  /** A segment may be due by time; later where more was sent since. */
  wake(): void {
    if (this.#ended !== null) return;
    const nowMs = this.#deps.now();
    this.#speak(this.#chunker.wake(nowMs, this.#aheadMs()));
    const { dueMs } = this.#chunker;
    if (dueMs !== null && dueMs > nowMs) this.#wakeAt(dueMs);
  }

  #speak(segments: string[]): void {
    for (const text of segments) {
      if (this.#ended || (this.#said === "" && text.trim() === "")) continue;
      const left = CHARACTERS_MAX - this.#said.length;
      const spoken = text.slice(0, left);
      this.#said += spoken;
      this.#isSpeaking = true;
      this.#stages.reached("firstClause");
      const { output } = this.asked.settings;
      this.#deps.out.add({ do: "speak", responseId: this.id, text: spoken, output });
      if (text.length < left) continue;
      this.#deps.out.add({ do: "stop", responseId: this.id, what: "model" });
      this.#finishWriting({ reason: "limit", usage: null });
    }
  }

  #end({ reason, usage }: Extract<ChatEvent, { is: "end" }>): void {
    const { messages, tools } = this.#request!;
    if (usage) this.#deps.context.correct(messages, tools, usage.input);
    if (this.isSpoken) this.#speak(this.#chunker.finish());
    if (this.#ended === null) this.#finishWriting({ reason, usage });
  }

  #finishWriting(ended: Ended): void {
    this.#ended = ended;
    this.#stages.reached("written");
    const isUrgent = this.#calls.length > 0;
    if (this.#isSpeaking) this.#deps.out.add({ do: "endSpeech", responseId: this.id, isUrgent });
    else if (this.#response) this.#complete(this.#response, ended);
  }

  failed(refusal: Refusal): void {
    const isTooLong = refusal.code === "context_length_exceeded" && this.#deps.truncation() !== "disabled";
    if (refusal.code.startsWith("llm_")) this.#written = 0; // what a model that failed has written costs nothing
    if (!this.hasBegun) this.withdraw();
    else if (isTooLong && !this.#isHalved && this.#said === "") {
      this.#isHalved = true;
      this.#ask(halvedRequestOf(this.asked, this.#deps));
    } else this.fail(refusal);
  }

  fail(refusal: Refusal): void {
    const { type, code, message } = this.#deps.errorFields(refusal);
    this.break("failed", { type: "failed", error: { type, code: code ?? type, message } });
  }

  /** What was made of the texts that were to be spoken. */
  spoke(event: SpeechEvent): void {
    const response = this.#response;
    if (!response) return;
    if (event.is === "began") {
      response.beginSegment(event);
      if (this.asked.isInConversation) this.#deps.spoken.keep(response.message!);
    } else if (event.is === "sound") response.addAudio(event.bytes, event.ms, this.#deps.now());
    else if (event.is === "ended") response.endSegment(event);
    else this.#complete(response, this.#ended!);
  }

  #complete(response: Response, { reason }: Ended): void {
    const isCut = reason !== "complete";
    const status = isCut ? "incomplete" : "completed";
    this.#close(response, status);
    for (const call of this.#calls) response.addCall(call);
    const details: StatusDetails = isCut
      ? { type: "incomplete", reason: reason === "limit" ? "max_output_tokens" : "content_filter" }
      : null;
    this.withdraw();
    response.end(status, details, this.#writing());
  }

  /** It has taken as long as one may. */
  expire(): void {
    this.break("incomplete", { type: "incomplete", reason: "max_output_tokens" });
  }

  /** Ends it while it is under way. Returns the message that was being spoken, whose item then has what was heard of it. */
  break(status: "cancelled" | "failed" | "incomplete", details: StatusDetails): OpenMessage | null {
    const response = this.#response!;
    const message = this.#close(response, "incomplete");
    this.withdraw();
    response.end(status, details, this.#writing());
    return message;
  }

  /** The session ends within it, and its client is gone. */
  leave(): Outcome {
    this.withdraw();
    const details = { type: "cancelled", reason: "session_ended" } as const;
    return outcomeOf(this.#stages, { status: "cancelled", details }, this.#writing());
  }

  #writing = (): Writing => ({
    ...{ request: this.#request, written: this.#written, usage: this.#ended?.usage ?? null },
  });

  #close(response: Response, status: "completed" | "incomplete"): OpenMessage | null {
    const message = response.closeMessage(status);
    if (message) this.#deps.spoken.closed(message.item.id);
    return message;
  }

  /** Nothing that comes back for it counts any more. */
  withdraw(): void {
    this.#isSpeaking = false;
    this.#deps.over(this);
    this.#deps.out.add({ do: "stop", responseId: this.id, what: "all" });
  }
}

const tooLong = () =>
  new Refusal("context_length_exceeded", "The conversation is longer than the language model can read.");
