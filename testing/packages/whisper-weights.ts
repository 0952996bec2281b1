/**
 * Published Whisper weights in the files of a package: the tensors of a CTranslate2 folder, put into the graphs of the
 * benchmarks in the order in which these ask for them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GraphBuilder } from "../../bench/real-size/graphs/graph-builder.ts";
import { whisperDecoder, whisperEncoder } from "../../bench/real-size/graphs/whisper.ts";
import { type Graph, onnxParts } from "../onnx.ts";
import { readCTranslate2, type Tensor } from "./ctranslate2.ts";
import { configOf } from "./families/whisper.ts";
import type { Sizes } from "./published.ts";

const EPSILON = 1e-5; // of Whisper's layer normalization
const MULTILINGUAL_FROM = 51_865; // tokens
const TIMES = 1501; // tokens of times: 0.00 to 30.00 s

/** Gives each layer the next of the known tensors, and refuses one of another shape. */
class KnownWeights extends GraphBuilder {
  readonly #left: Tensor[];

  constructor(tensors: Tensor[]) {
    super("fp32");
    this.#left = [...tensors];
  }

  override weights(shape: number[]): string {
    const next = this.#left.shift();
    if (String(next?.shape) !== String(shape))
      throw new Error(`the next tensor is [${next?.shape}], and [${shape}] is needed`);
    return this.table(shape, next!.values);
  }

  override norm(x: string, width: number): string {
    const scale = this.weights([width]);
    const attributes = { axis: -1, epsilon: { float: EPSILON } };
    return this.op("LayerNormalization", [x, scale, this.weights([width])], attributes);
  }

  /** All of them were asked for. */
  finish(graph: Graph): Graph {
    if (this.#left.length > 0) throw new Error(`${this.#left.length} tensors are left`);
    return graph;
  }
}

/** Writes the files of the package into `folder`, under the names of the published export. */
export function writeWhisper(ctranslate2: string, folder: string): void {
  const tensors = readCTranslate2(join(ctranslate2, "model.bin"));
  const named = (name: string): Tensor => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`the model has no ${name}`);
    return tensor;
  };
  const sizes = sizesIn(named);
  const model = { name: "whisper-tiny.en", sizes };
  const encoder = new KnownWeights(encoderTensors(named, sizes));
  const decoder = new KnownWeights(decoderTensors(named, sizes));
  write(join(folder, "encoder_model.onnx"), encoder.finish(whisperEncoder(encoder, model)));
  write(join(folder, "decoder_model_merged.onnx"), decoder.finish(whisperDecoder(decoder, model, null)));
  const settings = JSON.parse(readFileSync(join(ctranslate2, "config.json"), "utf8"));
  const json = (name: string, content: object) =>
    writeFileSync(join(folder, name), JSON.stringify(content, null, 2));
  json("config.json", configOf({ eot: endOf(sizes), vocabulary: sizes.vocabulary! }, sizes));
  json("generation_config.json", { ...generationOf(sizes), ...chosenBy(settings) });
  writeFileSync(join(folder, "tokenizer.json"), readFileSync(join(ctranslate2, "tokenizer.json")));
}

type Named = (name: string) => Tensor;

function sizesIn(named: Named) {
  const [vocabulary, width] = named("decoder/embeddings/weight").shape as [number, number];
  let layers = 0;
  while (hasLayer(named, layers)) layers++;
  return { mels: named("encoder/conv1/weight").shape[1]!, width, heads: width / 64, layers, vocabulary };
}

function hasLayer(named: Named, layer: number): boolean {
  try {
    return named(`encoder/layer_${layer}/ffn/layer_norm/gamma`) !== undefined;
  } catch {
    return false;
  }
}

/** Rows `from` to `to` of a matrix [out, in] as [in, out]. */
function turned({ shape, values }: Tensor, from = 0, to = shape[0]!): Tensor {
  const inputs = shape[1]!;
  const outputs = to - from;
  const result = new Float32Array(inputs * outputs);
  for (let row = 0; row < outputs; row++)
    for (let column = 0; column < inputs; column++)
      result[column * outputs + row] = values[(from + row) * inputs + column]!;
  return { shape: [inputs, outputs], values: result };
}

