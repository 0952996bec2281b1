/** The decoder of StyleTTS 2, as Kokoro and Kitten have it: blocks with a style, a source of harmonics, and an inverse STFT. */
import type { GraphBuilder } from "./graph-builder.ts";

/**
 * What differs between models: the width of the text, of the decoder's blocks and of its generator, and the kernels of the
 * generator's blocks. `layers`: convolutions over the letters, and LSTMs before the durations.
 */
export type Shape = { width: number; layers: number; wide: number; generator: number; kernels: number[] };
/** [1, width, F], pitch and loudness [1, 1, 2F], style [1, 128]. */
export type Voice = { text: string; pitch: string; loudness: string; style: string };

const STYLE = 128;
const NARROW = 64;
const FFT = 20;
const HOP = 5;
const BINS = FFT + 2; // of both halves of a spectrum
const SAMPLES = 300; // for each frame of pitch
const UPSAMPLING = [
  { stride: 10, kernel: 20 },
  { stride: 6, kernel: 12 },
];

/** Normalized over time, then scaled and shifted by the style. */
function styled(b: GraphBuilder, x: string, { width, style }: { width: number; style: string }): string {
  const ones = b.table([width], new Float32Array(width).fill(1));
  const normal = b.op("InstanceNormalization", [x, ones, b.weights([width], 0.001)]);
  const both = b.op("Unsqueeze", [b.linear(style, { from: STYLE, to: 2 * width }), b.ints(2)]);
  const [scale, shift] = b.several("Split", [both], { count: 2, attributes: { axis: 1 } });
  return b.op("Add", [b.op("Mul", [normal, b.op("Add", [scale!, b.float(1)])]), shift!]);
}

type Block = { from: number; to: number; style: string; doubles?: boolean };

/** [1, from, F] to [1, to, F], or twice as many frames. */
export function block(b: GraphBuilder, x: string, { from, to, style, doubles = false }: Block): string {
  const active = (input: string) => b.op("LeakyRelu", [input], { alpha: { float: 0.2 } });
  let y = active(styled(b, x, { width: from, style }));
  if (doubles) y = b.upsample(y, { from, to: from, kernel: 4, stride: 2, group: from });
  y = b.conv(y, { from, to, kernel: 3 });
  y = b.conv(active(styled(b, y, { width: to, style })), { from: to, to, kernel: 3 });
  let direct = doubles ? longer(b, x, 2) : x;
  if (from !== to) direct = b.conv(direct, { from, to, kernel: 1, bias: false });
  return b.op("Mul", [b.op("Add", [y, direct]), b.float(Math.SQRT1_2)]);
}

const NEAREST = { mode: "nearest", coordinate_transformation_mode: "asymmetric", nearest_mode: "floor" };
const longer = (b: GraphBuilder, x: string, times: number): string =>
  b.op("Resize", [x, "", b.table([3], Float32Array.of(1, 1, times))], NEAREST);

/** Samples [1, 600 F]. */
export function decoded(b: GraphBuilder, { text, pitch, loudness, style }: Voice, shape: Shape): string {
  const { width, wide, generator } = shape;
  const halved = (curve: string) => b.conv(curve, { from: 1, to: 1, kernel: 3, stride: 2, pads: [1, 1] });
  const both = [halved(pitch), halved(loudness)];
  let x = block(b, b.op("Concat", [text, ...both], { axis: 1 }), { from: width + 2, to: wide, style });
  const narrow = b.conv(text, { from: width, to: NARROW, kernel: 1 });
  const from = wide + NARROW + 2;
  for (let layer = 0; layer < 4; layer++) {
    const input = b.op("Concat", [x, narrow, ...both], { axis: 1 });
    const isLast = layer === 3;
    x = block(b, input, { from, to: isLast ? generator : wide, style, doubles: isLast });
  }
  return generated(b, x, { source: source(b, pitch), style, shape });
}

