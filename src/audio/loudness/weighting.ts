/**
 * The K-weighting of ITU-R BS.1770-5 at any rate: how much each frequency of a sound counts for its loudness.
 *
 * Two filters, whose bilinear transforms at 48 kHz are the tables of BS.1770. Source of their parameters: libebur128.
 */
type Biquad = { b: [number, number, number]; a: [number, number] };

export const weighted = (samples: Float32Array, rate: number): Float64Array =>
  weighting(rate).reduce(filtered, Float64Array.from(samples));

function weighting(rate: number): Biquad[] {
  return [
    liftHighs(Math.tan((Math.PI * 1681.974450955533) / rate)),
    highPass(Math.tan((Math.PI * 38.13547087602444) / rate)),
  ];
}

function liftHighs(k: number): Biquad {
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const norm = 1 + k / q + k * k;
  return {
    b: [
      (high + (band * k) / q + k * k) / norm,
      (2 * (k * k - high)) / norm,
      (high - (band * k) / q + k * k) / norm,
    ],
    a: poles(k, q),
  };
}

const highPass = (k: number): Biquad => ({ b: [1, -2, 1], a: poles(k, 0.5003270373238773) });

function poles(k: number, q: number): [number, number] {
  const norm = 1 + k / q + k * k;
  return [(2 * (k * k - 1)) / norm, (1 - k / q + k * k) / norm];
}

function filtered(samples: Float64Array, { b, a }: Biquad): Float64Array {
  const out = new Float64Array(samples.length);
  let [first, second] = [0, 0]; // transposed direct form II
  for (let at = 0; at < samples.length; at++) {
    const x = samples[at]!;
    const y = b[0] * x + first;
    first = b[1] * x - a[0] * y + second;
    second = b[2] * x - a[1] * y;
    out[at] = y;
  }
  return out;
}
