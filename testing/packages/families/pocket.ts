/**
 * Small graphs with the published ports of Pocket TTS, in which everything that a frame depends on is heard: the voice, the
 * text, the frames before it, their order, and every state.
 *
 *   main      writes its rows into the caches at `step`; what comes out is a weighted mean of all rows so far
 *             the end comes when there are more frames than tokens
 *   flow      leads from the noise to the first values of that mean
 *   decoder   a wave of each frame's values, a fifth of the frame's before it, and its place since the start
 *
 * Rows say what they are: the values from 40 on are 1 for frames, for tokens, for the voice.
 */
import { type Graph, type Node, writeOnnx } from "../../onnx.ts";
import type { Contents } from "../model-store.ts";
import { portsOf, published } from "../published.ts";
import { openRandom, weights } from "../random.ts";
import {
  bundleOf,
  FRAME,
  jsonVocabulary,
  LATENT,
  LAYERS,
  modelVocabulary,
  rowFile,
  type Sizes,
  type Spoken,
  WIDTH,
} from "./pocket-files.ts";

const POSITIONS = 1000;
const [FRAME_MARK, TOKEN_MARK, VOICE_MARK] = [40, 41, 42];

const portsFor = (role: string, sizes: Sizes = {}) =>
  portsOf(published("pocket", "pocket-tts-en", { ...sizes }).graph(role)!);

const integers = (name: string, shape: number[], values: number[]) => ({
  name,
  shape,
  values: BigInt64Array.from(values, BigInt),
});
const floats = (name: string, shape: number[], values: ArrayLike<number>) => ({
  name,
  shape,
  values: Float32Array.from(values),
});
/** `ports`: "inputs -> output". */
function node(op: string, ports: string, attributes: Node["attributes"] = {}): Node {
  const [inputs, output] = ports.split(" -> ") as [string, string];
  return { op, inputs: inputs.split(" "), outputs: [output], attributes };
}
/** A row with a 1 at one place. */
const markAt = (place: number) => Float32Array.from({ length: WIDTH }, (_, at) => Number(at === place));

/** `framesOver`: how many more frames than tokens there are at the end. `rewrites`: each run also changes all other rows. */
type Made = Sizes & { framesOver?: number; rewrites?: boolean };

/** A wave for each token; the same ids give the same rows. */
const textGraph = (): Graph => ({
  ...portsFor("text"),
  nodes: [
    node("Cast", "token_ids -> ids", { to: 1 }),
    node("Unsqueeze", "ids last -> each"),
    node("Mul", "each pitches -> phases"),
    node("Sin", "phases -> waves"),
    node("Mul", "waves loud -> sounding"),
    node("Add", "sounding mark -> embeddings"),
  ],
  constants: [
    integers("last", [1], [2]),
    floats("pitches", [WIDTH], weights(openRandom(1), WIDTH, 2)),
    floats(
      "loud",
      [WIDTH],
      Float32Array.from({ length: WIDTH }, (_, at) => Number(at < LATENT)),
    ),
    floats("mark", [WIDTH], markAt(TOKEN_MARK)),
  ],
});

/** Each frame's samples times a matrix. */
const encoderGraph = (): Graph => ({
  ...portsFor("encoder"),
  nodes: [
    node("Reshape", "audio frames -> rows"),
    node("MatMul", "rows matrix -> values"),
    node("Pad", "values wide -> padded"),
    node("Add", "padded mark -> latents"),
  ],
  constants: [
    integers("frames", [3], [1, -1, FRAME]),
    floats("matrix", [FRAME, LATENT], weights(openRandom(2), FRAME * LATENT, 0.05)),
    integers("wide", [6], [0, 0, 0, 0, 0, WIDTH - LATENT]),
    floats("mark", [WIDTH], markAt(VOICE_MARK)),
  ],
});

/** Where the rows go in a cache, keys and values; and their weights by place. */
const PLACES: Node[] = [
  node("Concat", "text_embeddings frames -> rows", { axis: 1 }),
  node("Shape", "rows -> dims"),
  node("Gather", "dims one -> count"),
  node("Gather", "state_2 zero -> from"),
  node("Add", "from count -> until"),
  node("Range", "from until one -> places"),
  node("Unsqueeze", "places last -> column"),
  node("Mul", "column nothing -> nothings"),
  node("Add", "nothings unit -> ones"),
  node("Concat", "nothings nothings column -> keys", { axis: 1 }),
  node("Concat", "ones nothings column -> values", { axis: 1 }),
  node("Concat", "keys values -> indices", { axis: 0 }),
  node("Reshape", "until unit_shape -> ends"),
  node("Slice", "decay start ends -> weights"),
];

