/** The inputs of a transducer's graphs, for many searches at once. */
import type { Graph } from "../../onnx/session.ts";
import { type Shape, stack, stackStates } from "../../onnx/tensors.ts";
import type { Search } from "./search.ts";

/** The current frame of each search: [B, D, 1]. */
export function framesOf({ Tensor }: Graph, searches: Search[]) {
  const size = searches[0]!.frames.length / searches[0]!.count;
  const rows = searches.map(({ frames, path, from }) =>
    frames.subarray((path.frame - from) * size, (path.frame - from + 1) * size),
  );
  return new Tensor("float32", stack(rows), [searches.length, size, 1]);
}

/** The last token of each search, and its states. */
export function lastTokens(graph: Graph, searches: Search[], shapes: Shape[]) {
  const { Tensor } = graph;
  const count = searches.length;
  const tokens = Int32Array.from(searches, ({ path }) => path.token);
  const states = shapes.map((shape, index) => {
    return stackStates(
      graph,
      shape,
      searches.map(({ memory }) => memory.state[index]!),
    );
  });
  const targets = new Tensor("int32", tokens, [count, 1]);
  const target_length = new Tensor("int32", new Int32Array(count).fill(1), [count]);
  return { targets, target_length, states };
}
