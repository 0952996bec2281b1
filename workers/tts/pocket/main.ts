/**
 * The language model of Pocket TTS: it reads rows of a voice or of a text, and says what the next frame is drawn from. Its
 * caches of keys and values stay here, and a run only returns the rows that it wrote into them.
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { readModelFile } from "../../../src/onnx/model-file.ts";
import { type Graph, type Outputs, openGraph, type Signature, type Tensor } from "../../onnx/session.ts";
import { type WrittenCache, withWrittenRows } from "../../onnx/written-rows.ts";
import type { Bundle } from "./bundle.ts";
import {
  advanced,
  initialStates,
  OUT,
  outputsOf,
  type State,
  type States,
  statesOf,
  withStates,
} from "./states.ts";

type Following = { conditioning: Float32Array; endLogit: number; states: States };

const CONDITIONING = "conditioning";
const END = "eos_logit";
const POSITION_AXIS = 2; // of a cache [2, 1, positions, heads, values]

/** A sequence of frames, and rows of a text or a voice; one of them is empty. */
type Input = { sequence: Float32Array; text: Float32Array };

export async function openMain(path: string, bundle: Bundle, placement: Placement) {
  const layout = layoutOf(path, bundle);
  const { states, caches, steps, written } = layout;
  const model = withWrittenRows(path, written, POSITION_AXIS);
  const graph = await openGraph(model ?? path, withStates(signatureOf(bundle), states), placement);
  const ask = askedWith(graph, bundle);
  const initial = () => initialStates(graph, states);
  const outputs = outputsOf([CONDITIONING, END], states);
  const rest = outputs.filter((name) => !written.some(({ cache }) => cache === name));
  const rows = written.map((one) => one.rows);
  const nothing = new Float32Array(0);

  /** Whether a run changes its caches in the rows of its positions only. */
  async function writesRowsOnly(): Promise<boolean> {
    const before = initial();
    const sequence = new Float32Array(bundle.latent_dim).fill(Number.NaN);
    const result = await ask(before, { sequence, text: nothing }, [...outputs, ...rows]);
    keepRows(layout, before, result);
    return written.every(({ cache }, layer) => isSame(before[caches[layer]!.name]!, result[cache]!));
  }

  const hasRows = model !== null && (await writesRowsOnly());

  async function run(before: States, input: Input): Promise<Following> {
    const result = await ask(before, input, hasRows ? [...rest, ...rows] : outputs);
    if (hasRows) keepRows(layout, before, result);
    return {
      conditioning: result[CONDITIONING]!.data as Float32Array,
      endLogit: (result[END]!.data as Float32Array)[0]!,
      states: advanced(before, result),
    };
  }

  return {
    /** Of each layer: [2, 1, positions, heads, values]; and how many positions are taken. */
    ...{ caches, steps, positions: caches[0]!.shape[POSITION_AXIS]! },
    ...{ width: bundle.conditioning_dim, latent: bundle.latent_dim, hasRows, initial },
    /** Rows of a voice or of a text; what the graph says of the next frame means nothing then. The states before it end. */
    read: async (before: States, text: Float32Array) =>
      (await run(before, { sequence: nothing, text })).states,
    /** After a frame; NaN stands for the one before the first. The states before it end. */
    follow: (before: States, sequence: Float32Array) => run(before, { sequence, text: nothing }),
  };
}

const askedWith =
  ({ session, Tensor }: Graph, { latent_dim: LATENT, conditioning_dim: WIDTH }: Bundle) =>
  (before: States, { sequence, text }: Input, outputs: string[]): Promise<Outputs> =>
    session.run(
      {
        sequence: new Tensor("float32", sequence, [1, sequence.length / LATENT, LATENT]),
        text_embeddings: new Tensor("float32", text, [1, text.length / WIDTH, WIDTH]),
        ...before,
      },
      outputs,
    );

/** The states, and of each layer its cache and its count of positions. */
type Layout = { states: State[]; caches: State[]; steps: State[]; written: WrittenCache[] };

function layoutOf(path: string, { flow_lm_state_manifest: entries }: Bundle): Layout {
  const states = statesOf(readModelFile(path).inputs, { entries });
  const caches = states.filter(({ shape }) => shape.length === 5);
  const steps = states.filter(({ type }) => type === "int64");
  if (caches.length === 0 || steps.length !== caches.length)
    throw new Error("this is another model: it has no states state_0, state_1 …");
  const written = caches.map(({ name }, layer) => ({
    cache: OUT + name,
    from: steps[layer]!.name,
    until: OUT + steps[layer]!.name,
    rows: `loquat_rows_${name}`,
  }));
  return { states, caches, steps, written };
}

/** Writes the rows of a run into the caches before it. */
function keepRows({ caches, steps, written }: Layout, before: States, result: Outputs): void {
  for (const [layer, { rows }] of written.entries()) {
    const position = Number((before[steps[layer]!.name]!.data as BigInt64Array)[0]);
    writeRows(before[caches[layer]!.name]!.data as Float32Array, position, result[rows]!);
  }
}

function signatureOf({ latent_dim, conditioning_dim }: Bundle): Signature {
  return {
    inputs: {
      sequence: { type: "float32", shape: [1, null, latent_dim] },
      text_embeddings: { type: "float32", shape: [1, null, conditioning_dim] },
    },
    outputs: {
      [CONDITIONING]: { type: "float32", shape: null },
      [END]: { type: "float32", shape: null },
    },
  };
}

/** Keys and values, each at the same positions; nothing where they do not fit. */
function writeRows(cache: Float32Array, position: number, { data, dims }: Tensor): void {
  const rows = data as Float32Array;
  const at = position * dims[3]! * dims[4]!;
  const half = rows.length / 2;
  if (at + half > cache.length / 2) return;
  cache.set(rows.subarray(0, half), at);
  cache.set(rows.subarray(half), cache.length / 2 + at);
}

const isSame = (a: Tensor, b: Tensor): boolean => Buffer.compare(bytesOf(a), bytesOf(b)) === 0;

function bytesOf({ data }: Tensor): Uint8Array {
  const { buffer, byteOffset, byteLength } = data as Float32Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}
