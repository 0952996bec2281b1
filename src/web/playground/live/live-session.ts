/**
 * A live transcription session: microphone -> audio worklet -> WebSocket, and server events back.
 *
 *   open ──────────────> finish ────────────────────────────────────> closed
 *   audio is appended    the rest is appended and committed; waits
 *                        for the transcripts of everything committed
 *
 * A short-lived client secret opens the socket; the API key itself never leaves in an address or a protocol name.
 */
import { type Client, jsonBody } from "../../api/public-api.ts";
import { apiBase } from "../../browser/addresses.ts";
import { type Capture, levelOf, openCapture, type Samples } from "../audio/capture.ts";
import { openPending } from "./pending.ts";
import type { LiveEvent } from "./utterances.ts";

const FINISH_MS = 30_000;
const NORMAL_CLOSE = 1000;
const NO_STATUS = 1005;

export type TurnDetection = "server_vad" | "semantic_vad";

export type LiveSettings = { model: string; language: string; turnDetection: TurnDetection };

/** The configuration of a session, also part of the code snippets. */
export const sessionConfig = ({ model, language, turnDetection }: LiveSettings, rate: number) => ({
  type: "transcription",
  audio: {
    input: {
      format: { type: "audio/pcm", rate },
      transcription: { model, ...(language ? { language } : {}) },
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
  /** Closed by either end; `reason` is null after a normal end. */
  onClose: (reason: string | null) => void;
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
    const socket = await openSocket(client, sessionConfig(settings, capture.sampleRate));
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
  socket.onclose = ({ code, reason }) => {
    clearTimeout(deadline);
    capture.close();
    on.onClose(code === NORMAL_CLOSE || code === NO_STATUS ? null : reason || String(code));
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

function emit(socket: WebSocket, event: object): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event));
}

async function openSocket(client: Client, session: object): Promise<WebSocket> {
  const response = await client("/realtime/client_secrets", jsonBody({ session }));
  const { value } = await response.json();
  const url = `${apiBase().replace("http", "ws")}/realtime?intent=transcription`;
  return new WebSocket(url, ["realtime", `openai-insecure-api-key.${value}`]);
}

function toBase64(samples: Samples): string {
  let binary = "";
  for (const byte of new Uint8Array(samples.buffer)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
