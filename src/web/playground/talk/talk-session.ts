/**
 * A conversation of this page:
 *
 *   microphone ─> conversation ─> WebSocket ─> server
 *   loudspeaker <─ conversation <──────────────┘
 *
 * The microphone is opened last, or never: what is written is answered by voice all the same.
 */
import { TTS_SAMPLE_RATE } from "../../../audio/rates.ts";
import type { Client } from "../../api/public-api.ts";
import { type Capture, levelOf, openCapture } from "../audio/capture.ts";
import type { Samples } from "../audio/sample-text.ts";
import { closedBecause } from "../realtime/close-reason.ts";
import { emit, openRealtimeSocket } from "../realtime/realtime-socket.ts";
import { type AnswerPlayer, openAnswerPlayer } from "./answer-player.ts";
import { Conversation } from "./conversation.ts";
import type { Dialogue } from "./dialogue.ts";
import type { TalkEvent } from "./talk-event.ts";
import { FUNCTIONS, sessionConfig, type TalkSettings } from "./talk-settings.ts";

export type TalkListeners = {
  /** `isProblem`: an error that the person should know. */
  onEvent: (event: TalkEvent, isProblem: boolean) => unknown;
  onDialogue: (dialogue: Dialogue) => unknown;
  /** The loudness of each chunk of the microphone, from 0 to 1. */
  onLevel: (level: number) => unknown;
  /** Closed by either end; `problem` is null after a normal end. */
  onClose: (problem: string | null) => unknown;
};

type Opening = { client: Client; settings: TalkSettings };

export async function openTalkSession(
  { client, settings }: Opening,
  listeners: TalkListeners,
): Promise<TalkSession> {
  const player = await openAnswerPlayer(({ itemId, count }) => session.conversation.played(itemId, count));
  const session = new TalkSession(settings, player, listeners);
  try {
    await session.connect(client);
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}

export class TalkSession {
  readonly conversation: Conversation;
  readonly #player: AnswerPlayer;
  readonly #on: TalkListeners;
  /** Events that wait for the socket. */
  readonly #waiting: object[] = [];
  #settings: TalkSettings;
  #capture: Capture | null = null;
  #socket: WebSocket | null = null;
  #isClosed = false;

  constructor(settings: TalkSettings, player: AnswerPlayer, on: TalkListeners) {
    this.#settings = settings;
    this.#player = player;
    this.#on = on;
    this.conversation = new Conversation({
      ...{ player, functions: FUNCTIONS, changed: on.onDialogue },
      send: (event) => this.#send(event),
      now: () => performance.now(),
    });
    this.conversation.detectsTurns = settings.turnEnd !== "none";
  }

  #send(event: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) emit(this.#socket, event);
    else this.#waiting.push(event);
  }

  #config = () => sessionConfig(this.#settings, this.#capture?.sampleRate ?? TTS_SAMPLE_RATE);

  async connect(client: Client): Promise<void> {
    const { conversation: model } = this.#settings;
    const socket = await openRealtimeSocket(client, { model, ...this.#config() });
    this.#socket = socket;
    socket.onopen = () => {
      for (const event of this.#waiting.splice(0)) emit(socket, event);
    };
    socket.onmessage = ({ data }) => {
      const event: TalkEvent = JSON.parse(data);
      this.#on.onEvent(event, this.conversation.receive(event));
    };
    socket.onclose = (closed) => {
      this.close();
      this.#on.onClose(closedBecause(closed));
    };
  }

  async openMicrophone(): Promise<void> {
    const onSamples = (samples: Samples) => {
      this.#on.onLevel(levelOf(samples));
      this.conversation.append(samples);
    };
    const capture = await openCapture(onSamples, { echoCancellation: true });
    this.#capture = capture;
    if (this.#isClosed) return capture.close();
    this.configure(this.#settings); // the rate is known now
  }

  mute(isMuted: boolean): void {
    this.#capture?.mute(isMuted);
  }

  /** Counts from the next answer on. */
  configure(settings: TalkSettings): void {
    this.#settings = settings;
    this.conversation.detectsTurns = settings.turnEnd !== "none";
    this.#send({ type: "session.update", session: this.#config() });
  }

  close(): void {
    this.#isClosed = true;
    this.#capture?.close();
    this.#player.close();
    this.#socket?.close();
  }
}
