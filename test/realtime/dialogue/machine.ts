/** A conversation without a socket, a model or a voice: a test plays all three, and holds the clock. */
import { conversationError } from "../../../src/api/v1/conversation/conversation-errors.ts";
import { toRefusal } from "../../../src/errors.ts";
import { Dialogue } from "../../../src/realtime/dialogue/dialogue.ts";
import {
  changedDialogue,
  type DialogueChange,
  dialogueDefaults,
} from "../../../src/realtime/dialogue/dialogue-settings.ts";
import type { Interruption } from "../../../src/realtime/dialogue/interruption.ts";
import type { SpeechEvent } from "../../../src/realtime/dialogue-effects.ts";
import type { ServerEvent } from "../../../src/realtime/events.ts";
import { type Effect, Outbox } from "../../../src/realtime/outbox.ts";
import { Session } from "../../../src/realtime/session.ts";
import { WINDOW } from "../conversation.ts";

export const INTERRUPTION: Interruption = { afterMs: 240, ignoresBackchannels: false, resumes: true };

/** A text that is to be spoken: how much of it was sent. */
type Speaking = { texts: string[]; isEnded: boolean; isOpen: boolean; index: number };

const SOUND_MS = 100;

export class Machine {
  readonly dialogue: Dialogue;
  readonly session: Session;
  readonly effects: Effect[] = [];
  /** The responses that the model is being asked for. */
  readonly #asked: string[] = [];
  readonly #speaking = new Map<string, Speaking>();
  /** Guesses: nothing of them may be spoken. */
  readonly #held = new Set<string>();
  #nowMs = 0;

  constructor(change: DialogueChange = {}, interruption: Partial<Interruption> = {}) {
    const out = new Outbox("sess_x");
    const defaults = { voice: "marin", instructions: "Be kind.", interruption: INTERRUPTION };
    const settings = changedDialogue(dialogueDefaults(defaults), { ...change, interruption });
    const identity = { id: "sess_x", expiresAt: 3600, model: "assistant", guesses: true };
    this.dialogue = new Dialogue({ ...identity, errorFields: conversationError }, out, {
      ...{ settings, language: "en", now: () => this.#nowMs, memory: { take() {}, giveBack() {} } },
    });
    this.session = new Session(settings.listening, { front: this.dialogue, out, countsSilence: false });
    this.keep(this.session.start());
  }

  keep(more: Effect[]): void {
    this.effects.push(...more);
    for (const effect of more) {
      if (effect.do === "ask") this.#asked.push(effect.responseId);
      if (effect.do === "ask" && effect.isGuess) this.#held.add(effect.responseId);
      if (effect.do === "release") this.#held.delete(effect.responseId);
      if (effect.do === "speak") this.#speakingOf(effect.responseId).texts.push(effect.text);
      if (effect.do === "endSpeech") this.#speakingOf(effect.responseId).isEnded = true;
      if (effect.do !== "stop") continue;
      const at = this.#asked.indexOf(effect.responseId);
      if (at >= 0) this.#asked.splice(at, 1);
      if (effect.what === "model") continue;
      this.#speaking.delete(effect.responseId);
      this.#held.delete(effect.responseId);
    }
  }

  #speakingOf(id: string): Speaking {
    const known = this.#speaking.get(id);
    if (known) return known;
    const state: Speaking = { texts: [], isEnded: false, isOpen: false, index: 0 };
    this.#speaking.set(id, state);
    return state;
  }

  /** As an event of the client: what is refused changes nothing. */
  act(step: () => void): void {
    try {
      step();
      this.keep(this.session.advance());
    } catch (error) {
      this.keep(this.session.refuse(toRefusal(error), null, true));
    }
  }

  #proceed(): void {
    this.dialogue.proceed();
    this.keep(this.session.advance());
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** Each letter a window of 32 ms: "." is silence, "#" is speech. */
  hear(picture: string): void {
    this.session.append(picture.length * WINDOW * 3);
    const probabilities = Float32Array.from(picture, (letter) => (letter === "#" ? 0.9 : 0.05));
    const samples = new Float32Array(picture.length * WINDOW);
    this.keep(this.session.addVadResult({ samples, probabilities, windowSamples: WINDOW, lateSamples: 0 }));
  }

  /** The model writes, and may end, for the response that it was asked for first. */
  write(text: string, end: "complete" | "limit" | null = null): void {
    const [id] = this.#asked;
    if (id === undefined) return;
    const { answering } = this.dialogue;
    if (text !== "") answering.answered(id, { is: "text", text });
    if (end) {
      answering.answered(id, { is: "end", reason: end, usage: null });
      this.#asked.splice(0, 1);
    }
    this.#proceed();
  }

  call(name: string): void {
    const [id] = this.#asked;
    const call = { callId: `call_${name}`, name, arguments: "{}" };
    if (id !== undefined) this.dialogue.answering.answered(id, { is: "call", ...call });
  }

  /** The model of the first response, or its speech, fails. */
  fail(): void {
    const id = this.#asked[0] ?? [...this.#speaking.keys()][0];
    if (id === undefined) return;
    this.dialogue.answering.failed(id, toRefusal(new Error("broken")));
    this.#proceed();
  }

  /** The longest time of a response is over. */
  expire(): void {
    const expiry = this.effects.findLast((effect) => effect.do === "expire");
    if (expiry?.do !== "expire") return;
    this.dialogue.answering.expire(expiry.responseId);
    this.#proceed();
  }

  /** 100 ms of the next text of a response are sent, or it begins or ends. */
  speak(): void {
    const entry = [...this.#speaking].find(([id]) => !this.#held.has(id));
    if (!entry) return;
    const [id, state] = entry;
    const event = this.#spoken(state);
    if (event?.is === "over") this.#speaking.delete(id);
    if (event) this.dialogue.answering.spoke(id, event);
    this.#proceed();
  }

  #spoken(state: Speaking): SpeechEvent | null {
    const [text] = state.texts;
    if (text === undefined) return state.isEnded ? { is: "over" } : null;
    if (!state.isOpen) {
      state.isOpen = true;
      state.index = 0;
      return { is: "began", text, expectedMs: text.length * 60, words: null };
    }
    if (state.index++ < Math.ceil(text.length / 4))
      return { is: "sound", bytes: new Uint8Array(4), ms: SOUND_MS };
    state.texts.shift();
    state.isOpen = false;
    return { is: "ended", words: null };
  }

  /** The recognizer has heard this of the open turn at its pause, and none of it is final. */
  guess(text: string): void {
    const opened = this.effects.findLast((effect) => effect.do === "open");
    if (opened?.do === "open") this.keep(this.session.guess(opened.itemId, wordsOf(text)));
  }

  /** The transcript of everything that was committed is known. */
  transcribe(text: string): void {
    const words = wordsOf(text);
    const committed = this.effects.flatMap((effect) => (effect.do === "finish" ? [effect.itemId] : []));
    for (const id of new Set(committed)) {
      if (text !== "") this.keep(this.session.words(id, words));
      this.keep(this.session.conclude(id, "completed"));
    }
    this.#proceed();
  }

  events = (): ServerEvent[] =>
    this.effects.flatMap((effect) => (effect.do === "send" ? [effect.event] : []));
}

const wordsOf = (text: string) =>
  text === "" ? [] : text.split(" ").map((each) => ({ text: each, start: 0, end: 1, confidence: 1 }));
