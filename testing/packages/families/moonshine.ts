/**
 * Moonshine's five graphs with the published ports, random weights, and a text that follows the sound: each token looks
 * at its own 0.24 s, and depends a little on the tokens before it; the text ends where the sound does.
 *
 *   memory, of each head   [place, place², 8 of content, 0 …]      a query with (2·c·middle, -c) looks at the middle
 */
import { type Graph, writeOnnx } from "../../onnx.ts";
import type { Contents } from "../model-store.ts";
import { inRuntimeFormat } from "../ort.ts";
import { apart } from "../precision.ts";
import type { Sizes } from "../published.ts";
import { openRandom, weights } from "../random.ts";
import { FIRST_PIECE, moonshineDecoder } from "./moonshine-decoder.ts";
import { float, integers, type Model, marked, portsFor, rows, scalar } from "./moonshine-parts.ts";

const CONTENT = 8;
const FEATURE_SAMPLES = 320;

/** Of a small model; the vocabulary has some sixty words. */
const SMALL_MOONSHINE: Sizes = {
  encoder_dim: 16,
  decoder_dim: 32,
  depth: 2,
  layers: 2,
  nheads: 2,
  head_dim: 16,
  vocab_size: 320,
  d_model_frontend: 6,
  c1: 12,
};

function frontend({ seed, sizes }: Model): Graph {
  const random = openRandom(seed);
  return {
    ...portsFor("frontend", sizes),
    nodes: [
      { op: "Slice", inputs: ["sample_buffer", "zero", "sample_len", "one"], outputs: ["before"] },
      { op: "Concat", inputs: ["before", "audio_chunk"], outputs: ["samples"], attributes: { axis: 1 } },
      { op: "Unsqueeze", inputs: ["samples", "one"], outputs: ["wave"] },
      {
        op: "Conv",
        inputs: ["wave", "kernel"],
        outputs: ["convolved"],
        attributes: { kernel_shape: [FEATURE_SAMPLES], strides: [FEATURE_SAMPLES] },
      },
      { op: "Transpose", inputs: ["convolved"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
      {
        op: "ReduceMean",
        inputs: ["conv1_buffer"],
        outputs: ["first"],
        attributes: { axes: [1, 2], keepdims: 0 },
      },
      {
        op: "ReduceMean",
        inputs: ["conv2_buffer"],
        outputs: ["second"],
        attributes: { axes: [1, 2], keepdims: 0 },
      },
      { op: "Add", inputs: ["turned", "first"], outputs: ["leaning"] },
      { op: "Add", inputs: ["leaning", "second"], outputs: ["unbounded"] },
      { op: "Tanh", inputs: ["unbounded"], outputs: ["bounded"] },
      { op: "MatMul", inputs: ["bounded", "widen"], outputs: ["features"] },
      { op: "ReduceMean", inputs: ["bounded"], outputs: ["mean"], attributes: { axes: [1, 2], keepdims: 0 } },
      { op: "Mul", inputs: ["conv1_buffer", "half"], outputs: ["faded1"] },
      { op: "Add", inputs: ["faded1", "mean"], outputs: ["conv1_buffer_out"] },
      { op: "Mul", inputs: ["conv2_buffer", "half"], outputs: ["faded2"] },
      { op: "Add", inputs: ["faded2", "little"], outputs: ["conv2_buffer_out"] },
      { op: "Mul", inputs: ["sample_buffer", "half"], outputs: ["sample_buffer_out"] },
      { op: "Mul", inputs: ["sample_len", "zero"], outputs: ["sample_len_out"] },
      { op: "Add", inputs: ["frame_count", "one"], outputs: ["frame_count_out"] },
    ],
    constants: [
      integers("zero", 0),
      integers("one", 1),
      float("half", 0.5),
      float("little", 0.02),
      {
        name: "kernel",
        shape: [CONTENT, 1, FEATURE_SAMPLES],
        values: weights(random, CONTENT * FEATURE_SAMPLES, 0.8),
      },
      rows("widen", [CONTENT, sizes.encoder_dim!], weights(random, CONTENT * sizes.encoder_dim!, 0.5)),
    ],
  };
}

/** Each frame and two on both sides. */
function encoder({ seed, sizes }: Model): Graph {
  const random = openRandom(seed + 1);
  const width = sizes.encoder_dim!;
  return {
    ...portsFor("encoder", sizes),
    nodes: [
      { op: "MatMul", inputs: ["features", "narrow"], outputs: ["thin"] },
      { op: "Transpose", inputs: ["thin"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
      {
        op: "Conv",
        inputs: ["turned", "kernel"],
        outputs: ["convolved"],
        attributes: { kernel_shape: [5], pads: [2, 2] },
      },
      { op: "Tanh", inputs: ["convolved"], outputs: ["bounded"] },
      { op: "Transpose", inputs: ["bounded"], outputs: ["back"], attributes: { perm: [0, 2, 1] } },
      { op: "MatMul", inputs: ["back", "widen"], outputs: ["encoded"] },
    ],
    constants: [
      rows("narrow", [width, CONTENT], weights(random, width * CONTENT, 0.5)),
      rows("widen", [CONTENT, width], weights(random, CONTENT * width, 0.5)),
      { name: "kernel", shape: [CONTENT, CONTENT, 5], values: weights(random, CONTENT * CONTENT * 5, 0.5) },
    ],
  };
}

function adapter({ seed, sizes }: Model): Graph {
  const { encoder_dim, decoder_dim, head_dim } = sizes as Record<string, number>;
  const content = weights(openRandom(seed + 2), encoder_dim! * CONTENT, 0.7);
  const widen = new Float32Array(encoder_dim! * decoder_dim!);
  for (let at = 0; at < widen.length; at++) {
    const [from, to] = [Math.floor(at / decoder_dim!), (at % decoder_dim!) % head_dim!];
    if (to >= 2 && to < 2 + CONTENT) widen[at] = content[from * CONTENT + to - 2]!;
  }
  return {
    ...portsFor("adapter", sizes),
    nodes: [
      { op: "Shape", inputs: ["encoded"], outputs: ["sizes"] },
      { op: "Gather", inputs: ["sizes", "one"], outputs: ["count"] },
      { op: "Squeeze", inputs: ["pos_offset"], outputs: ["start"] },
      { op: "Add", inputs: ["start", "count"], outputs: ["end"] },
      { op: "Range", inputs: ["start", "end", "one"], outputs: ["whole"] },
      { op: "Cast", inputs: ["whole"], outputs: ["flat"], attributes: { to: 1 } },
      { op: "Unsqueeze", inputs: ["flat", "last"], outputs: ["places"] },
      { op: "Mul", inputs: ["places", "places"], outputs: ["squares"] },
      { op: "MatMul", inputs: ["encoded", "widen"], outputs: ["content"] },
      { op: "Mul", inputs: ["places", "first"], outputs: ["placed"] },
      { op: "Mul", inputs: ["squares", "second"], outputs: ["squared"] },
      { op: "Add", inputs: ["content", "placed"], outputs: ["both"] },
      { op: "Add", inputs: ["both", "squared"], outputs: ["memory"] },
    ],
    constants: [
      scalar("one", 1),
      integers("last", 1),
      rows("widen", [encoder_dim!, decoder_dim!], widen),
      rows("first", [1, decoder_dim!], marked(sizes, 0)),
      rows("second", [1, decoder_dim!], marked(sizes, 1)),
    ],
  };
}

function cross({ sizes }: Model): Graph {
  const { depth, nheads, head_dim } = sizes as Record<string, number>;
  return {
    ...portsFor("cross", sizes),
    nodes: [
      { op: "Reshape", inputs: ["memory", "by_head"], outputs: ["split"] },
      { op: "Transpose", inputs: ["split"], outputs: ["heads"], attributes: { perm: [0, 2, 1, 3] } },
      { op: "Unsqueeze", inputs: ["heads", "zero"], outputs: ["once"] },
      { op: "Expand", inputs: ["once", "layers"], outputs: ["k_cross"] },
      { op: "Identity", inputs: ["k_cross"], outputs: ["v_cross"] },
    ],
    constants: [
      integers("by_head", 1, -1, nheads!, head_dim!),
      integers("zero", 0),
      integers("layers", depth!, 1, 1, 1, 1),
    ],
  };
}

/** Words, parts of words, and a full stop. */
export function moonshineVocabulary(count: number): Uint8Array {
  const texts = Array.from({ length: count - FIRST_PIECE }, (_, at) => {
    if (at === 0) return ".";
    return at % 4 === 0 ? `ly${at}` : `▁word${at}`;
  });
  const specials = ["<unk>", "<s>", "</s>"].map((text) => Buffer.from(text));
  const bytes = Array.from({ length: 256 }, (_, value) => Buffer.of(value));
  const pieces = [...specials, ...bytes, ...texts.map((text) => Buffer.from(text))];
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.of(piece.length), piece]));
}

export const moonshineConfig = (sizes: Sizes) =>
  JSON.stringify({
    ...sizes,
    bos_id: 1,
    eos_id: 2,
    frame_len: 80,
    total_lookahead: 16,
    c2: sizes.encoder_dim,
  });

/** With the frontend in two files, as it is published; without attention where the export does not tell it. */
export function moonshineGraphs(model: Model, attends = true) {
  const { graph, weights } = apart(frontend(model));
  return {
    frontend: graph,
    "frontend-weights": weights,
    encoder: encoder(model),
    adapter: adapter(model),
    cross: cross(model),
    decoder: attends ? moonshineDecoder(model) : withoutAttention(moonshineDecoder(model)),
  };
}

const withoutAttention = (graph: Graph): Graph => ({
  ...graph,
  outputs: graph.outputs.filter(({ name }) => !name.startsWith("cross_attentions.")),
});

/** As exports before August 2026 have it, where packages of them are installed. */
export const oneFileFrontend = async (): Promise<Contents> => ({
  frontend: {
    path: "frontend.ort",
    bytes: await inRuntimeFormat(writeOnnx(frontend({ seed: 1, sizes: SMALL_MOONSHINE }))),
  },
});

const PATHS = {
  frontend: "frontend.model.ort",
  "frontend-weights": "frontend.weights.ort",
  encoder: "encoder.ort",
  adapter: "adapter.ort",
  cross: "cross_kv.ort",
  decoder: "decoder_kv_with_attention.ort",
};

export async function moonshineContents({
  seed = 1,
  sizes = SMALL_MOONSHINE,
  attends = true,
}: Partial<Model> & { attends?: boolean } = {}): Promise<Contents> {
  const graphs = Object.entries(moonshineGraphs({ seed, sizes }, attends));
  const files = graphs.map(async ([role, graph]) => {
    const bytes = await inRuntimeFormat(writeOnnx(graph));
    return [role, { path: PATHS[role as keyof typeof PATHS], bytes }];
  });
  return {
    ...Object.fromEntries(await Promise.all(files)),
    config: { path: "streaming_config.json", bytes: moonshineConfig(sizes) },
    vocabulary: { path: "tokenizer.bin", bytes: moonshineVocabulary(sizes.vocab_size!) },
  };
}
