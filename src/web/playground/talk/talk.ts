/**
 * A conversation as the page sees it: what is open, what is said, and what to tell the person.
 *
 *   idle ── start, or something is written ──> opening ──> open ── end, or the connection is lost ──> idle
 */
import type { Client } from "../../api/public-api.ts";
import { ServerError } from "../../api/server.ts";
import { liveTexts } from "../../language/en/live.ts";
import { talkTexts } from "../../language/en/talk.ts";
import { type Message, messageOf } from "../../ui/status-line.tsx";
import { activeAnswer, type Dialogue, EMPTY } from "./dialogue.ts";
import { isAudible } from "./sounds.ts";
import type { TalkEvent } from "./talk-event.ts";
import { openTalkSession, type TalkListeners, type TalkSession } from "./talk-session.ts";
import type { TalkSettings } from "./talk-settings.ts";

export type TalkState = {
  phase: "idle" | "opening" | "open";
  microphone: "closed" | "opening" | "open" | "muted";
  /** Where turns are not detected: the person holds the button. */
  isHolding: boolean;
  level: number;
  message: Message;
  dialogue: Dialogue;
  /** By the page's clock; null: never. */
  startedAt: number | null;
  /** A conversation that the server does not have. */
  unknownName: string | null;
};

const IDLE: TalkState = {
  ...{ phase: "idle", microphone: "closed", isHolding: false, level: 0, message: { text: "" } },
  ...{ dialogue: EMPTY, startedAt: null, unknownName: null },
};

const waiting = () => talkTexts()("waiting");
const answering = () => talkTexts()("answering");
const MESSAGES: Record<string, () => string> = {
  "input_audio_buffer.speech_started": () => liveTexts()("youSpeak"),
  "input_audio_buffer.speech_stopped": waiting,
  "response.created": waiting,
  "response.content_part.added": answering,
};

/** How the server refuses a name that is not that of a conversation. */
const UNKNOWN_NAME = ["invalid_model", "realtime_not_supported"];

/** Its methods can be passed as event handlers. */
export class Talk {
  readonly #listeners = new Set<() => void>();
  #state = IDLE;
  #session: TalkSession | null = null;
  #settings: TalkSettings;
  /** Of sessions: what an earlier one tells no longer counts. */
  #count = 0;

  constructor(settings: TalkSettings) {
    this.#settings = settings;
  }

  readonly state = (): TalkState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #change(changes: Partial<TalkState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }

  /** Opens the conversation, if it is not open, and the microphone. */
  async start(client: Client): Promise<void> {
    const session = this.#session ?? (await this.#open(client));
    if (session === null) return;
    this.#change({ microphone: "opening", message: { text: liveTexts()("opening") } });
    try {
      await session.openMicrophone();
      this.#change({ microphone: "open" });
      this.#invite();
    } catch (error) {
      const text = talkTexts()("withoutMicrophone", { problem: messageOf(error).text });
      this.#change({ microphone: "closed", message: { text, isError: true } });
    }
  }

  /** A turn that is written; opens the conversation, if it is not open. */
  async say(client: Client, text: string): Promise<void> {
    const session = this.#session ?? (await this.#open(client));
    if (session === null) return;
    this.#change({ message: { text: waiting() } });
    session.conversation.say(text);
  }

  /** Null where the server refuses it. */
  async #open(client: Client): Promise<TalkSession | null> {
    const settings = this.#settings;
    const count = ++this.#count;
    this.#change({ ...IDLE, phase: "opening", message: { text: talkTexts()("connecting") } });
    try {
      const session = await openTalkSession({ client, settings }, this.#follow(count));
      if (count !== this.#count) {
        session.close();
        return null;
      }
      this.#session = session;
      this.#change({ phase: "open", startedAt: performance.now() });
      this.#invite();
      if (this.#settings !== settings) session.configure(this.#settings);
      return session;
    } catch (error) {
      const isUnknown = error instanceof ServerError && UNKNOWN_NAME.includes(error.code);
      this.#change({
        phase: "idle",
        message: isUnknown ? { text: "" } : messageOf(error), // the page says more of it
        unknownName: isUnknown ? settings.conversation : null,
      });
      return null;
    }
  }

  #follow(count: number): TalkListeners {
    const isCurrent = () => count === this.#count;
    return {
      onDialogue: (dialogue) => isCurrent() && this.#show(dialogue),
      onLevel: (level) => isCurrent() && this.#change({ level }),
      onEvent: (event, isProblem) => isCurrent() && this.#note(event, isProblem),
      onClose: (problem) => isCurrent() && this.#closed(problem),
    };
  }

  #show(dialogue: Dialogue): void {
    const wasAnswering = isAnswering(this.#state);
    this.#change({ dialogue });
    const { message } = this.#state;
    const isOver = wasAnswering && !isAnswering(this.#state);
    if (isOver && [waiting(), answering()].includes(message.text)) this.#invite();
  }

  #note({ type, transcript, error }: TalkEvent, isProblem: boolean): void {
    if (isProblem) this.#change({ message: { text: `${error?.message} (${error?.code})`, isError: true } });
    if (type.endsWith("transcription.completed") && transcript === "") this.#invite(); // there is nothing to answer
    const text = MESSAGES[type]?.();
    const isNext = type.endsWith("speech_started"); // until then an error stays
    if (text && (isNext || !this.#state.message.isError)) this.#change({ message: { text } });
  }

  #closed(problem: string | null): void {
    this.#count++;
    this.#session = null;
    const { message } = this.#state; // an error says more than the reason of the close
    const text = problem ?? talkTexts()("over");
    this.#change({
      ...{ phase: "idle", microphone: "closed", isHolding: false, level: 0 },
      message: message.isError ? message : { text, isError: problem !== null },
    });
  }

  /** Says what the person can do now. */
  #invite(): void {
    const { microphone } = this.#state;
    const t = talkTexts();
    const open = this.#settings.turnEnd === "none" ? t("holdHint") : liveTexts()("listening");
    const text = microphone === "open" ? open : t(microphone === "muted" ? "muted" : "connected");
    this.#change({ message: { text } });
  }

  configure(settings: TalkSettings): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#session?.configure(settings);
    if (this.#session && !isAnswering(this.#state)) this.#invite();
  }

  readonly toggleMute = (): void => {
    const isMuted = this.#state.microphone !== "muted";
    this.#session?.mute(isMuted);
    this.#change({ microphone: isMuted ? "muted" : "open" });
    if (!isAnswering(this.#state)) this.#invite();
  };

  readonly hold = (): void => {
    this.#session?.conversation.beginTurn();
    this.#change({ isHolding: true, message: { text: liveTexts()("youSpeak") } });
  };

  readonly release = (): void => {
    this.#session?.conversation.endTurn();
    this.#change({ isHolding: false, message: { text: waiting() } });
  };

  readonly interrupt = (): void => this.#session?.conversation.interrupt();

  readonly end = (): void => {
    if (this.#state.phase === "idle") return;
    this.#session?.close();
    this.#closed(null);
  };
}

/** Whether there is an answer to interrupt. */
export const isAnswering = ({ dialogue }: TalkState): boolean =>
  activeAnswer(dialogue) !== undefined || isAudible(dialogue.sounds);
