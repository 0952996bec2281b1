/**
 * The responses of a conversation: what the language model writes becomes speech, or text, and events. Pure, but for a clock.
 *
 *   create ─> (transcripts) ─> ask ─> text ──chunker──> segments ──speech──> sound ─> calls ─> done
 *                                │ cancelled, interrupted, failed: the message ends as incomplete ─> done
 *
 * One response at a time writes to the conversation; a few others may run beside it, whose items are in no conversation.
 */
import type { ChatCall, ChatEvent, ChatMessage, ChatRequest, ChatUsage } from "../../engine/protocol/chat.ts";
import { Refusal } from "../../errors.ts";
import { primaryLanguage } from "../../language-tag.ts";
import type { SpeechEvent } from "../dialogue-effects.ts";
import type { ErrorFields } from "../events.ts";
import type { Outbox } from "../outbox.ts";
import { Chunker } from "./chunker.ts";
import { Context, type Reading } from "./context.ts";
import type { StatusDetails } from "./dialogue-events.ts";
import type { AnswerSettings, Truncation } from "./dialogue-settings.ts";
import type { Item, Items } from "./items.ts";
import { type OpenMessage, Response } from "./live-response.ts";
import { SpokenItems } from "./spoken-items.ts";

/** `input` null: the conversation. `note`: a last message in the name of the user. */
export type Asked = {
  settings: AnswerSettings;
  isInConversation: boolean;
  input: readonly Item[] | null;
  metadata: Record<string, string> | null;
  note: string | null;
};

type Run = Asked & {
  response: Response;
  chunker: Chunker;
  /** What the model was asked; null: not yet, because what was said is still being transcribed. */
  request: ChatRequest | null;
  calls: ChatCall[];
  /** The model has written all of it. */
  ended: { reason: "complete" | "limit" | "filter"; usage: ChatUsage | null } | null;
  characters: number;
  isSpeaking: boolean;
  isHalved: boolean;
};

type Deps = {
  out: Outbox;
  items: Items;
  conversationId: string;
  now: () => number;
  errorFields: (refusal: Refusal) => ErrorFields;
  /** Whether something that was said is not transcribed yet. */
  isTranscribing: () => boolean;
  language: () => string;
  truncation: () => Truncation;
};

const OTHERS_MAX = 4;
const CHARACTERS_MAX = 8000;

