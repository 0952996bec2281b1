/**
 * Mel filterbanks: triangles over the bins of a power spectrum, kept as runs of weights. Slaney's have the same area, on a
 * scale that is linear to 1 kHz, then logarithmic (Auditory Toolbox, 1998); Kaldi's have the same height, and straight
 * sides on a logarithmic scale.
 */
export type Filterbank = { readonly size: number; apply(power: Float64Array, mels: Float64Array): void };

/** One filter: the first bin it weighs, and its weights. */
type Filter = { from: number; weights: Float64Array };

type Shape = { mels: number; fftSize: number; sampleRate: number };

export function slaneyFilters({ mels, fftSize, sampleRate }: Shape): Filterbank {
  const top = slaneyOf(sampleRate / 2);
  const edges = Array.from({ length: mels + 2 }, (_, index) => hertzOfSlaney((top * index) / (mels + 1)));
  const bins = fftSize / 2 + 1;
  return bankOf(mels, bins, (mel, bin) => {
    const [low, middle, high] = [edges[mel]!, edges[mel + 1]!, edges[mel + 2]!];
    const hertz = (bin * sampleRate) / fftSize;
    const height = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
    return Math.max(0, height) * (2 / (high - low));
  });
}

const LINEAR_HERTZ = 200 / 3;
const BREAK_HERTZ = 1000;
const BREAK_MEL = BREAK_HERTZ / LINEAR_HERTZ;
const LOG_STEP = Math.log(6.4) / 27;

const slaneyOf = (hertz: number) =>
  hertz < BREAK_HERTZ ? hertz / LINEAR_HERTZ : BREAK_MEL + Math.log(hertz / BREAK_HERTZ) / LOG_STEP;
const hertzOfSlaney = (mel: number) =>
  mel < BREAK_MEL ? mel * LINEAR_HERTZ : BREAK_HERTZ * Math.exp((mel - BREAK_MEL) * LOG_STEP);

type Band = { low: number; high: number };

/** Over a band, in Hz; half the sample rate has no weight. */
export function kaldiFilters({ mels, fftSize, sampleRate }: Shape, { low, high }: Band): Filterbank {
  const step = (kaldiOf(high) - kaldiOf(low)) / (mels + 1);
  return bankOf(mels, fftSize / 2, (mel, bin) => {
    const left = kaldiOf(low) + mel * step;
    const place = kaldiOf((bin * sampleRate) / fftSize) - left;
    return Math.max(0, Math.min(place, 2 * step - place) / step);
  });
}

const kaldiOf = (hertz: number) => 1127 * Math.log(1 + hertz / 700);

type Weight = (mel: number, bin: number) => number;

function bankOf(size: number, bins: number, weight: Weight): Filterbank {
  const filters = Array.from({ length: size }, (_, mel): Filter => {
    const all = Float64Array.from({ length: bins }, (_, bin) => weight(mel, bin));
    const from = Math.max(
      0,
      all.findIndex((each) => each > 0),
    );
    return { from, weights: all.slice(from, all.findLastIndex((each) => each > 0) + 1) };
  });
  return {
    size,
    apply(power, mels) {
      for (let mel = 0; mel < size; mel++) {
        const { from, weights } = filters[mel]!;
        let sum = 0;
        for (let index = 0; index < weights.length; index++) sum += power[from + index]! * weights[index]!;
        mels[mel] = sum;
      }
    },
  };
}
