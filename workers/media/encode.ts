/**
 * Encodes clips on one thread, which holds the state of every clip it has started.
 *
 *   open ─> encode … ─> finish, or close if the listener left
 */
import { move } from "piscina";
import { type AudioFormat, openEncoder } from "../../src/audio/encode.ts";
import type { Encoder } from "../../src/audio/encoder.ts";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";

type Task =
  | { op: "open"; id: number; format: AudioFormat; sampleCount: number | null }
  | { op: "encode"; id: number; samples: Float32Array }
  | { op: "finish"; id: number }
  | { op: "close"; id: number };

const clips = new Map<number, Encoder>();

export default async function encode(task: Task): Promise<unknown> {
  switch (task.op) {
    case "open":
      clips.set(
        task.id,
        await openEncoder(task.format, { sampleRate: TTS_SAMPLE_RATE, sampleCount: task.sampleCount }),
      );
      return null;
    case "encode":
      return move(clipOf(task.id).encode(task.samples).slice());
    case "finish": {
      const finished = clipOf(task.id).finish();
      clips.delete(task.id);
      return finished;
    }
    case "close":
      clips.get(task.id)?.finish(); // some encoders hold memory until their end
      clips.delete(task.id);
      return null;
  }
}

function clipOf(id: number): Encoder {
  const clip = clips.get(id);
  if (!clip) throw new Error(`no clip ${id} is open on this thread`);
  return clip;
}
