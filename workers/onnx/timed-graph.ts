/**
 * Opens a graph of speech so that it also returns how long each of its ids lasts, where the graph shows it, and convolves in
 * floats, which is faster than in integers.
 */

import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import type { Placement } from "../../src/engine/protocol/engine-data.ts";
import { MODEL_GRAPH, NODE, type Node, nodeOf } from "../../src/onnx/graph-nodes.ts";
import { bytesOf, type Part, partsOf, readModelFile } from "../../src/onnx/model-file.ts";
import { ProtobufError } from "../../src/onnx/protobuf.ts";
import { outputField, withGraph } from "./appended-graph.ts";
import { withFloatConvolutions } from "./float-convolutions.ts";
import { type Graph, openGraph, type Signature } from "./session.ts";

/** `durations` is the name of the output; null where there is none. */
export type TimedGraph = Graph & { durations: string | null };

type Opening = {
  /** The tensor among the nodes. */
  find: (nodes: readonly Node[]) => string | null;
  signature: Signature;
  placement: Placement;
};

export async function openTimedGraph(
  path: string,
  { find, signature, placement }: Opening,
): Promise<TimedGraph> {
  const timed = withOutput(path, find);
  const bytes = typeof timed?.model === "string" ? readFileSync(path) : timed?.model;
  const faster = bytes && withFloatConvolutions(bytes);
  const graph = await openGraph(faster ?? timed?.model ?? path, signature, placement);
  release(bytes);
  release(faster);
  return { ...graph, durations: timed?.output ?? null };
}

/** The runtime has copied them; without this, hundreds of MB wait for the next collection of garbage. */
function release(bytes: Uint8Array | null | undefined): void {
  if (bytes && bytes.buffer.byteLength === bytes.length) (bytes.buffer as ArrayBuffer).transfer(0);
}

/**
 * A model that also returns a tensor from inside its graph, which the runtime cannot do by itself: a graph's outputs are
 * named in its file.
 *
 * What to open: the file, or bytes in its place; and the name of the output.
 */
export type WithOutput = { model: string | Uint8Array; output: string };

/** Null where `find` finds no tensor, the file is no model, or its weights lie in files beside it. @internal */
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
