/**
 * Voice activity by energy, relative to the noise floor of the recording: spans of speech between silences. A steady
 * sound (hum, hiss, a tone) counts as silence at any level.
 *
 *   level   ▁▁▁▅▇▆▁▅▇▁▁▁▁▁▅▆▇▇▁▁
 *   spans      [───────]    [────]       short gaps bridged, padded, cut where they grow too long
 */
export type Span = { start: number; end: number };

const FRAME_MS = 20;
const ABOVE_FLOOR_DB = 10;
const SILENCE_DB = -55; // nothing below this is speech, however quiet the room
const GAP_MS = 450;
const PAD_MS = 200;
const LEAST_MS = 100;
const SWING_DB = 6; // steady noise swings by 2, speech by 20 and more
const LONGEST_MS = 12_000;

/** Spans as sample indices, in order, not overlapping; none is longer than `longestMs`, which may be infinite. */
export function findUtterances(
  samples: Float32Array,
  sampleRate: number,
  longestMs: number = LONGEST_MS,
): Span[] {
  const frame = Math.round((FRAME_MS * sampleRate) / 1000);
  const levels = frameLevels(samples, frame);
  const frames = loudFrames(levels, GAP_MS).filter(({ start, end }) => (end - start) * FRAME_MS >= LEAST_MS);
  const pad = PAD_MS / FRAME_MS;
  const padded = frames.map(({ start, end }) => ({ start: start - pad, end: end + pad }));
  return apart(padded, levels.length)
    .flatMap((span) => cutLong(levels, span, longestMs / FRAME_MS))
    .filter(({ start, end }) => swing(levels.subarray(start, end)) >= SWING_DB)
    .map(({ start, end }) => ({ start: start * frame, end: Math.min(end * frame, samples.length) }));
}

/** Where samples are louder than their noise, as sample indices; shorter gaps are bridged. Steady noise counts. */
export function loudRuns(samples: Float32Array, sampleRate: number, gapMs: number): Span[] {
  const frame = Math.round((FRAME_MS * sampleRate) / 1000);
  return loudFrames(frameLevels(samples, frame), gapMs).map(({ start, end }) => ({
    start: start * frame,
    end: Math.min(end * frame, samples.length),
  }));
}

/** How much of a long stretch to take first: up to the quietest place in its second half, in samples. */
export function firstPiece(samples: Float32Array, sampleRate: number): number {
  const frame = Math.round((FRAME_MS * sampleRate) / 1000);
  const levels = frameLevels(samples, frame);
  return Math.min(quietest(levels, levels.length >> 1, levels.length) * frame, samples.length);
}

/** Level of each frame in dB of full scale. */
function frameLevels(samples: Float32Array, frame: number): Float32Array {
  const levels = new Float32Array(Math.ceil(samples.length / frame));
  for (let index = 0; index < levels.length; index++) {
    let power = 0;
    const end = Math.min((index + 1) * frame, samples.length);
    for (let i = index * frame; i < end; i++) power += samples[i]! ** 2 || 0; // what is not a number is silence
    levels[index] = 10 * Math.log10(power / frame + 1e-10);
  }
  return levels;
}

function percentile(levels: Float32Array, fraction: number): number {
  const sorted = levels.toSorted();
  return sorted[Math.floor(sorted.length * fraction)] ?? SILENCE_DB;
}

/** How far the level rises above the span's own floor; one short word in a long hiss must still show. */
function swing(levels: Float32Array): number {
  return percentile(levels, 0.98) - percentile(levels, 0.1);
}

/** Runs of frames above the noise floor, with short gaps bridged; none in silence. */
function loudFrames(levels: Float32Array, gapMs: number): Span[] {
  const loudest = levels.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);
  if (loudest <= SILENCE_DB) return [];
  const floor = Math.max(SILENCE_DB, percentile(levels, 0.1) + ABOVE_FLOOR_DB);
  const threshold = Math.min(floor, loudest - 15);
  const runs: Span[] = [];
  for (let index = 0; index < levels.length; index++) {
    if (levels[index]! < threshold) continue;
    const last = runs.at(-1);
    if (last && (index - last.end) * FRAME_MS <= gapMs) last.end = index + 1;
    else runs.push({ start: index, end: index + 1 });
  }
  return runs;
}

/** Padding never reaches into a neighbour: two that touch share the middle. */
function apart(spans: Span[], count: number): Span[] {
  return spans.map((span, index) => {
    const [before, after] = [spans[index - 1], spans[index + 1]];
    const start =
      before && before.end > span.start ? Math.floor((before.end + span.start) / 2) : Math.max(0, span.start);
    const end =
      after && after.start < span.end ? Math.floor((span.end + after.start) / 2) : Math.min(count, span.end);
    return { start, end };
  });
}

/** Cuts at the quietest frame of the second half of what fits, until every piece fits. */
function cutLong(levels: Float32Array, { start, end }: Span, longest: number): Span[] {
  const pieces: Span[] = [];
  let from = start;
  while (end - from > longest) {
    const cut = quietest(levels, from + longest / 2, from + longest);
    pieces.push({ start: from, end: cut });
    from = cut;
  }
  return [...pieces, { start: from, end }];
}

function quietest(levels: Float32Array, start: number, end: number): number {
  let best = start;
  for (let index = start; index < end; index++) if (levels[index]! < levels[best]!) best = index;
  return best;
}