export class Answering {
  readonly context = new Context();
  readonly #deps: Deps;
  readonly #runs = new Map<string, Run>();
  readonly #spoken: SpokenItems;
  #created = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#spoken = new SpokenItems(deps.items);
  }

  /** The response that writes to the conversation. */
  get active(): string | null {
    return this.#active()?.response.id ?? null;
  }

  #active(): Run | null {
    return [...this.#runs.values()].find(({ isInConversation }) => isInConversation) ?? null;
  }

  get isBusy(): boolean {
    return this.#runs.size > 0;
  }

  /** Whether the caller hears an answer, or is about to. */
  isAudible(): boolean {
    return this.#active()?.isSpeaking === true || this.#spoken.aheadMs(this.#deps.now()) > 0;
  }

  create(asked: Asked): void {
    const active = this.active;
    if (asked.isInConversation && active !== null) throw alreadyActive(active);
    if (!asked.isInConversation && this.#runs.size - (active === null ? 0 : 1) >= OTHERS_MAX) throw tooMany();
    const { out, items, conversationId } = this.#deps;
    const { settings, isInConversation, metadata } = asked;
    const fields = {
      id: `resp_${out.name}_${++this.#created}`,
      conversationId: isInConversation ? conversationId : null,
      ...{ modality: settings.modality, maxTokens: settings.maxTokens, output: settings.output, metadata },
    };
    const response = new Response(fields, { out, items: isInConversation ? items : null });
    const chunker = new Chunker(primaryLanguage(this.#deps.language()));
    const run: Run = {
      ...asked,
      ...{ response, chunker, request: null, calls: [], ended: null },
      ...{ characters: 0, isSpeaking: false, isHalved: false },
    };
    this.#runs.set(response.id, run);
    this.transcribed();
  }

  /** Asks for the responses that waited for what was said. */
  transcribed(): void {
    if (this.#deps.isTranscribing()) return;
    for (const run of [...this.#runs.values()].filter(({ request }) => request === null)) {
      const messages = this.context.messages(this.#reading(run), this.#deps.truncation());
      if (messages === null) this.#fail(run, tooLong());
      else this.#ask(run, messages);
    }
  }

  #reading({ settings, input, note }: Run): Reading {
    const { instructions, tools, modality } = settings;
    return {
      items: input ?? this.#deps.items.all,
      instructions,
      tools,
      isSpoken: modality === "audio",
      note,
    };
  }

  #ask(run: Run, messages: ChatMessage[]): void {
    const { tools, toolChoice, parallelCalls, maxTokens, temperature, reasoning } = run.settings;
    run.request = {
      ...{ messages, tools, toolChoice, parallelCalls, temperature, reasoning },
      maxTokens: maxTokens === "inf" ? null : maxTokens,
    };
    this.#deps.out.add({ do: "ask", responseId: run.response.id, request: run.request });
  }

  /** A part of the model's answer. */
  answered(responseId: string, event: ChatEvent): void {
    const run = this.#runs.get(responseId);
    if (!run || run.ended) return;
    if (event.is === "text") this.#write(run, event.text);
    else if (event.is === "call") run.calls.push({ ...event });
    else this.#end(run, event);
  }

  #write(run: Run, text: string): void {
    if (run.settings.modality === "text") run.response.addText(text);
    else {
      this.#speak(run, run.chunker.push(text, this.#deps.now()));
      this.#expectWake(run);
    }
  }

  #expectWake({ response, chunker, ended }: Run): void {
    const { dueMs } = chunker;
    if (dueMs !== null && ended === null)
      this.#deps.out.add({ do: "wake", responseId: response.id, atMs: dueMs });
  }

  /** A segment may be due by time. */
  wake(responseId: string): void {
    const run = this.#runs.get(responseId);
    if (!run || run.ended) return;
    this.#speak(run, run.chunker.wake(this.#deps.now()));
  }

  #speak(run: Run, segments: string[]): void {
    for (const text of segments) {
      if (run.ended || (run.characters === 0 && text.trim() === "")) continue;
      const left = CHARACTERS_MAX - run.characters;
      run.characters += text.length;
      run.isSpeaking = true;
      const { output } = run.settings;
      this.#deps.out.add({ do: "speak", responseId: run.response.id, text: text.slice(0, left), output });
      if (text.length < left) continue;
      this.#deps.out.add({ do: "stop", responseId: run.response.id, what: "model" });
      this.#finishWriting(run, { reason: "limit", usage: null });
    }
  }

  #end(run: Run, { reason, usage }: Extract<ChatEvent, { is: "end" }>): void {
    if (usage) this.context.correct(run.request!.messages, run.settings.tools, usage.input);
    if (run.settings.modality === "audio") this.#speak(run, run.chunker.finish());
    if (run.ended === null) this.#finishWriting(run, { reason, usage });
  }

  #finishWriting(run: Run, ended: NonNullable<Run["ended"]>): void {
    run.ended = ended;
    const isUrgent = run.calls.length > 0;
    if (run.isSpeaking) this.#deps.out.add({ do: "endSpeech", responseId: run.response.id, isUrgent });
    else this.#complete(run);
  }

  failed(responseId: string, refusal: Refusal): void {
    const run = this.#runs.get(responseId);
    if (!run) return;
    const isTooLong = refusal.code === "context_length_exceeded" && this.#deps.truncation() !== "disabled";
    if (isTooLong && !run.isHalved && run.characters === 0) {
      run.isHalved = true;
      this.#ask(run, this.context.halve(this.#reading(run)));
    } else this.#fail(run, refusal);
  }

  #fail(run: Run, refusal: Refusal): void {
    const { type, code, message } = this.#deps.errorFields(refusal);
    this.#break(run, "failed", { type: "failed", error: { type, code: code ?? type, message } });
  }

  /** What was made of the texts that were to be spoken. */
  spoke(responseId: string, event: SpeechEvent): void {
    const run = this.#runs.get(responseId);
    if (!run) return;
    const { response } = run;
    if (event.is === "began") {
      response.beginSegment(event);
      if (run.isInConversation) this.#spoken.keep(response.message!);
    } else if (event.is === "sound") response.addAudio(event.bytes, event.ms, this.#deps.now());
    else if (event.is === "ended") response.endSegment(event);
    else this.#complete(run);
  }

  #complete(run: Run): void {
    const { response, calls, ended } = run;
    run.isSpeaking = false;
    const { reason, usage } = ended!;
    const isCut = reason !== "complete";
    this.#close(response, isCut ? "incomplete" : "completed");
    for (const call of calls) response.addCall(call);
    const details: StatusDetails = isCut
      ? { type: "incomplete", reason: reason === "limit" ? "max_output_tokens" : "content_filter" }
      : null;
    this.#over(run);
    response.end(isCut ? "incomplete" : "completed", details, usage);
  }

  /** Ends a response that is under way. */
  #break(run: Run, status: "cancelled" | "failed", details: StatusDetails): void {
    run.isSpeaking = false;
    const message = this.#close(run.response, "incomplete");
    this.#over(run);
    run.response.end(status, details, run.ended?.usage ?? null);
    if (message && status === "cancelled") this.#spoken.interrupt(message.item.id, this.#deps.now());
  }

  #close(response: Response, status: "completed" | "incomplete"): OpenMessage | null {
    const message = response.closeMessage(status);
    if (message) this.#spoken.closed(message.item.id);
    return message;
  }

  #over({ response }: Run): void {
    this.#runs.delete(response.id);
    this.#deps.out.add({ do: "stop", responseId: response.id, what: "all" });
  }

  /** `responseId` null: the one that writes to the conversation. */
  cancel(responseId: string | null): void {
    const run = responseId === null ? this.#active() : this.#runs.get(responseId);
    if (!run) throw notActive();
    this.#break(run, "cancelled", { type: "cancelled", reason: "client_cancelled" });
  }

  /** The caller speaks: what is being said to them ends. */
  interrupt(): void {
    const active = this.#active();
    if (active) this.#break(active, "cancelled", { type: "cancelled", reason: "turn_detected" });
    else this.#spoken.interrupt(null, this.#deps.now());
  }

  /** All of them end, for this reason. */
  fail(refusal: Refusal): void {
    for (const run of [...this.#runs.values()]) this.#fail(run, refusal);
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

const tooLong = () =>
  new Refusal("context_length_exceeded", "The conversation is longer than the language model can read.");
