/** The outline of a recording: the loudest sample of each stretch of time, from which a waveform is drawn. Pure. */

const PEAK_SECONDS = 0.02;

export type PeakMeter = {
  /** Grows with the samples: one value from 0 to 1 for each whole stretch. */
  readonly peaks: number[];
  push(samples: Float32Array): void;
};

export function openPeakMeter(sampleRate: number): PeakMeter {
  const size = Math.round(sampleRate * PEAK_SECONDS);
  const peaks: number[] = [];
  let loudest = 0;
  let count = 0;
  return {
    peaks,
    push(samples) {
      for (const sample of samples) {
        loudest = Math.max(loudest, Math.abs(sample));
        if (++count < size) continue;
        peaks.push(Math.min(1, loudest));
        loudest = 0;
        count = 0;
      }
    },
  };
}

/** The outline in exactly `count` values, scaled so that the loudest is 1; all 0 for silence and for nothing. */
export function barsOf(peaks: readonly number[], count: number): number[] {
  const bars = Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((index + 1) * peaks.length) / count));
    let loudest = 0;
    for (let at = from; at < Math.min(to, peaks.length); at++) loudest = Math.max(loudest, peaks[at]!);
    return loudest;
  });
  const top = bars.reduce((most, each) => Math.max(most, each), 0);
  return top === 0 ? bars : bars.map((bar) => bar / top);
}
