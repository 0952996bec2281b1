/** A client of the realtime socket that sends prepared frames at the pace of speech, and records when each event arrived. */
import type { Server } from "../harness/server.ts";

const CHUNK_MS = 100;

type ServerEvent = { type: string; atMs: number; itemId?: string; delta?: string; transcript?: string };

export type Caller = {
  events: ServerEvent[];
  send(frame: string): void;
  /** The next event whose type ends so, in milliseconds of the clock. */
  next(end: string): Promise<number>;
  close(): void;
};

const appendFrame = (bytes: Uint8Array): string =>
  JSON.stringify({ type: "input_audio_buffer.append", audio: Buffer.from(bytes).toString("base64") });

/** 24 kHz pcm as frames of so many milliseconds. */
export function framesOf(pcm: Uint8Array, chunkMs = CHUNK_MS): string[] {
  const size = chunkMs * 48;
  const count = Math.floor(pcm.length / size);
  return Array.from({ length: count }, (_, index) =>
    appendFrame(pcm.subarray(index * size, (index + 1) * size)),
  );
}

export async function dial(
  { url, key }: Pick<Server, "url" | "key">,
  query = "intent=transcription",
): Promise<Caller> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/realtime?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  } as never);
  const events: ServerEvent[] = [];
  let waiting: { end: string; resolve: (atMs: number) => void }[] = [];
  socket.onmessage = ({ data }) => {
    const { type, item_id: itemId, delta, transcript } = JSON.parse(data as string);
    const atMs = performance.now();
    events.push({ type, atMs, itemId, delta, transcript });
    const [due, rest] = [
      waiting.filter(({ end }) => type.endsWith(end)),
      waiting.filter(({ end }) => !type.endsWith(end)),
    ];
    waiting = rest;
    for (const { resolve } of due) resolve(atMs);
  };
  const next = (end: string) => new Promise<number>((resolve) => waiting.push({ end, resolve }));
  await next("created");
  return { events, next, send: (frame) => socket.send(frame), close: () => socket.close() };
}

/** Sends frames so many milliseconds apart, by the clock and not by the sum of sleeps. */
export async function stream(caller: Caller, frames: string[], chunkMs = CHUNK_MS): Promise<void> {
  const begun = performance.now();
  for (const [index, frame] of frames.entries()) {
    const waitMs = begun + index * chunkMs - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    caller.send(frame);
  }
}
