/** Opens a graph of speech so that it also returns how long each of its ids lasts, where the graph shows it. */

import type { Placement } from "../../src/engine/protocol/engine-data.ts";
import { withOutput } from "../../src/onnx/extra-output.ts";
import type { Node } from "../../src/onnx/graph-nodes.ts";
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
  const graph = await openGraph(timed?.model ?? path, signature, placement);
  return { ...graph, durations: timed?.output ?? null };
}
