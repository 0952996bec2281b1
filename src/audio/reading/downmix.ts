/**
 * Mixes the channels of a recording to one, which is about as loud as the loudest of them.
 *
 *   known layout    center 1, left and right 0.7, surround 0.5, no LFE; scaled down where the mix is louder than its loudest
 *   stereo, others  the mean of the channels
 *   either          the loudest channel alone, where the mix is more than 10 dB below it: one of many, or opposite phases
 *
 * What is decided for a block of 50 ms depends on that block and those before it, so any chunking gives the same samples.
 */

/** What each channel carries, as bits of WAVE's channel mask: 0 front left, 1 front right, 2 center, 3 LFE and so on. */
export type Layout = readonly number[];

const BLOCKS_PER_SECOND = 20;
const RAMPS_PER_BLOCK = 5; // gains change within 10 ms, so that nothing clicks
const SIDE = Math.SQRT1_2;
const WEIGHTS: Record<number, number> = { 0: SIDE, 1: SIDE, 2: 1, 3: 0, 6: SIDE, 7: SIDE, 35: 0 };
const SURROUND_WEIGHT = 0.5;
const LOST = 10; // of power: the mix is 10 dB below the loudest channel
const FOUND = 5; // and at most 7 dB when it is used again
const ROUNDING = 1e-9; // of power: what a difference may be off by
const OVERTAKEN = 4; // another channel is 6 dB louder than the one that was chosen

/** In the order of their bits, as FFmpeg and WAVE have them. */
export function layoutOf(mask: number | bigint): Layout {
  const bits = BigInt(mask);
  return Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => (bits >> BigInt(bit)) & 1n);
}

function weightsOf(layout: Layout | null, channelCount: number): number[] {
  const mean = Array<number>(channelCount).fill(1 / channelCount);
  if (layout === null || layout.length !== channelCount || channelCount <= 2) return mean;
  const weights = layout.map((position) => WEIGHTS[position] ?? SURROUND_WEIGHT);
  return weights.some((weight) => weight > 0) ? weights : mean;
}

export class Downmix {
  readonly #weights: number[];
  readonly #blockSize: number;
  readonly #held: Float32Array[];
  #heldCount = 0;
  #gains: number[] | null = null;
  /** The channel that is used alone. */
  #chosen: number | null = null;

  /** `layout` null: unknown. */
  constructor(channelCount: number, sampleRate: number, layout: Layout | null = null) {
    this.#weights = weightsOf(layout, channelCount);
    this.#blockSize = Math.max(1, Math.round(sampleRate / BLOCKS_PER_SECOND));
    this.#held = this.#weights.map(() => new Float32Array(this.#blockSize));
  }

  /** Samples of each channel, equally many. Returns those of whole blocks. */
  push(channels: readonly Float32Array[]): Float32Array {
    if (this.#weights.length === 1) return channels[0]!;
    const length = channels[0]!.length;
    const blockCount = Math.floor((this.#heldCount + length) / this.#blockSize);
    const mixed = new Float32Array(blockCount * this.#blockSize);
    let taken = 0;
    for (let block = 0; block < blockCount; block++) {
      const part = Math.min(length - taken, this.#blockSize - this.#heldCount);
      this.#hold(channels, taken, taken + part);
      taken += part;
      this.#mix(mixed.subarray(block * this.#blockSize, (block + 1) * this.#blockSize));
      this.#heldCount = 0;
    }
    this.#hold(channels, taken, length);
    return mixed;
  }

  /** The rest. */
  finish(): Float32Array {
    const mixed = new Float32Array(this.#heldCount);
    this.#mix(mixed);
    this.#heldCount = 0;
    return mixed;
  }

  #hold(channels: readonly Float32Array[], from: number, to: number): void {
    for (const [index, held] of this.#held.entries())
      held.set(channels[index]!.subarray(from, to), this.#heldCount);
    this.#heldCount += to - from;
  }

  #mix(out: Float32Array): void {
    const before = this.#gains;
    add(out, this.#held, this.#weights);
    const powers = this.#held.map((samples) => powerOf(samples, out.length));
    this.#gains = this.#gainsFor(powerOf(out, out.length), powers);
    if (before === null || sameGains(before, this.#gains)) {
      if (sameGains(this.#weights, this.#gains)) return;
      out.fill(0);
      add(out, this.#held, this.#gains);
      return;
    }
    out.fill(0);
    const ramp = Math.min(out.length, Math.ceil(this.#blockSize / RAMPS_PER_BLOCK));
    for (const [channel, samples] of this.#held.entries()) {
      const [from, to] = [before[channel]!, this.#gains[channel]!];
      for (let i = 0; i < out.length; i++)
        out[i]! += samples[i]! * (i < ramp ? from + ((to - from) * i) / ramp : to);
    }
  }

  /** What each channel is multiplied by, from the powers of the block. */
  #gainsFor(mixed: number, powers: readonly number[]): number[] {
    const most = Math.max(...powers);
    const isLost = mixed * (this.#chosen === null ? LOST : FOUND) < most;
    if (!isLost) {
      this.#chosen = null;
      const scale = mixed > most ? Math.sqrt(most / mixed) : 1;
      return this.#weights.map((weight) => weight * scale);
    }
    if (this.#chosen === null || powers[this.#chosen]! * OVERTAKEN < most)
      this.#chosen = powers.indexOf(most);
    return powers.map((_, channel) => (channel === this.#chosen ? 1 : 0));
  }
}

function add(out: Float32Array, channels: readonly Float32Array[], gains: readonly number[]): void {
  for (const [channel, samples] of channels.entries()) {
    const gain = gains[channel]!;
    if (gain !== 0) for (let i = 0; i < out.length; i++) out[i]! += samples[i]! * gain;
  }
}

/** Of the sum of squares, without an offset, which is no sound; what is not a number counts as silence. */
function powerOf(samples: Float32Array, count: number): number {
  let power = 0;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    power += samples[i]! ** 2;
    sum += samples[i]!;
  }
  const moving = power - sum ** 2 / count;
  return moving > power * ROUNDING ? moving : 0;
}

const sameGains = (a: readonly number[], b: readonly number[]) =>
  a.every((gain, channel) => Math.abs(gain - b[channel]!) < 1e-9);
