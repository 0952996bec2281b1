/**
 * Performs the effects of a conversation, and feeds it what comes back: the answers of the language model, their speech, and
 * time.
 *
 *   ask ──> language model ──parts──> dialogue ──speak──> speech ──sound, at the pace of playback──> dialogue ──> client
 *
 * Sound is sent at most some seconds ahead of its playback, and not while the client reads too little.
 */
import type { ChatEvent, ChatRequest } from "../../engine/protocol/chat.ts";
import { type Refusal, toRefusal } from "../../errors.ts";
import { TransientMap } from "../../transient.ts";
import type {
  Counted,
  DialogueEffect,
  Outcome,
  Output,
  SpeechEvent,
  SpokenResponse,
} from "../dialogue-effects.ts";
import type { Dialogue } from "./dialogue.ts";
import { PlaybackClock } from "./heard.ts";

export type DialoguePorts = {
  /** Of the organization's limit of requests. `take` throws where none is left; `giveBack`: it was taken in vain. */
  points: { take(): Promise<void>; giveBack(taken: Promise<void>): void };
  /** Asks the model. Aborting closes the connection. */
  chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent>;
  /** Has the model loaded, where that takes long. Aborting gives it up. */
  warm(request: ChatRequest, signal: AbortSignal): Promise<void>;
  /** Opens the speech of one response, of which nothing is sent or charged until it is released. Throws a refusal of the voice. */
  speak(output: Output, speaking: { released: Promise<void>; signal: AbortSignal }): Promise<SpokenResponse>;
  /** A response is over; also where the session ends within it. */
  over(outcome: Outcome): void;
  counted(counted: Counted): void;
  /** Bytes that the client has not taken from the socket. */
  unreadBytes(): number;
  /** An internal failure, for the log. */
  failed(refusal: Refusal): void;
};

/** Of the session: `step` is performed, and what follows from it. */
export type Progress = { step(step: () => void): void; end(refusal: Refusal): void };

type Texts = { push(text: string): void; end(): void };

/**
 * `texts` null: nothing was spoken yet. `held`: it is a guess, and waits; null: it does not. `point`: of the limit of
 * requests; null: its model was not asked.
 */
type Run = {
  model: AbortController;
  speech: AbortController;
  held: PromiseWithResolvers<void> | null;
  texts: Texts | null;
  point: Promise<void> | null;
  isUrgent: boolean;
  timer: Timer | null;
  expiry: Timer | null;
};

const AHEAD_MS = 10_000;
const UNREAD_BYTES = 256 * 1024;
const POLL_MS = 20;

/** Made once: an error records the stack that it is made on. */
const OVER = new Error("the response is over");

/** Without these the session cannot go on. */
const ENDING: readonly Refusal["code"][] = [
  "insufficient_credits",
  "spending_limit_reached",
  "key_budget_reached",
  "project_budget_reached",
];

export class DialogueRunner {
  readonly #dialogue: Dialogue;
  readonly #ports: DialoguePorts;
  readonly #progress: Progress;
  readonly #runs = new TransientMap<string, Run>();
  readonly #closing = new AbortController();

  constructor(dialogue: Dialogue, ports: DialoguePorts, progress: Progress) {
    this.#dialogue = dialogue;
    this.#ports = ports;
    this.#progress = progress;
  }

  perform(effect: DialogueEffect): void {
    if (effect.do === "warm")
      this.#ports.warm(effect.request, this.#closing.signal).catch(() => {}); // the first answer tells
    else if (effect.do === "count") this.#ports.counted(effect);
    else this.#performFor(effect.responseId, effect);
  }

