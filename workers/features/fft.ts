/**
 * The complex FFT of lengths that are products of 4, 2 and 5 only; 200 and 256 are in use.
 *
 * Stockham's self-sorting form: every stage reads one buffer in order and writes the other, so nothing is reversed.
 * A stage of radix r turns `length` values, `stride` sequences of them side by side, into r sequences each of a
 * length r times shorter. Tables and buffers are made once; a transform allocates nothing.
 */
export type Plane = { re: Float64Array; im: Float64Array };

const COS_72 = Math.cos((2 * Math.PI) / 5);
const COS_144 = Math.cos((4 * Math.PI) / 5);
const SIN_72 = Math.sin((2 * Math.PI) / 5);
const SIN_144 = Math.sin((4 * Math.PI) / 5);

export class Fft {
  readonly size: number;
  readonly #radices: number[];
  /** e^(-2πik/size). */
  readonly #turns: Plane;
  #x: Plane;
  #y: Plane;

  constructor(size: number) {
    this.size = size;
    this.#radices = radicesOf(size);
    this.#turns = turnsOf(size);
    this.#x = plane(size);
    this.#y = plane(size);
  }

  /** Holds the values to transform. `transform` may return another plane. */
  get input(): Plane {
    return this.#x;
  }

  transform(): Plane {
    let length = this.size;
    for (const radix of this.#radices) {
      if (radix === 4) this.#four(length);
      else if (radix === 5) this.#five(length);
      else this.#two(length);
      length /= radix;
      [this.#x, this.#y] = [this.#y, this.#x];
    }
    return this.#x;
  }

  #two(length: number): void {
    const stride = this.size / length;
    const step = this.size / 2;
    const { re: xr, im: xi } = this.#x;
    for (let p = 0; p < length / 2; p++) {
      for (let q = 0; q < stride; q++) {
        const a = stride * p + q;
        const out = stride * 2 * p + q;
        this.#put(out, xr[a]! + xr[a + step]!, xi[a]! + xi[a + step]!);
        this.#put(out + stride, xr[a]! - xr[a + step]!, xi[a]! - xi[a + step]!);
        this.#rotate(out + stride, stride * p);
      }
    }
  }

  #four(length: number): void {
    const stride = this.size / length;
    const step = this.size / 4;
    const { re: xr, im: xi } = this.#x;
    for (let p = 0; p < length / 4; p++) {
      const turn = stride * p;
      for (let q = 0; q < stride; q++) {
        const a = stride * p + q;
        const out = stride * 4 * p + q;
        const evenRe = xr[a]! + xr[a + 2 * step]!;
        const evenIm = xi[a]! + xi[a + 2 * step]!;
        const evenDiffRe = xr[a]! - xr[a + 2 * step]!;
        const evenDiffIm = xi[a]! - xi[a + 2 * step]!;
        const oddRe = xr[a + step]! + xr[a + 3 * step]!;
        const oddIm = xi[a + step]! + xi[a + 3 * step]!;
        const oddDiffRe = xr[a + step]! - xr[a + 3 * step]!;
        const oddDiffIm = xi[a + step]! - xi[a + 3 * step]!;
        this.#put(out, evenRe + oddRe, evenIm + oddIm);
        this.#put(out + stride, evenDiffRe + oddDiffIm, evenDiffIm - oddDiffRe);
        this.#rotate(out + stride, turn);
        this.#put(out + 2 * stride, evenRe - oddRe, evenIm - oddIm);
        this.#rotate(out + 2 * stride, 2 * turn);
        this.#put(out + 3 * stride, evenDiffRe - oddDiffIm, evenDiffIm + oddDiffRe);
        this.#rotate(out + 3 * stride, 3 * turn);
      }
    }
  }

  #five(length: number): void {
    const stride = this.size / length;
    const step = this.size / 5;
    const { re: xr, im: xi } = this.#x;
    for (let p = 0; p < length / 5; p++) {
      const turn = stride * p;
      for (let q = 0; q < stride; q++) {
        const a = stride * p + q;
        const out = stride * 5 * p + q;
        const outerRe = xr[a + step]! + xr[a + 4 * step]!;
        const outerIm = xi[a + step]! + xi[a + 4 * step]!;
        const outerDiffRe = xr[a + step]! - xr[a + 4 * step]!;
        const outerDiffIm = xi[a + step]! - xi[a + 4 * step]!;
        const innerRe = xr[a + 2 * step]! + xr[a + 3 * step]!;
        const innerIm = xi[a + 2 * step]! + xi[a + 3 * step]!;
        const innerDiffRe = xr[a + 2 * step]! - xr[a + 3 * step]!;
        const innerDiffIm = xi[a + 2 * step]! - xi[a + 3 * step]!;
        const firstRe = xr[a]! + COS_72 * outerRe + COS_144 * innerRe;
        const firstIm = xi[a]! + COS_72 * outerIm + COS_144 * innerIm;
        const secondRe = xr[a]! + COS_144 * outerRe + COS_72 * innerRe;
        const secondIm = xi[a]! + COS_144 * outerIm + COS_72 * innerIm;
        const firstTurnRe = SIN_72 * outerDiffIm + SIN_144 * innerDiffIm;
        const firstTurnIm = SIN_72 * outerDiffRe + SIN_144 * innerDiffRe;
        const secondTurnRe = SIN_144 * outerDiffIm - SIN_72 * innerDiffIm;
        const secondTurnIm = SIN_144 * outerDiffRe - SIN_72 * innerDiffRe;
        this.#put(out, xr[a]! + outerRe + innerRe, xi[a]! + outerIm + innerIm);
        this.#put(out + stride, firstRe + firstTurnRe, firstIm - firstTurnIm);
        this.#rotate(out + stride, turn);
        this.#put(out + 2 * stride, secondRe + secondTurnRe, secondIm - secondTurnIm);
        this.#rotate(out + 2 * stride, 2 * turn);
        this.#put(out + 3 * stride, secondRe - secondTurnRe, secondIm + secondTurnIm);
        this.#rotate(out + 3 * stride, 3 * turn);
        this.#put(out + 4 * stride, firstRe - firstTurnRe, firstIm + firstTurnIm);
        this.#rotate(out + 4 * stride, 4 * turn);
      }
    }
  }

  #put(place: number, re: number, im: number): void {
    this.#y.re[place] = re;
    this.#y.im[place] = im;
  }

  /** Multiplies the value at an index by a root of unity. */
  #rotate(place: number, turn: number): void {
    const { re: turnRe, im: turnIm } = this.#turns;
    const { re, im } = this.#y;
    const [valueRe, valueIm] = [re[place]!, im[place]!];
    re[place] = valueRe * turnRe[turn]! - valueIm * turnIm[turn]!;
    im[place] = valueRe * turnIm[turn]! + valueIm * turnRe[turn]!;
  }
}

function plane(size: number): Plane {
  return { re: new Float64Array(size), im: new Float64Array(size) };
}

export function turnsOf(size: number): Plane {
  const turns = plane(size);
  for (let k = 0; k < size; k++) {
    turns.re[k] = Math.cos((-2 * Math.PI * k) / size);
    turns.im[k] = Math.sin((-2 * Math.PI * k) / size);
  }
  return turns;
}

function radicesOf(size: number): number[] {
  const radix = [4, 5, 2].find((each) => size % each === 0);
  if (size === 1) return [];
  if (radix === undefined)
    throw new Error(`an FFT length must be a product of 2, 4 and 5, but ${size} divides it`);
  return [radix, ...radicesOf(size / radix)];
}
