/**
 * The codec of Pocket TTS with all of its layers: samples to rows of a voice, and frames to samples. Convolutions are in
 * full, as published. They see the frames of one run only: what they keep of those before costs nothing.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { published } from "../../../testing/packages/published.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { gelu, lengthOf, merged, scoresOf, split, transposed } from "./layers.ts";

const WIDTH = 512;
const HEADS = { heads: 8, size: 64 };
const LATENT = 32;
const VOICE = 1024;
const HZ_RATIO = 16; // of the frames inside to those outside
/** Channels and strides from the samples inwards. */
const STAGES = [
  { channels: 64, stride: 4 },
  { channels: 128, stride: 5 },
  { channels: 256, stride: 6 },
];
/** In the decoder, of each layer of attention: the cache of the last positions. */
const CACHES = ["state_19", "state_22"];

const portsOf = (role: string) => published("pocket", "pocket-tts-en-2026-01").graph(role)!;

type Conv = { from: number; to: number; kernel: number; stride?: number };

const padsOf = (kernel: number, stride: number) => {
  const all = kernel - stride;
  return [all >> 1, all - (all >> 1)];
};

function conv(b: GraphBuilder, x: string, { from, to, kernel, stride = 1 }: Conv): string {
  const weights = b.weights([to, from, kernel], Math.sqrt(3 / (from * kernel)));
  return b.op("Conv", [x, weights], {
    kernel_shape: [kernel],
    strides: [stride],
    pads: padsOf(kernel, stride),
  });
}

const elu = (b: GraphBuilder, x: string) => b.op("Elu", [x]);

function residual(b: GraphBuilder, x: string, channels: number): string {
  const inner = conv(b, elu(b, x), { from: channels, to: channels / 2, kernel: 3 });
  return b.op("Add", [x, conv(b, elu(b, inner), { from: channels / 2, to: channels, kernel: 1 })]);
}

/** [1, T, WIDTH]. `cache`: keys and values of the positions before, of which as many end as come. */
function attended(b: GraphBuilder, input: string, cache: string | null): string {
  const linear = (x: string, from: number, to: number) => b.linear(x, { from, to, bias: false });
  const x = b.norm(input, WIDTH);
  const headsOf = () => split(b, linear(x, WIDTH, WIDTH), HEADS);
  const [queries, keys, values] = [headsOf(), headsOf(), headsOf()];
  const [allKeys, allValues] = cache === null ? [keys, values] : known(b, cache, [keys, values]);
  const weights = b.op("Softmax", [scoresOf(b, [queries, allKeys], HEADS)], { axis: -1 });
  const attention = linear(merged(b, b.op("MatMul", [weights, allValues]), HEADS), WIDTH, WIDTH);
  const sum = b.op("Add", [input, attention]);
  const wide = gelu(b, linear(b.norm(sum, WIDTH), WIDTH, 4 * WIDTH));
  return b.op("Add", [sum, linear(wide, 4 * WIDTH, WIDTH)]);
}

function known(b: GraphBuilder, cache: string, [keys, values]: [string, string]): [string, string] {
  const rows = b.op(
    "Concat",
    [keys, values].map((each) => b.op("Unsqueeze", [each, b.ints(0)])),
    { axis: 0 },
  );
  const count = b.op("Unsqueeze", [lengthOf(b, keys, 2), b.ints(0)]);
  const kept = b.op("Slice", [cache, count, b.ints(1_000_000), b.ints(3)]);
  const all = b.op("Concat", [kept, rows], { axis: 3 });
  b.output(all, `out_${cache}`);
  return [0, 1].map((at) => b.op("Gather", [all, b.int(at)], { axis: 0 })) as [string, string];
}

export function pocketDecoder(precision: BuiltPrecision): Graph {
  const b = new GraphBuilder(precision);
  const wide = b.op("MatMul", ["latent", b.weights([LATENT, WIDTH], 0.3)]);
  const dense = b.upsample(transposed(b, wide), {
    ...{ from: WIDTH, to: WIDTH, group: WIDTH },
    ...{ kernel: 2 * HZ_RATIO, stride: HZ_RATIO },
  });
  let x = transposed(b, dense);
  for (const cache of CACHES) x = attended(b, x, cache);
  x = conv(b, transposed(b, x), { from: WIDTH, to: WIDTH, kernel: 7 });
  for (const { channels, stride } of STAGES.toReversed()) {
    const kernel = 2 * stride;
    x = b.upsample(elu(b, x), {
      from: 2 * channels,
      to: channels,
      kernel,
      stride,
      pads: padsOf(kernel, stride),
    });
    x = residual(b, x, channels);
  }
  const samples = conv(b, elu(b, x), { from: STAGES[0]!.channels, to: 1, kernel: 3 });
  b.output(b.op("Tanh", [samples]), "audio_frame");
  const ports = portsOf("decoder");
  for (const { name } of ports.inputs)
    if (name.startsWith("state_") && !CACHES.includes(name)) b.output(name, `out_${name}`);
  return b.graph(ports);
}

export function pocketEncoder(): Graph {
  const b = new GraphBuilder();
  let x = conv(b, "audio", { from: 1, to: STAGES[0]!.channels, kernel: 7 });
  for (const { channels, stride } of STAGES) {
    x = elu(b, residual(b, x, channels));
    x = conv(b, x, { from: channels, to: 2 * channels, kernel: 2 * stride, stride });
  }
  x = transposed(b, conv(b, elu(b, x), { from: WIDTH, to: WIDTH, kernel: 3 }));
  for (const _ of CACHES) x = attended(b, x, null);
  const frames = conv(b, transposed(b, x), {
    from: WIDTH,
    to: WIDTH,
    kernel: 2 * HZ_RATIO,
    stride: HZ_RATIO,
  });
  b.output(b.linear(transposed(b, frames), { from: WIDTH, to: VOICE, bias: false }), "latents");
  return b.graph(portsOf("encoder"));
}