/** One layer: its cache with the rows, and the weighted sum of its values so far. */
function layerNodes(layer: number, rewrites: boolean): Node[] {
  const cache = `out_state_${3 * layer}`;
  const written = rewrites ? `written_${layer}` : cache;
  const named = (name: string) => `${name}_${layer}`;
  return [
    node("Mul", `rows strength_${layer} -> ${named("scaled")}`),
    node("Reshape", `${named("scaled")} heads -> ${named("key")}`),
    node("Neg", `${named("key")} -> ${named("value")}`),
    node("Concat", `${named("key")} ${named("value")} -> ${named("updates")}`, { axis: 0 }),
    node("ScatterND", `state_${3 * layer} indices ${named("updates")} -> ${written}`),
    ...(rewrites ? [node("Add", `${written} strength_${layer} -> ${cache}`)] : []),
    node("Slice", `${cache} value_start value_end axes -> ${named("held")}`),
    node("Slice", `${named("held")} start ends position_axis -> ${named("known")}`),
    node("Reshape", `${named("known")} rows_shape -> ${named("read")}`),
    node("MatMul", `weights ${named("read")} -> ${named("sum")}`),
    node("Identity", `state_${3 * layer + 1} -> out_state_${3 * layer + 1}`),
    node("Add", `state_${3 * layer + 2} counted -> out_state_${3 * layer + 2}`),
  ];
}

export function mainGraph({ framesOver = 0, rewrites = false, ...sizes }: Made = {}): Graph {
  const layers = Array.from({ length: sizes.layers ?? LAYERS }, (_, layer) => layer);
  return {
    ...portsFor("main", sizes),
    nodes: [
      node("IsNaN", "sequence -> absent"),
      node("Where", "absent begin sequence -> latents"),
      node("Pad", "latents wide -> padded"),
      node("Add", "padded frame_mark -> frames"),
      ...PLACES,
      node("Reshape", "count unit_shape -> counted"),
      ...layers.flatMap((layer) => layerNodes(layer, rewrites)),
      node("Sum", `${layers.map((layer) => `sum_${layer}`).join(" ")} -> all`),
      node("ReduceSum", "weights -> weight", { keepdims: 1 }),
      node("Div", "all weight -> mean"),
      node("Reshape", "mean row_shape -> conditioning"),
      node("Slice", "read_0 mark_start mark_end unit -> marks"),
      node("ReduceSum", "marks start -> sums", { keepdims: 1 }),
      node("MatMul", "sums over -> difference"), // values are negated keys
      node("Add", "difference threshold -> eos_logit"),
    ],
    constants: [
      integers("zero", [], [0]),
      integers("one", [], [1]),
      integers("nothing", [1], [0]),
      integers("unit", [1], [1]),
      integers("unit_shape", [1], [1]),
      integers("last", [1], [1]),
      integers("start", [1], [0]),
      integers("value_start", [1], [1]),
      integers("value_end", [1], [2]),
      integers("axes", [1], [0]),
      integers("position_axis", [1], [2]),
      integers("heads", [3], [-1, 16, 64]),
      integers("rows_shape", [2], [-1, WIDTH]),
      integers("row_shape", [2], [1, WIDTH]),
      integers("mark_start", [1], [FRAME_MARK]),
      integers("mark_end", [1], [TOKEN_MARK + 1]),
      integers("wide", [6], [0, 0, 0, 0, 0, WIDTH - LATENT]),
      floats("begin", [LATENT], weights(openRandom(3), LATENT, 0.5)),
      floats("frame_mark", [WIDTH], markAt(FRAME_MARK)),
      floats(
        "decay",
        [POSITIONS],
        Float32Array.from({ length: POSITIONS }, (_, at) => 1 + (at % 7) / 7),
      ),
      floats("over", [2, 1], [-1, 1]),
      floats("threshold", [1, 1], [-4 - framesOver]),
      ...layers.map((layer) => floats(`strength_${layer}`, [1], [layer === 0 ? 1 : (layer + 1) / 8])),
    ],
  };
}

