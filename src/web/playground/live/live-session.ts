/**
 * A live transcription session: microphone -> audio worklet -> WebSocket, and server events back.
 *
 *   open ──────────────> finish ────────────────────────────────────> closed
 *   audio is appended    the rest is appended and committed; waits
 *                        for the transcripts of everything committed
 */
import type { Client } from "../../api/public-api.ts";
import { type Capture, levelOf, openCapture } from "../audio/capture.ts";
import { type Samples, toBase64 } from "../audio/sample-text.ts";
import { closedBecause } from "../realtime/close-reason.ts";
import { emit, openRealtimeSocket } from "../realtime/realtime-socket.ts";
import type { TurnEnd } from "../realtime/turn-end.ts";
import { openPending } from "./pending.ts";
import type { LiveEvent } from "./utterances.ts";

const FINISH_MS = 30_000;

export type TurnDetection = Exclude<TurnEnd, "none">;

export type LiveSettings = {
  model: string;
  language: string;
  turnDetection: TurnDetection;
  /** Words to prefer. */
  keywords: string[];
};

/** The configuration of a session, also part of the code snippets. */
export const sessionConfig = ({ model, language, turnDetection, keywords }: LiveSettings, rate: number) => ({
  type: "transcription",
  loquat: { interim: true },
  audio: {
    input: {
      format: { type: "audio/pcm", rate },
      transcription: {
        model,
        ...(language ? { language } : {}),
        ...(keywords.length > 0 ? { keywords } : {}),
      },
      turn_detection: { type: turnDetection },
    },
  },
});

export type LiveOptions = {
  client: Client;
  settings: LiveSettings;
  onEvent: (event: LiveEvent) => void;
  /** The loudness of each chunk, from 0 to 1. */
  onLevel: (level: number) => void;
  /** Closed by either end; `problem` is null after a normal end. */
  onClose: (problem: string | null) => void;
};

export type LiveSession = {
  /** Closes the microphone, waits for the last transcripts, then closes the session. */
  finish(): Promise<void>;
  /** Closes everything at once. */
  close(): void;
};

export async function openLiveSession({ client, settings, ...on }: LiveOptions): Promise<LiveSession> {
  const early: Samples[] = []; // spoken before the socket is open
  let send = (samples: Samples): unknown => early.push(samples);
  const capture = await openCapture((samples) => {
    on.onLevel(levelOf(samples));
    send(samples);
  });
  try {
    const session = sessionConfig(settings, capture.sampleRate);
    const socket = await openRealtimeSocket(client, session, "?intent=transcription");
    const append = (samples: Samples) =>
      emit(socket, { type: "input_audio_buffer.append", audio: toBase64(samples) });
    socket.onopen = () => {
      for (const samples of early.splice(0)) append(samples);
      send = append;
    };
    return connect(socket, capture, on);
  } catch (error) {
    capture.close();
    throw error;
  }
}

function connect(
  socket: WebSocket,
  capture: Capture,
  on: Omit<LiveOptions, "client" | "settings">,
): LiveSession {
  const pending = openPending();
  let deadline: ReturnType<typeof setTimeout> | undefined;
  socket.onmessage = ({ data }) => {
    const event: LiveEvent = JSON.parse(data);
    const { isExpected, isDone } = pending.apply(event);
    if (!isExpected) on.onEvent(event);
    if (isDone) socket.close();
  };
  socket.onclose = (closed) => {
    clearTimeout(deadline);
    capture.close();
    on.onClose(closedBecause(closed));
  };
  return {
    async finish() {
      await capture.finish();
      if (socket.readyState !== WebSocket.OPEN) return socket.close();
      pending.finish();
      emit(socket, { type: "input_audio_buffer.commit" });
      deadline = setTimeout(() => socket.close(), FINISH_MS);
    },
    close() {
      capture.close();
      socket.close();
    },
  };
}
