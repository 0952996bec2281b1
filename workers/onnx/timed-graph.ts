/**
 * Opens a graph of speech so that it also returns how long each of its ids lasts, where the graph shows it, and convolves in
 * floats, which is faster than in integers.
 */
import { readFileSync } from "node:fs";
import type { Placement } from "../../src/engine/protocol/engine-data.ts";
import type { Node } from "../../src/onnx/graph-nodes.ts";
import { withOutput } from "./extra-output.ts";
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