/** From the noise to half of what the model says, by the time of the step. */
const flowGraph = (): Graph => ({
  ...portsFor("flow"),
  nodes: [
    node("Slice", "c start end axis -> head"),
    node("Mul", "head rate -> aim"),
    node("Mul", "x pull -> drawn"),
    node("Add", "aim drawn -> moved"),
    node("Mul", "t late -> later"),
    node("Add", "s later -> time"),
    node("Mul", "time small -> drift"),
    node("Add", "moved drift -> flow_dir"),
  ],
  constants: [
    integers("start", [1], [0]),
    integers("end", [1], [LATENT]),
    integers("axis", [1], [1]),
    floats("rate", [1], [0.2]),
    floats("pull", [1], [-0.25]),
    floats("late", [1], [2]),
    floats("small", [1], [0.05]),
  ],
});

/** The state that holds the frame before, and the one that counts places: 16 to a frame. */
const [BEFORE, COUNTED] = ["state_1", "state_21"];

function decoderGraph({ framesOver: _, rewrites: __, ...sizes }: Made = {}): Graph {
  const { inputs, outputs } = portsFor("decoder", sizes);
  const states = inputs.map(({ name }) => name).filter((name) => name.startsWith("state_"));
  const unchanged = states.filter((name) => ![BEFORE, COUNTED].includes(name));
  return {
    inputs,
    outputs,
    nodes: [
      node("Reshape", `${BEFORE} flat -> held`),
      node("Slice", "held start latent_end -> previous"),
      node("Reshape", "previous row -> before"),
      node("Concat", "before latent -> both", { axis: 1 }),
      node("Slice", "both start almost one_axis -> shifted"),
      node("Slice", "both almost end one_axis -> newest"),
      node("Mul", "latent most -> own"),
      node("Mul", "shifted little -> echo"),
      node("Add", "own echo -> mixed"),
      node("MatMul", "mixed wave -> waves"),
      node("Shape", "latent -> dims"),
      node("Gather", "dims one -> count"),
      node("Range", "zero count one -> each"),
      node("Mul", "each steps -> places"),
      node("Add", `places ${COUNTED} -> since`),
      node("Cast", "since -> time", { to: 1 }),
      node("Mul", "time slope -> rising"),
      node("Reshape", "rising column -> lifts"),
      node("Add", "waves lifts -> frames"),
      node("Reshape", "frames samples -> audio_frame"),
      node("Reshape", "newest vector -> last"),
      node("Pad", "last rest -> kept"),
      node("Reshape", `kept held_shape -> out_${BEFORE}`),
      node("Mul", "count steps -> passed"),
      node("Add", `${COUNTED} passed -> out_${COUNTED}`),
      ...unchanged.map((name) => node("Identity", `${name} -> out_${name}`)),
    ],
    constants: [
      integers("zero", [], [0]),
      integers("one", [], [1]),
      integers("flat", [1], [-1]),
      integers("vector", [1], [LATENT]),
      integers("start", [1], [0]),
      integers("latent_end", [1], [LATENT]),
      integers("almost", [1], [-1]),
      integers("end", [1], [POSITIONS]),
      integers("one_axis", [1], [1]),
      integers("row", [3], [1, 1, LATENT]),
      integers("column", [3], [1, -1, 1]),
      integers("samples", [3], [1, 1, -1]),
      integers("steps", [1], [16]),
      integers("rest", [2], [0, 512 * 6 - LATENT]),
      integers("held_shape", [3], [1, 512, 6]),
      floats("most", [1], [0.8]),
      floats("little", [1], [0.2]),
      floats("slope", [1], [1e-5]),
      floats("wave", [LATENT, FRAME], weights(openRandom(4), LATENT * FRAME, 0.3)),
    ],
  };
}

const graphs = (made: Made): Contents => ({
  text: { path: "text_conditioner.onnx", bytes: writeOnnx(textGraph()) },
  encoder: { path: "mimi_encoder.onnx", bytes: writeOnnx(encoderGraph()) },
  main: { path: "flow_lm_main.onnx", bytes: writeOnnx(mainGraph(made)) },
  flow: { path: "flow_lm_flow.onnx", bytes: writeOnnx(flowGraph()) },
  decoder: { path: "mimi_decoder.onnx", bytes: writeOnnx(decoderGraph(made)) },
});

/** As the exports of April 2026 are: a bundle, a model file of the tokenizer, a row before every voice. */
export const pocketContents = ({ language = "english", ...made }: Made & Spoken = {}): Contents => ({
  ...graphs(made),
  bundle: { path: "bundle.json", bytes: bundleOf(language, made) },
  tokenizer: { path: "tokenizer.model", bytes: modelVocabulary() },
  bos: { path: "bos_before_voice.npy", bytes: rowFile() },
});

/** As those of January 2026 are. */
export const oldPocketContents = (made: Made = {}): Contents => ({ ...graphs(made), ...jsonVocabulary() });
