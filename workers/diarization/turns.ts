/**
 * Who speaks when in a recording, from the windows over it: in each frame as many speakers as its windows say, and of all
 * speakers those that most windows name. Pure.
 *
 *   windows     aab..   .bb.c   b.cc.        local speakers, renamed by their clusters
 *   frames      1 1 2 1 1 0 1 1 1            how many
 *   turns       1─────   2────   3───        short pauses closed, then short turns dropped
 */

import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import {
  FRAME_SAMPLES,
  type LocalSpeaker,
  type Turn,
  WINDOW_FRAMES,
} from "../../src/engine/protocol/diarization.ts";
import { firstFrameOf, framesOf, LOCAL_SPEAKERS, speakersPerFrame } from "./activity.ts";

const PAUSE_SECONDS = 0.5; // a shorter one of the same speaker is part of the turn
const TURN_SECONDS_MIN = 0.3;
const FIELD_SAMPLES = 991; // that one frame is judged by

/** `labels`: the speaker, from 0, that each local speaker is. `windows`: their activity. */
type Windows = {
  windows: readonly Uint8Array[];
  step: number;
  speakers: readonly LocalSpeaker[];
  labels: readonly number[];
  sampleCount: number;
};

export function turnsOf(recording: Windows): Turn[] {
  const { windows, step, sampleCount, labels } = recording;
  const speakerCount = Math.max(0, ...labels.map((label) => label + 1));
  const votes = votesOf(recording, speakerCount);
  const active = speakersPerFrame(windows, step);
  const covered = windows.length === 1 ? WINDOW_FRAMES : active.length; // several reach a little further
  const frames = Math.min(covered, Math.floor(sampleCount / FRAME_SAMPLES) + 1);
  const chosen = new Uint8Array(frames * speakerCount);
  for (let frame = 0; frame < frames; frame++) {
    const row = votes.subarray(frame * speakerCount, (frame + 1) * speakerCount);
    for (const speaker of mostNamed(row, active[frame]!)) chosen[frame * speakerCount + speaker] = 1;
  }
  const duration = sampleCount / ASR_SAMPLE_RATE;
  return Array.from({ length: speakerCount }, (_, speaker) => {
    const isActive = (frame: number) => chosen[frame * speakerCount + speaker] === 1;
    return spoken(isActive, frames).map(({ start, end }) => ({
      start: Math.min(start, duration),
      end: Math.min(end, duration),
      speaker,
    }));
  })
    .flat()
    .toSorted((a, b) => a.start - b.start || a.speaker - b.speaker);
}

/** By frame and speaker: how many windows name the speaker. */
function votesOf({ windows, step, speakers, labels }: Windows, speakerCount: number): Uint16Array {
  const votes = new Uint16Array(framesOf({ count: windows.length, step }) * speakerCount);
  const labelOf = new Map(
    speakers.map(({ window, speaker }, index) => [window * LOCAL_SPEAKERS + speaker, labels[index]!]),
  );
  for (const [window, activity] of windows.entries()) {
    const local = Array.from({ length: LOCAL_SPEAKERS }, (_, speaker) =>
      labelOf.get(window * LOCAL_SPEAKERS + speaker),
    );
    const named = Array.from({ length: 1 << LOCAL_SPEAKERS }, (_, bits) => [
      ...new Set(
        local.flatMap((label, speaker) => (label !== undefined && bits & (1 << speaker) ? [label] : [])),
      ),
    ]);
    const from = firstFrameOf(window, step);
    for (const [frame, bits] of activity.entries())
      for (const label of named[bits]!) votes[(from + frame) * speakerCount + label]!++;
  }
  return votes;
}

/** The `count` speakers with the most votes, of those that have any; of equal ones the first. */
function mostNamed(votes: Uint16Array, count: number): number[] {
  if (count === 0) return [];
  return [...votes.keys()]
    .filter((speaker) => votes[speaker]! > 0)
    .sort((a, b) => votes[b]! - votes[a]!)
    .slice(0, count);
}

type Span = { start: number; end: number };

const secondsOf = (frame: number): number => (frame * FRAME_SAMPLES + FIELD_SAMPLES / 2) / ASR_SAMPLE_RATE;

/** The turns of one speaker, in seconds. */
function spoken(isActive: (frame: number) => boolean, frames: number): Span[] {
  const spans: Span[] = [];
  for (let frame = 0; frame < frames; frame++) {
    if (!isActive(frame)) continue;
    const start = secondsOf(frame);
    while (frame < frames && isActive(frame)) frame++;
    const end = secondsOf(Math.min(frame, frames - 1));
    const last = spans.at(-1);
    if (last && start - last.end < PAUSE_SECONDS) last.end = end;
    else spans.push({ start, end });
  }
  return spans.filter(({ start, end }) => end - start > TURN_SECONDS_MIN);
}
