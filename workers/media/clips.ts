/**
 * The clips that a thread or process encodes: the state of each stays where it was opened.
 *
 *   open ─> encode … ─> finish, or close if the listener left
 */

import type { Encoder } from "../../src/audio/encoder.ts";
import type { SpeechFormat } from "../../src/audio/formats.ts";

export type OpenTask = { op: "open"; id: number; format: SpeechFormat; sampleCount: number | null };
export type ClipTask =
  | OpenTask
  | { op: "encode"; id: number; samples: Float32Array }
  | { op: "finish"; id: number }
  | { op: "close"; id: number };

const clips = new Map<number, Encoder>();

export function begin({ id }: OpenTask, encoder: Encoder): null {
  clips.set(id, encoder);
  return null;
}

/** What the task asks of a clip that has begun. */
export function advance(task: Exclude<ClipTask, OpenTask>): unknown {
  switch (task.op) {
    case "encode":
      return clipOf(task.id).encode(task.samples).slice();
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
  if (!clip) throw new Error(`clip ${id} is not open here`);
  return clip;
}
