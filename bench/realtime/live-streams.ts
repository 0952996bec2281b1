/**
 * Recordings streamed to the realtime socket at the pace of speech, by several callers at once: the text of each, the delay of
 * its first words, and of the final text of each turn.
 */
import { toInt16 } from "../../src/audio/pcm.ts";
import type { Server } from "../harness/server.ts";
import { dial, framesOf, stream } from "./caller.ts";

const CHUNK_MS = 40;
const LOUD = 0.03; // of full scale
const ROOM = 0.001;
const SILENCE_SECONDS = 1.2; // more than what ends a turn
const RATE = 24_000; // of the socket

/** `samples` at 24 kHz. */
export type LiveRecording = { path: string; samples: Float32Array };

export type LiveResult = {
  path: string;
  text: string;
  /** Whether the deltas of each turn are its transcript. */
  isAppended: boolean;
  /** From the first sound to the first words; null where there were none. */
  firstMs: number | null;
  /** From the end of each turn to its transcript. */
  finalMs: number[];
};

/** Each caller plays its share of the recordings, one session each. */
export async function streamAll(
  server: Server,
  recordings: LiveRecording[],
  callers: number,
): Promise<LiveResult[]> {
  const results: LiveResult[] = [];
  const work = async (caller: number) => {
    await Bun.sleep((caller * 1000) / callers); // callers do not begin together
    for (let at = caller; at < recordings.length; at += callers)
      results.push(await streamOne(server, recordings[at]!));
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => work(caller)));
  return results;
}

async function streamOne(server: Server, { path, samples }: LiveRecording): Promise<LiveResult> {
  const caller = await dial(server);
  const frames = framesOf(spoken(samples), CHUNK_MS);
  const loudAt = Math.floor(
    samples.findIndex((sample) => Math.abs(sample) > LOUD) / ((RATE * CHUNK_MS) / 1000),
  );
  const begunMs = performance.now() + (loudAt + 1) * CHUNK_MS;
  await stream(caller, frames, CHUNK_MS);
  caller.send(JSON.stringify({ type: "session.update", session: {} }));
  await caller.next(".updated");
  const named = (end: string) => caller.events.filter(({ type }) => type.endsWith(end));
  while (named(".completed").length + named(".failed").length < named(".committed").length)
    await Promise.race([caller.next(".completed"), caller.next(".failed")]);
  caller.close();
  const [completed, deltas] = [named(".completed"), named(".delta")];
  const stops = new Map(named("speech_stopped").map(({ itemId, atMs }) => [itemId, atMs]));
  return {
    path,
    text: completed.map(({ transcript }) => transcript).join(" "),
    isAppended: completed.every(({ itemId, transcript }) => {
      const parts = deltas.filter((each) => each.itemId === itemId).map(({ delta }) => delta);
      return parts.join("") === transcript;
    }),
    firstMs: deltas[0] ? deltas[0].atMs - begunMs : null,
    finalMs: completed.map(({ itemId, atMs }) => atMs - stops.get(itemId)!),
  };
}

/** As pcm, and the hiss of a quiet room after it. */
function spoken(samples: Float32Array): Uint8Array {
  const hiss = Float32Array.from({ length: RATE * SILENCE_SECONDS }, () => (Math.random() - 0.5) * 2 * ROOM);
  const all = new Float32Array(samples.length + hiss.length);
  all.set(samples);
  all.set(hiss, samples.length);
  return new Uint8Array(toInt16(all).buffer);
}
