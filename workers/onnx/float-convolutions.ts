/**
 * A model whose convolutions of integers are made of floats, with the same results: in ONNX Runtime, those of integers take
 * most of the time of a quantized vocoder.
 *
 *   ConvInteger(x, w, zero of x, zero of w) ──> Conv(x - zero of x, w - zero of w), and its sums as integers again
 *
 * All values are whole numbers, so the sums are the same. The weights take four times the memory. Field numbers are those of
 * onnx.proto3.
 */
import { MODEL_GRAPH, NODE, type Node, nodeOf, OUTPUT } from "../../src/onnx/graph-nodes.ts";
import {
  bytesField,
  type Field,
  fieldsOf,
  headOf,
  numberField,
  ProtobufError,
  textOf,
} from "../../src/onnx/protobuf.ts";
import { quantizedWeights, type Weights } from "./quantized-weights.ts";

const [INITIALIZER, INPUT] = [5, 11];
const NODE_ATTRIBUTE = 5;
const [ATTRIBUTE_GRAPH, ATTRIBUTE_GRAPHS] = [6, 11];
const [FLOAT, INT32] = [1, 6];
const TYPE_INTEGER = 2;
/** The runtime takes no more than 2 GB, and holds it twice while it reads it. */
const MODEL_BYTES_MAX = 2 ** 30;

/** `floats`: the name of the weights that take the place of the quantized ones. */
type Convolution = { node: Node; weights: Weights; floats: string };

/** Bytes, or weights that become floats where the bytes are joined, so that they are held once. */
type Piece = Uint8Array | Weights;

/** Null where there is no such convolution, where nodes have graphs of their own, or where it is no model. */
export function withFloatConvolutions(model: Uint8Array): Uint8Array | null {
  try {
    const pieces = piecesOf(model);
    return pieces && lengthOf(pieces) <= MODEL_BYTES_MAX ? joined(pieces) : null;
  } catch (error) {
    if (error instanceof ProtobufError) return null;
    throw error;
  }
}

function piecesOf(model: Uint8Array): Piece[] | null {
  const fields = [...fieldsOf(model)].map((field) => ({
    field,
    parts: field.number === MODEL_GRAPH ? [...fieldsOf(field.value)] : null,
  }));
  const parts = fields.flatMap((each) => each.parts ?? []);
  const nodes = parts.filter(({ number }) => number === NODE).map(nodeOf);
  if (nodes.some(hasGraph)) return null;
  const convolutions = convolutionsOf(parts, nodes);
  if (convolutions.size === 0) return null;
  const left = new Set(nodes.flatMap(({ field, inputs }) => (convolutions.has(field) ? [] : inputs)));
  const made = new Map([...convolutions.values()].map(({ floats, weights }) => [floats, weights]));
  const unused = new Set([...made.values()].flatMap(({ field, name }) => (left.has(name) ? [] : field)));
  const added = [...made].flatMap(([floats, weights]) => tensor(floats, weights));
  return fields.flatMap(({ field, parts }) => {
    if (!parts) return field.whole;
    const pieces = parts.flatMap((part): Piece[] => {
      const convolution = convolutions.get(part);
      if (convolution) return nodesFor(convolution);
      return unused.has(part) ? [] : [part.whole];
    });
    pieces.push(...added.splice(0)); // once, where the graph is divided
    return [headOf(MODEL_GRAPH, lengthOf(pieces)), ...pieces];
  });
}

const attributesOf = ({ field }: Node): Field[] =>
  [...fieldsOf(field.value)].filter(({ number }) => number === NODE_ATTRIBUTE);

const hasGraph = (node: Node): boolean =>
  attributesOf(node).some(({ value }) =>
    [...fieldsOf(value)].some(({ number }) => number === ATTRIBUTE_GRAPH || number === ATTRIBUTE_GRAPHS),
  );

/** Those whose weights are in the file, with one zero for all of them. */
function convolutionsOf(parts: Field[], nodes: Node[]): Map<Field, Convolution> {
  const ports = parts.filter(({ number }) => number === INPUT || number === OUTPUT).map(({ value }) => value);
  const fixed = new Set(ports.flatMap((port) => [...fieldsOf(port)].slice(0, 1).map(textOf)));
  const tensors = parts.filter(({ number }) => number === INITIALIZER);
  const weightsOf = quantizedWeights(tensors);
  const convolutions = new Map<Field, Convolution>();
  for (const node of nodes) {
    const [, name = "", , zero = ""] = node.inputs;
    if (node.op !== "ConvInteger" || fixed.has(name) || fixed.has(zero)) continue;
    const weights = weightsOf(name, zero);
    if (weights) convolutions.set(node.field, { node, weights, floats: `loquat_${name}_less_${zero}` });
  }
  return convolutions;
}

function nodesFor({ node, floats }: Convolution): Uint8Array[] {
  const [x = "", , zero = ""] = node.inputs;
  const output = node.outputs[0]!;
  const named = (what: string) => `loquat_${output}_${what}`;
  const input = zero === "" ? named("whole") : named("less_zero");
  const attributes = attributesOf(node).map(({ whole }) => whole);
  return [
    nodeBytes({ op: "Cast", inputs: [x], output: named("whole"), attributes: [to(FLOAT)] }),
    ...(zero === ""
      ? []
      : [
          nodeBytes({ op: "Cast", inputs: [zero], output: named("zero"), attributes: [to(FLOAT)] }),
          nodeBytes({ op: "Sub", inputs: [named("whole"), named("zero")], output: input }),
        ]),
    nodeBytes({ op: "Conv", inputs: [input, floats], output: named("sums"), attributes }),
    nodeBytes({ op: "Cast", inputs: [named("sums")], output, attributes: [to(INT32)] }),
  ];
}

type Made = { op: string; inputs: string[]; output: string; attributes?: Uint8Array[] };

const nodeBytes = ({ op, inputs, output, attributes = [] }: Made): Uint8Array =>
  bytesField(
    NODE,
    Buffer.concat([
      ...inputs.map((each) => bytesField(1, each)),
      bytesField(2, output),
      bytesField(3, output),
      bytesField(4, op),
      ...attributes,
    ]),
  );

const to = (type: number): Uint8Array =>
  bytesField(
    NODE_ATTRIBUTE,
    Buffer.concat([bytesField(1, "to"), numberField(3, type), numberField(20, TYPE_INTEGER)]),
  );

/** A TensorProto of floats. */
function tensor(name: string, weights: Weights): Piece[] {
  const declared = Buffer.concat([
    ...weights.shape.map((size) => numberField(1, size)),
    numberField(2, FLOAT),
    bytesField(8, name),
    headOf(9, lengthOf([weights])),
  ]);
  return [headOf(INITIALIZER, declared.length + lengthOf([weights])), declared, weights];
}

const lengthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce(
    (sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : 4 * piece.values.length),
    0,
  );

function joined(pieces: readonly Piece[]): Uint8Array {
  const whole = Buffer.alloc(lengthOf(pieces));
  let offset = 0;
  for (const piece of pieces) {
    const bytes = piece instanceof Uint8Array ? piece : floatsOf(piece);
    whole.set(bytes, offset);
    offset += bytes.length;
  }
  return whole;
}

function floatsOf({ values, zero }: Weights): Uint8Array {
  const floats = new Float32Array(values.length);
  for (let index = 0; index < values.length; index++) floats[index] = values[index]! - zero;
  return new Uint8Array(floats.buffer);
}