  #performFor(id: string, effect: Extract<DialogueEffect, { responseId: string }>): void {
    switch (effect.do) {
      case "ask":
        if (effect.isGuess) this.#runOf(id).held = Promise.withResolvers();
        void this.#ask(id, effect.request);
        break;
      case "release":
        this.#release(id, "released");
        break;
      case "speak":
        this.#textsOf(id, effect.output).push(effect.text);
        break;
      case "endSpeech": {
        const run = this.#runOf(id);
        run.isUrgent = effect.isUrgent;
        run.texts?.end();
        break;
      }
      case "wake":
        this.#wakeAt(id, effect.atMs);
        break;
      case "expire":
        this.#runOf(id).expiry = this.#timer(effect.atMs, () => this.#dialogue.answering.expire(id));
        break;
      case "stop":
        this.#stop(id, effect.what);
        break;
      case "over":
        this.#ports.over(effect.outcome);
        break;
      default:
        effect satisfies never;
    }
  }

  #runOf(id: string): Run {
    const known = this.#runs.get(id);
    if (known) return known;
    const run: Run = {
      ...{ model: new AbortController(), speech: new AbortController() },
      ...{ held: null, texts: null, point: null, isUrgent: false, timer: null, expiry: null },
    };
    this.#runs.set(id, run);
    return run;
  }

  /** Where the texts of a response go. What comes before its speech is open waits. */
  #textsOf(id: string, output: Output): Texts {
    const run = this.#runOf(id);
    if (run.texts) return run.texts;
    const released = run.held?.promise ?? Promise.resolve();
    const opening = this.#ports.speak(output, { released, signal: run.speech.signal });
    const then = (step: (speech: SpokenResponse) => void) => void opening.then(step, () => {});
    run.texts = {
      push: (text) => then((speech) => speech.push(text)),
      end: () => then((speech) => speech.end()),
    };
    void this.#send(id, run, opening);
    return run.texts;
  }

  #release(id: string, outcome: "released" | "thrown_away"): void {
    const run = this.#runs.get(id);
    if (!run?.held) return;
    this.#ports.counted({ what: "guess", outcome });
    if (outcome === "thrown_away" && run.point) this.#ports.points.giveBack(run.point);
    run.held.resolve();
    run.held = null;
  }

  async #ask(id: string, request: ChatRequest): Promise<void> {
    const run = this.#runOf(id);
    const { model } = run;
    run.point ??= this.#ports.points.take(); // one for each response, however often its model is asked
    try {
      await run.point;
      if (model.signal.aborted) return;
      for await (const event of this.#ports.chat(request, model.signal))
        this.#step(() => this.#dialogue.answering.answered(id, event));
    } catch (error) {
      if (!model.signal.aborted) this.#fail(id, error);
    }
  }

  /** Speech of a response, at the pace at which the client plays it. */
  async #send(id: string, run: Run, opening: Promise<SpokenResponse>): Promise<void> {
    const { signal } = run.speech;
    const clock = new PlaybackClock();
    try {
      const { events } = await opening;
      for await (const event of events) {
        await this.#pace(run, clock, event);
        if (signal.aborted) break;
        if (event.is === "sound") clock.add(event.ms, performance.now());
        this.#step(() => this.#dialogue.answering.spoke(id, event));
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(id, error);
    }
  }

  async #pace(run: Run, clock: PlaybackClock, event: SpeechEvent): Promise<void> {
    const { signal } = run.speech;
    if (event.is !== "sound") return;
    const isEarly = () => !run.isUrgent && clock.aheadMs(performance.now()) > AHEAD_MS;
    while (!signal.aborted && (isEarly() || this.#ports.unreadBytes() > UNREAD_BYTES))
      await Bun.sleep(POLL_MS);
  }

  #wakeAt(id: string, atMs: number): void {
    const run = this.#runOf(id);
    if (run.timer) clearTimeout(run.timer);
    run.timer = this.#timer(atMs, () => this.#dialogue.answering.wake(id));
  }

  #timer = (atMs: number, step: () => void): Timer =>
    setTimeout(() => this.#step(step), Math.max(0, atMs - performance.now()));

  #fail(id: string, error: unknown): void {
    const refusal = toRefusal(error);
    const isGuess = this.#runs.get(id)?.held != null;
    this.#ports.failed(refusal);
    this.#step(() => this.#dialogue.answering.failed(id, refusal));
    if (ENDING.includes(refusal.code) && !isGuess) this.#progress.end(refusal);
  }

  /** What waited for a response to end may begin. */
  #step(step: () => void): void {
    this.#progress.step(() => {
      step();
      this.#dialogue.proceed();
    });
  }

  #stop(id: string, what: "model" | "all"): void {
    const run = this.#runs.get(id);
    run?.model.abort(OVER);
    if (what === "model") return;
    run?.speech.abort(OVER);
    this.#release(id, "thrown_away");
    run?.texts?.end();
    if (run?.timer) clearTimeout(run.timer);
    if (run?.expiry) clearTimeout(run.expiry);
    this.#runs.delete(id);
  }

  close(): void {
    this.#closing.abort(OVER);
    for (const id of [...this.#runs.keys()]) this.#stop(id, "all");
    for (const outcome of this.#dialogue.answering.leave()) this.#ports.over(outcome);
  }
}
