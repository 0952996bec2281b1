/**
 * Who is active in a window of segmentation: up to three local speakers, as bits of a frame. Pure.
 *
 *   class    0  1    2    3    4      5      6           published order ("powerset", Plaquet and Bredin, 2023)
 *   active   –  {a}  {b}  {c}  {a,b}  {a,c}  {b,c}
 */
import { FRAME_SAMPLES, WINDOW_FRAMES, WINDOW_SAMPLES } from "../../src/engine/protocol/diarization.ts";

export const LOCAL_SPEAKERS = 3;
export const CLASSES = 7;
const ACTIVE = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110];
const COUNT = [0, 1, 1, 2, 1, 2, 2, 3];
const FRAMES_MIN = 10; // of one speaker alone, to make an embedding of

/** `scores`: rows of `CLASSES` values; the highest of a frame counts. */
export function activityOf(scores: Float32Array): Uint8Array {
  return Uint8Array.from({ length: scores.length / CLASSES }, (_, frame) => {
    const row = scores.subarray(frame * CLASSES, (frame + 1) * CLASSES);
    let best = 0;
    for (let each = 1; each < CLASSES; each++) if (row[each]! > row[best]!) best = each;
    return ACTIVE[best]!;
  });
}

/** Samples from `start` to `end` of a window. */
export type Range = { start: number; end: number };

/** Where a local speaker is active alone; none where that is too little for an embedding. */
export function rangesAlone(activity: Uint8Array, speaker: number): Range[] {
  const alone = 1 << speaker;
  const frames = activity.reduce((sum, each) => sum + Number(each === alone), 0);
  if (frames < FRAMES_MIN) return [];
  const ranges: Range[] = [];
  for (let frame = 0; frame < WINDOW_FRAMES; frame++) {
    if (activity[frame] !== alone) continue;
    const first = frame;
    while (frame < WINDOW_FRAMES && activity[frame] === alone) frame++;
    const last = Math.min(frame, WINDOW_FRAMES - 1); // as published: the last frame of a window has no end
    ranges.push({ start: sampleOf(first), end: sampleOf(last) });
  }
  return ranges;
}

/** In single precision, as published. */
const sampleOf = (frame: number): number =>
  Math.trunc(Math.fround(Math.fround(frame / WINDOW_FRAMES) * WINDOW_SAMPLES));

/** Windows of a recording: how many, and how far apart. */
export type Layout = { count: number; step: number };

/** The frame of a recording that a window begins at. */
export const firstFrameOf = (window: number, step: number): number =>
  Math.round((window * step) / FRAME_SAMPLES);

export const framesOf = ({ count, step }: Layout): number =>
  Math.floor((WINDOW_SAMPLES + (count - 1) * step) / FRAME_SAMPLES) + 1;

/** How many people speak in each frame of a recording: the rounded mean of the windows over it. */
export function speakersPerFrame(windows: readonly Uint8Array[], step: number): Uint8Array {
  const frames = framesOf({ count: windows.length, step });
  const active = new Uint16Array(frames);
  const covering = new Uint16Array(frames);
  for (const [window, activity] of windows.entries()) {
    const from = firstFrameOf(window, step);
    for (const [frame, bits] of activity.entries()) {
      active[from + frame]! += COUNT[bits]!;
      covering[from + frame]!++;
    }
  }
  return Uint8Array.from(active, (sum, frame) => Math.floor(sum / Math.max(1, covering[frame]!) + 0.5));
}
