/** One turn of a caller with a conversation over the realtime socket, at the pace of speech, and what came of it when. */
import { OperatorError } from "../../errors.ts";
import type { Latency } from "../../realtime/stages.ts";

const FRAME_MS = 100;
const FRAME_BYTES = 4800; // of 16 bits at 24 kHz
const AUDIBLE = 300; // of 32768
const LIMIT_MS = 120_000;

/** `name`: of the conversation. `speech`: PCM at 24 kHz. */
type Call = { url: string; key: string; name: string; speech: Uint8Array };

/** What cannot be seen from outside stays so, unless the server tells it. */
const NOTHING: Latency = {
  ...{ transcript_ms: null, first_token_ms: null, first_clause_ms: null, first_sound_ms: null },
};

/** `failure`: why there is no answer, or not all of it. */
export type Held = { heard: string; answer: string; latency: Latency; failure: string | null };

type ServerEvent = {
  type: string;
  transcript?: string;
  error?: { message: string };
  response?: {
    status: string;
    status_details: { error?: { message: string }; reason?: string } | null;
    latency?: Latency;
  };
};

/** What the events of a turn say, one after another. */
class Turn {
  readonly held: Held = { heard: "", answer: "", latency: { ...NOTHING }, failure: null };
  readonly #isAnswered: boolean;
  #endedMs: number | null = null;

  constructor(isAnswered: boolean) {
    this.#isAnswered = isAnswered;
  }

  /** The caller has finished. */
  ended(): void {
    this.#endedMs = performance.now();
  }

  #reached(stage: keyof Latency): void {
    if (this.#endedMs !== null) this.held.latency[stage] ??= Math.round(performance.now() - this.#endedMs);
  }

  /** Whether it was the last. */
  add({ type, transcript = "", error, response }: ServerEvent): boolean {
    const { held } = this;
    if (type === "response.output_audio.delta") this.#reached("first_sound_ms");
    if (type === "response.output_audio_transcript.done") held.answer = transcript;
    if (type === "error") held.failure = error!.message;
    if (type === "response.done") this.#answered(response!);
    if (type.endsWith("input_audio_transcription.completed")) {
      this.#reached("transcript_ms");
      held.heard = transcript;
      if (transcript === "") held.failure = "no word was recognized of what the caller said";
      return !this.#isAnswered || transcript === "";
    }
    return type === "error" || type === "response.done";
  }

  /** What the server has measured itself counts. */
  #answered({ status, status_details, latency }: NonNullable<ServerEvent["response"]>): void {
    Object.assign(this.held.latency, latency);
    if (status !== "completed")
      this.held.failure = status_details?.error?.message ?? status_details?.reason ?? status;
  }
}

/** `isAnswered`: false where it is enough to be heard. */
export async function hold(call: Call, { isAnswered }: { isAnswered: boolean }): Promise<Held> {
  const turn = new Turn(isAnswered);
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${call.url.replace("http", "ws")}/v1/realtime?model=${call.name}`, {
    headers: { authorization: `Bearer ${call.key}` },
  } as never);
  const send = (event: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event));
    return socket.readyState === WebSocket.OPEN;
  };
  socket.onopen = () => send({ type: "session.update", session: sessionOf(isAnswered) });
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(String(data)) as ServerEvent;
    if (event.type === "session.updated") void speak(call.speech, { send, ended: () => turn.ended() });
    if (turn.add(event)) resolve();
  };
  socket.onclose = () => reject(new OperatorError("The connection was closed before the answer."));
  const timer = setTimeout(() => reject(new OperatorError("There was no answer in two minutes.")), LIMIT_MS);
  try {
    await over;
    return turn.held;
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

const sessionOf = (isAnswered: boolean) => ({
  type: "realtime",
  audio: {
    input: { transcription: {}, turn_detection: { type: "server_vad", create_response: isAnswered } },
  },
});

type Speaking = { send: (event: object) => boolean; ended: () => void };

/** In time, and then silent until the connection is closed. */
async function speak(speech: Uint8Array, { send, ended }: Speaking): Promise<void> {
  const audible = speech.subarray(0, audibleBytes(speech));
  const begunMs = performance.now();
  const append = async (bytes: Uint8Array, frames: number) => {
    const isTaken = send({ type: "input_audio_buffer.append", audio: Buffer.from(bytes).toString("base64") });
    await Bun.sleep(Math.max(0, begunMs + frames * FRAME_MS - performance.now()));
    return isTaken;
  };
  let frames = 0;
  for (let at = 0; at < audible.length; at += FRAME_BYTES)
    await append(audible.subarray(at, at + FRAME_BYTES), ++frames);
  ended();
  const silence = new Uint8Array(FRAME_BYTES);
  while (await append(silence, ++frames));
}

/** Up to its last sample that is more than silence. */
function audibleBytes(speech: Uint8Array): number {
  const samples = new Int16Array(speech.buffer, speech.byteOffset, speech.length >> 1);
  return 2 * (samples.findLastIndex((sample) => Math.abs(sample) > AUDIBLE) + 1);
}
