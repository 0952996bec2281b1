/**
 * A model that also returns a tensor from inside its graph, which the runtime cannot do by itself: a graph's outputs are
 * named in its file.
 */
import { closeSync, fstatSync, openSync } from "node:fs";
import { MODEL_GRAPH, NODE, type Node, nodeOf } from "../../src/onnx/graph-nodes.ts";
import { bytesOf, type Part, partsOf, readModelFile } from "../../src/onnx/model-file.ts";
import { ProtobufError } from "../../src/onnx/protobuf.ts";
import { outputField, withGraph } from "./appended-graph.ts";

/** What to open: the file, or bytes in its place; and the name of the output. */
export type WithOutput = { model: string | Uint8Array; output: string };

/** Null where `find` finds no tensor, the file is no model, or its weights lie in files beside it. */
export function withOutput(path: string, find: (nodes: readonly Node[]) => string | null): WithOutput | null {
  const file = openSync(path, "r");
  try {
    const { outputs, dataFiles } = readModelFile(path);
    if (dataFiles.length > 0) return null;
    const output = find(nodesOf({ file, start: 0, end: fstatSync(file).size }));
    if (output === null) return null;
    const isThere = outputs.some(({ name }) => name === output);
    return { model: isThere ? path : withGraph(path, [outputField(output)]), output };
  } catch (error) {
    if (error instanceof ProtobufError) return null;
    throw error;
  } finally {
    closeSync(file);
  }
}

function nodesOf(model: Part): Node[] {
  const nodes: Node[] = [];
  for (const { number, ...graph } of partsOf(model)) {
    if (number !== MODEL_GRAPH) continue;
    for (const { number, ...part } of partsOf(graph)) {
      if (number !== NODE) continue;
      const value = bytesOf(part);
      nodes.push(nodeOf({ number, value, whole: value }));
    }
  }
  return nodes;
}