const slice = ({ values }: Tensor, from: number, to: number): Tensor => ({
  shape: [to - from],
  values: values.slice(from, to),
});

const norm = (named: Named, path: string) => [named(`${path}/gamma`), named(`${path}/beta`)];

function linear(named: Named, path: string): Tensor[] {
  return [turned(named(`${path}/weight`)), named(`${path}/bias`)];
}

/** One of several layers whose outputs lie behind each other; a key has no bias, and its zeros are left out. */
function part(named: Named, path: string, { width, index, bias = true }: Part): Tensor[] {
  const [from, to] = [index * width, (index + 1) * width];
  const weight = turned(named(`${path}/weight`), from, to);
  return bias ? [weight, slice(named(`${path}/bias`), from, to)] : [weight];
}
type Part = { width: number; index: number; bias?: boolean };

function selfAttention(named: Named, layer: string, width: number): Tensor[] {
  const path = `${layer}/self_attention`;
  return [
    ...norm(named, `${path}/layer_norm`),
    ...part(named, `${path}/linear_0`, { width, index: 0 }),
    ...part(named, `${path}/linear_0`, { width, index: 1, bias: false }),
    ...part(named, `${path}/linear_0`, { width, index: 2 }),
    ...linear(named, `${path}/linear_1`),
  ];
}

/** Keys and values of the sound come first, as the graph computes them before it reads them. */
function crossAttention(named: Named, layer: string, width: number): Tensor[] {
  const path = `${layer}/attention`;
  return [
    ...part(named, `${path}/linear_1`, { width, index: 0, bias: false }),
    ...part(named, `${path}/linear_1`, { width, index: 1 }),
    ...norm(named, `${path}/layer_norm`),
    ...linear(named, `${path}/linear_0`),
    ...linear(named, `${path}/linear_2`),
  ];
}

const feedForward = (named: Named, layer: string): Tensor[] => [
  ...norm(named, `${layer}/ffn/layer_norm`),
  ...linear(named, `${layer}/ffn/linear_0`),
  ...linear(named, `${layer}/ffn/linear_1`),
];

const layersOf = (side: string, { layers }: Sizes) =>
  Array.from({ length: layers! }, (_, index) => `${side}/layer_${index}`);

const encoderTensors = (named: Named, sizes: Sizes): Tensor[] => [
  ...["conv1", "conv2"].flatMap((each) => [named(`encoder/${each}/bias`), named(`encoder/${each}/weight`)]),
  named("encoder/position_encodings/encodings"),
  ...layersOf("encoder", sizes).flatMap((layer) => [
    ...selfAttention(named, layer, sizes.width!),
    ...feedForward(named, layer),
  ]),
  ...norm(named, "encoder/layer_norm"),
];

const decoderTensors = (named: Named, sizes: Sizes): Tensor[] => [
  named("decoder/embeddings/weight"),
  named("decoder/position_encodings/encodings"),
  ...layersOf("decoder", sizes).flatMap((layer) => [
    ...selfAttention(named, layer, sizes.width!),
    ...crossAttention(named, layer, sizes.width!),
    ...feedForward(named, layer),
  ]),
  ...norm(named, "decoder/layer_norm"),
];

const endOf = ({ vocabulary }: Sizes) => (vocabulary! < MULTILINGUAL_FROM ? 50_256 : 50_257);

function idsOf(sizes: Sizes) {
  const end = endOf(sizes);
  return { eos_token_id: end, pad_token_id: end, decoder_start_token_id: end + 1 };
}

const generationOf = (sizes: Sizes) => ({
  is_multilingual: sizes.vocabulary! >= MULTILINGUAL_FROM,
  max_initial_timestamp_index: 50,
  max_length: 448,
  no_timestamps_token_id: sizes.vocabulary! - TIMES - 1,
  ...idsOf(sizes),
});

type Ct2Settings = { alignment_heads: number[][]; suppress_ids: number[]; suppress_ids_begin: number[] };

const chosenBy = ({ alignment_heads, suppress_ids, suppress_ids_begin }: Ct2Settings) => ({
  alignment_heads,
  suppress_tokens: suppress_ids,
  begin_suppress_tokens: suppress_ids_begin,
});

function write(path: string, graph: Graph): void {
  writeFileSync(path, Buffer.concat([...onnxParts(graph)]));
}
