/**
 * Voice activity by energy above 80 Hz, relative to the noise floor of the recording: spans of speech between silences. A
 * steady sound (hiss, a tone) counts as silence at any level, and neither an offset nor the hum of mains hides speech.
 *
 *   level   ▁▁▁▅▇▆▁▅▇▁▁▁▁▁▅▆▇▇▁▁
 *   spans      [───────]    [────]       short gaps bridged, padded, cut where they grow too long
 */
export type Span = { start: number; end: number };

const FRAME_MS = 20;
const LOWEST_HZ = 80; // of voices
const ABOVE_FLOOR_DB = 10;
const SILENCE_DB = -55; // nothing below this is speech, however quiet the room
const GAP_MS = 450;
const PAD_MS = 200;
const LEAST_MS = 100;
const SWING_DB = 6; // steady noise swings by 2, speech by 20 and more
const LONGEST_MS = 12_000;
const STEP_FRAMES = 200; // about 2 ms of work

/** Spans as sample indices, in order, not overlapping; none is longer than `longestMs`, which may be infinite. */
export function findUtterances(
  samples: Float32Array,
  sampleRate: number,
  longestMs: number = LONGEST_MS,
): Span[] {
  return spansIn(frameLevels(samples, sampleRate), { samples, sampleRate, longestMs });
}

/** The same of some minutes, in steps of some milliseconds, between which the thread does other work. */
export async function findUtterancesInSteps(
  samples: Float32Array,
  sampleRate: number,
  longestMs: number,
): Promise<Span[]> {
  const measuring = measureLevels(samples, sampleRate);
  let step = measuring.next();
  for (; !step.done; step = measuring.next()) await new Promise(setImmediate);
  return spansIn(step.value, { samples, sampleRate, longestMs });
}

type Measured = { samples: Float32Array; sampleRate: number; longestMs: number };

function spansIn(levels: Float32Array, { samples, sampleRate, longestMs }: Measured): Span[] {
  const frame = frameSize(sampleRate);
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
  const frame = frameSize(sampleRate);
  return loudFrames(frameLevels(samples, sampleRate), gapMs).map(({ start, end }) => ({
    start: start * frame,
    end: Math.min(end * frame, samples.length),
  }));
}

/** How much of a long stretch to take first: up to the quietest place in its second half, in samples. */
export function firstPiece(samples: Float32Array, sampleRate: number): number {
  const frame = frameSize(sampleRate);
  const levels = frameLevels(samples, sampleRate);
  return Math.min(quietest(levels, levels.length >> 1, levels.length) * frame, samples.length);
}

const frameSize = (sampleRate: number) => Math.round((FRAME_MS * sampleRate) / 1000);

/** Level of each frame in dB of full scale, of what is above `LOWEST_HZ`. */
function frameLevels(samples: Float32Array, sampleRate: number): Float32Array {
  const measuring = measureLevels(samples, sampleRate);
  let step = measuring.next();
  while (!step.done) step = measuring.next();
  return step.value;
}

/** Pauses after each `STEP_FRAMES`. */
function* measureLevels(samples: Float32Array, sampleRate: number): Generator<void, Float32Array> {
  const frame = frameSize(sampleRate);
  const levels = new Float32Array(Math.ceil(samples.length / frame));
  const highPass = openHighPass(sampleRate, meanOf(samples.subarray(0, frame)));
  for (let index = 0; index < levels.length; index++) {
    const end = Math.min((index + 1) * frame, samples.length);
    levels[index] = 10 * Math.log10(highPass(samples, index * frame, end) / frame + 1e-10);
    if (index % STEP_FRAMES === STEP_FRAMES - 1) yield;
  }
  return levels;
}

/** What is not a number is silence. */
function meanOf(samples: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i]! || 0;
  return sum / Math.max(1, samples.length);
}

/**
 * A Butterworth filter of the sixth order as three biquads in transposed direct form II: 50 Hz falls by 24 dB, 60 Hz by 15.
 * Each call filters the next samples and gives the sum of their squares. `offset`: what is taken off first, so that the
 * filter begins at rest. The stages are written out, as a loop over them takes four times as long.
 */
function openHighPass(sampleRate: number, offset: number) {
  const omega = Math.tan((Math.PI * LOWEST_HZ) / sampleRate);
  const [gain1, b1, c1] = biquad(omega, 1);
  const [gain2, b2, c2] = biquad(omega, 3);
  const [gain3, b3, c3] = biquad(omega, 5);
  let state = { s1: 0, t1: 0, s2: 0, t2: 0, s3: 0, t3: 0 };
  return (samples: Float32Array, start: number, end: number): number => {
    let { s1, t1, s2, t2, s3, t3 } = state;
    let power = 0;
    for (let i = start; i < end; i++) {
      const x1 = ((samples[i]! || 0) - offset) * gain1;
      const y1 = x1 + s1;
      s1 = t1 - 2 * x1 - b1 * y1;
      t1 = x1 - c1 * y1;
      const x2 = y1 * gain2;
      const y2 = x2 + s2;
      s2 = t2 - 2 * x2 - b2 * y2;
      t2 = x2 - c2 * y2;
      const x3 = y2 * gain3;
      const y3 = x3 + s3;
      s3 = t3 - 2 * x3 - b3 * y3;
      t3 = x3 - c3 * y3;
      power += y3 * y3;
    }
    state = { s1, t1, s2, t2, s3, t3 };
    return power;
  };
}

/** The gain of a stage, and its coefficients of the last output and of that before. */
function biquad(omega: number, odd: number): [gain: number, b: number, c: number] {
  const damping = 2 * Math.cos((odd * Math.PI) / 12) * omega;
  const a0 = 1 + damping + omega * omega;
  return [1 / a0, (2 * (omega * omega - 1)) / a0, (1 - damping + omega * omega) / a0];
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