/** Nine harmonics of the pitch, as spectra [1, 22, 120 F + 1]. */
function source(b: GraphBuilder, pitch: string): string {
  const harmonics = b.table(
    [1, 9, 1],
    Float32Array.from({ length: 9 }, (_, index) => index + 1),
  );
  const steps = b.op("Mul", [longer(b, pitch, SAMPLES), harmonics]);
  const phases = b.op("CumSum", [b.op("Mul", [steps, b.float(1e-4)]), b.int(2)]);
  const tones = b.op("Mul", [b.op("Sin", [phases]), b.float(0.1)]);
  const wave = b.op("Tanh", [b.conv(tones, { from: 9, to: 1, kernel: 1 })]);
  return b.conv(wave, { from: 1, to: BINS, kernel: FFT, stride: HOP, pads: [FFT / 2, FFT / 2], bias: false });
}

function generated(
  b: GraphBuilder,
  input: string,
  { source, style, shape }: { source: string; style: string; shape: Shape },
): string {
  let x = input;
  let width = shape.generator;
  for (const [index, { stride, kernel }] of UPSAMPLING.entries()) {
    const isLast = index === UPSAMPLING.length - 1;
    x = b.op("LeakyRelu", [x], { alpha: { float: 0.1 } });
    x = b.upsample(x, { from: width, to: width / 2, kernel, stride });
    width /= 2;
    if (isLast) x = b.op("Pad", [x, b.ints(0, 0, 1, 0, 0, 0)], { mode: "reflect" });
    const noise = isLast
      ? b.conv(source, { from: BINS, to: width, kernel: 1 })
      : b.conv(source, { from: BINS, to: width, kernel: 12, stride: 6, pads: [3, 3] });
    x = b.op("Add", [x, residual(b, noise, { width, kernel: isLast ? 11 : 7, style })]);
    const parts = shape.kernels.map((kernel) => residual(b, x, { width, kernel, style }));
    x = b.op("Mul", [b.op("Sum", parts), b.float(1 / shape.kernels.length)]);
  }
  return sounded(b, b.conv(b.op("LeakyRelu", [x]), { from: width, to: BINS, kernel: 7 }));
}

type Residual = { width: number; kernel: number; style: string };

function residual(b: GraphBuilder, input: string, { width, kernel, style }: Residual): string {
  let x = input;
  for (const dilation of [1, 3, 5]) {
    const one = b.conv(snake(b, styled(b, x, { width, style }), width), {
      from: width,
      to: width,
      kernel,
      dilation,
    });
    const two = b.conv(snake(b, styled(b, one, { width, style }), width), { from: width, to: width, kernel });
    x = b.op("Add", [x, two]);
  }
  return x;
}

/** x + sin²(αx) / α. */
function snake(b: GraphBuilder, x: string, width: number): string {
  const alpha = b.table([1, width, 1], new Float32Array(width).fill(1));
  const sine = b.op("Sin", [b.op("Mul", [x, alpha])]);
  return b.op("Add", [x, b.op("Div", [b.op("Mul", [sine, sine]), alpha])]);
}

/** Loudness and phase of each frame to samples. */
function sounded(b: GraphBuilder, spectra: string): string {
  const [levels, angles] = b.several("Split", [spectra], { count: 2, attributes: { axis: 1 } });
  const loud = b.op("Exp", [b.op("Clip", [levels!, b.float(-8), b.float(2)])]);
  const phase = b.op("Sin", [angles!]);
  const parts = [b.op("Mul", [loud, b.op("Cos", [phase])]), b.op("Mul", [loud, b.op("Sin", [phase])])];
  const complex = b.op("Concat", parts, { axis: 1 });
  const wave = b.upsample(complex, { from: BINS, to: 1, kernel: FFT, stride: HOP, pads: [FFT / 2, FFT / 2] });
  return b.op("Tanh", [b.op("Squeeze", [wave, b.ints(1)])]);
}
