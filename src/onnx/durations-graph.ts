/**
 * Extracts the part of a Kokoro graph that predicts how long each phoneme lasts, so that a clip's length is known at a
 * sixth of the cost of its synthesis. The runtime always runs a whole graph, so the part becomes a separate graph.
 *
 *   … ──> Div by speed ──> Round ──> Clip ──> Cast ──> …        everything the clipped durations need, and nothing else
 *
 * Field numbers are those of onnx.proto3.
 */
import { findDurations, MODEL_GRAPH, NODE, type Node, nodeOf, OUTPUT } from "./graph-nodes.ts";
import { bytesField, type Field, fieldsOf, numberField, ProtobufError, textOf } from "./protobuf.ts";

const [INITIALIZER, INPUT, VALUE_INFO] = [5, 11, 13];
const [NODE_INPUT, NODE_OUTPUT, NODE_OP, NODE_ATTRIBUTE] = [1, 2, 4, 5];
const INT64 = 7;

/** Null where the graph does not show where its durations are, or is none. */
export function durationsGraph(model: Uint8Array): Uint8Array | null {
  try {
    return prune(model);
  } catch (error) {
    if (error instanceof ProtobufError) return null;
    throw error;
  }
}

function prune(model: Uint8Array): Uint8Array | null {
  const fields = [...fieldsOf(model)];
  const graph = fields.find((field) => field.number === MODEL_GRAPH);
  if (!graph) return null;
  const parts = [...fieldsOf(graph.value)];
  const nodes = parts.filter((part) => part.number === NODE).map(nodeOf);
  const durations = findDurations(nodes);
  if (durations === null) return null;
  const { kept, tensors } = ancestors(nodes, durations);
  const needed = new Set<Field>(kept.map(({ field }) => field));
  const isNeeded = (part: Field) => {
    if (part.number === NODE) return needed.has(part);
    if (part.number === INITIALIZER) return tensors.has(nameOf(part, 8));
    if (part.number === INPUT) return true; // as the whole graph's, so that both are asked alike
    return part.number !== OUTPUT && part.number !== VALUE_INFO;
  };
  const pruned = Buffer.concat([
    ...parts.filter(isNeeded).map(({ whole }) => whole),
    castTo64(durations),
    bytesField(OUTPUT, valueInfo("durations")),
  ]);
  return Buffer.concat(
    fields.map((field) => (field === graph ? bytesField(MODEL_GRAPH, pruned) : field.whole)),
  );
}

function ancestors(nodes: Node[], tensor: string): { kept: Node[]; tensors: Set<string> } {
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)));
  const tensors = new Set<string>();
  const kept = new Set<Node>();
  const open = [tensor];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (tensors.has(next)) continue;
    tensors.add(next);
    const maker = makers.get(next);
    if (!maker || kept.has(maker)) continue;
    kept.add(maker);
    open.push(...maker.inputs, ...outerInputs(maker.field.value));
  }
  return { kept: nodes.filter((node) => kept.has(node)), tensors }; // in the order of the graph, which matters
}

const [ATTRIBUTE_GRAPH, ATTRIBUTE_GRAPHS] = [6, 11];

/** What graphs inside a node take from outside it: their branches may name any tensor. */
function outerInputs(node: Uint8Array): string[] {
  const attributes = [...fieldsOf(node)].filter(({ number }) => number === NODE_ATTRIBUTE);
  return attributes.flatMap((attribute) =>
    [...fieldsOf(attribute.value)]
      .filter(({ number }) => number === ATTRIBUTE_GRAPH || number === ATTRIBUTE_GRAPHS)
      .flatMap((graph) => [...fieldsOf(graph.value)].filter(({ number }) => number === NODE).map(nodeOf))
      .flatMap(({ field, inputs }) => [...inputs, ...outerInputs(field.value)]),
  );
}

const nameOf = (field: Field, number: number): string => {
  const name = [...fieldsOf(field.value)].find((part) => part.number === number);
  return name ? textOf(name) : "";
};

function castTo64(tensor: string): Uint8Array {
  const to = Buffer.concat([bytesField(1, "to"), numberField(3, INT64), numberField(20, 2)]);
  return bytesField(
    NODE,
    Buffer.concat([
      bytesField(NODE_INPUT, tensor),
      bytesField(NODE_OUTPUT, "durations"),
      bytesField(NODE_OP, "Cast"),
      bytesField(NODE_ATTRIBUTE, to),
    ]),
  );
}

/** A tensor of int64, of any shape. */
const valueInfo = (name: string): Uint8Array =>
  Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, numberField(1, INT64)))]);
