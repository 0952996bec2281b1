/**
 * A live transcription session: microphone -> audio worklet -> WebSocket, and server events back.
 * A short-lived client secret opens the socket; the API key itself never leaves in an address or a protocol name.
 */
import { apiBase, type Client, jsonBody, STT_MODEL } from "../../lib/public-api.ts";
import type { LiveEvent } from "./utterances.ts";

const CHUNK_SECONDS = 0.1;
const WORKLET = "/assets/microphone.js";

export type TurnDetection = "server_vad" | "semantic_vad";

/** The configuration of a session, also part of the code snippets. */
export const sessionConfig = (turnDetection: TurnDetection, rate: number) => ({
  type: "transcription",
  audio: {
    input: {
      format: { type: "audio/pcm", rate },
      transcription: { model: STT_MODEL },
      turn_detection: { type: turnDetection },
    },
  },
});

export type LiveOptions = {
  client: Client;
  turnDetection: TurnDetection;
  onEvent: (event: LiveEvent) => void;
  /** The loudness of each chunk, from 0 to 1. */
  onLevel: (level: number) => void;
  /** Closed by either end; `reason` is null after a normal end. */
  onClose: (reason: string | null) => void;
};

/** Returns the function that ends the session. */
export async function openLiveSession({ client, turnDetection, ...on }: LiveOptions): Promise<() => void> {
  if (!navigator.mediaDevices) throw new Error("Browsers offer the microphone on HTTPS and localhost only.");
  const media = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const context = new AudioContext();
  const release = () => {
    for (const track of media.getTracks()) track.stop();
    if (context.state !== "closed") void context.close();
  };
  try {
    const microphone = await openMicrophone(context, media);
    const socket = await openSocket(client, sessionConfig(turnDetection, context.sampleRate));
    socket.onmessage = ({ data }) => on.onEvent(JSON.parse(data));
    socket.onclose = ({ code, reason }) => {
      release();
      on.onClose(code === 1000 || code === 1005 ? null : reason || String(code));
    };
    microphone.port.onmessage = ({ data: samples }: MessageEvent<Int16Array<ArrayBuffer>>) => {
      on.onLevel(levelOf(samples));
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: toBase64(samples) }));
    };
    return () => socket.close();
  } catch (error) {
    release();
    throw error;
  }
}

async function openMicrophone(context: AudioContext, media: MediaStream): Promise<AudioWorkletNode> {
  await context.audioWorklet.addModule(WORKLET);
  const node = new AudioWorkletNode(context, "microphone", {
    processorOptions: { chunkSamples: Math.round(context.sampleRate * CHUNK_SECONDS) },
  });
  context.createMediaStreamSource(media).connect(node);
  return node;
}

async function openSocket(client: Client, session: object): Promise<WebSocket> {
  const response = await client("/realtime/client_secrets", jsonBody({ session }));
  const { value } = await response.json();
  const url = `${apiBase().replace("http", "ws")}/realtime?intent=transcription`;
  return new WebSocket(url, ["realtime", `openai-insecure-api-key.${value}`]);
}

/** The root mean square, scaled so that normal speech fills the meter. */
function levelOf(samples: Int16Array): number {
  let power = 0;
  for (const sample of samples) power += (sample / 32_768) ** 2;
  return Math.min(1, 3 * Math.sqrt(power / samples.length));
}

function toBase64(samples: Int16Array<ArrayBuffer>): string {
  let binary = "";
  for (const byte of new Uint8Array(samples.buffer)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
