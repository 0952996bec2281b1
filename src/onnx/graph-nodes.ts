/** The nodes of an ONNX graph and the tensors between them. Field numbers are those of onnx.proto3. */
import { type Field, fieldsOf, textOf } from "./protobuf.ts";

export const MODEL_GRAPH = 7;
export const NODE = 1;
export const OUTPUT = 12;
const [NODE_INPUT, NODE_OUTPUT, NODE_OP] = [1, 2, 4];

export type Node = { field: Field; op: string; inputs: string[]; outputs: string[] };

export function nodeOf(field: Field): Node {
  const parts = [...fieldsOf(field.value)];
  const texts = (number: number) => parts.filter((part) => part.number === number).map(textOf);
  return { field, op: texts(NODE_OP)[0] ?? "", inputs: texts(NODE_INPUT), outputs: texts(NODE_OUTPUT) };
}

/** The durations in a graph of Kokoro, from the speed on: what is divided by it, rounded, and kept above zero. */
export function findDurations(nodes: readonly Node[]): string | null {
  const after = (tensor: string, ops: string[]) =>
    nodes.filter(({ op, inputs }) => ops.includes(op) && inputs.includes(tensor));
  let reached = ["speed"];
  for (const ops of [["Div"], ["Round"], ["Clip", "Max"]]) {
    const seen = new Set(reached);
    for (const tensor of seen)
      for (const { outputs } of after(tensor, ["Cast", "Unsqueeze", "Squeeze", "Reshape", "Identity"]))
        for (const output of outputs) seen.add(output);
    reached = [...seen].flatMap((tensor) => after(tensor, ops).flatMap(({ outputs }) => outputs));
  }
  return reached[0] ?? null;
}

/** What the only node of a kind gives; null where there is none or another one. */
export function onlyOutputOf(nodes: readonly Node[], kind: string): string | null {
  const [node, ...others] = nodes.filter(({ op }) => op === kind);
  return others.length === 0 ? (node?.outputs[0] ?? null) : null;
}
