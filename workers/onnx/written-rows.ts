/**
 * A model that also returns the rows that a run wrote into its caches, so that the caches need not be copied out of it.
 *
 *   cache ──graph──> cache after the run ──Slice from `from` to `until`──> rows
 */

import { NODE } from "../../src/onnx/graph-nodes.ts";
import { readModelFile } from "../../src/onnx/model-file.ts";
import { bytesField, numberField } from "../../src/onnx/protobuf.ts";
import { outputField, withGraph } from "./appended-graph.ts";

/** Names of tensors: what a run returns, and the first row that it wrote and the first that it did not, as int64 [1]. */
export type WrittenCache = { cache: string; from: string; until: string; rows: string };

const INITIALIZER = 5;
const INT64 = 7;
const AXIS = "loquat_row_axis";

/** The bytes to open instead of the file; null where its weights lie in files beside it. `axis`: of the rows. */
export function withWrittenRows(
  path: string,
  caches: readonly WrittenCache[],
  axis: number,
): Uint8Array | null {
  if (readModelFile(path).dataFiles.length > 0) return null;
  return withGraph(path, [
    bytesField(INITIALIZER, integer(AXIS, axis)),
    ...caches.map(({ cache, from, until, rows }) =>
      bytesField(NODE, slice([cache, from, until, AXIS], rows)),
    ),
    ...caches.map(({ rows }) => outputField(rows)),
  ]);
}

/** A NodeProto. */
const slice = (inputs: readonly string[], output: string): Uint8Array =>
  Buffer.concat([
    ...inputs.map((input) => bytesField(1, input)),
    bytesField(2, output),
    bytesField(3, output),
    bytesField(4, "Slice"),
  ]);

/** A TensorProto of one dimension. */
function integer(name: string, value: number): Uint8Array {
  const raw = new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
  return Buffer.concat([numberField(1, 1), numberField(2, INT64), bytesField(8, name), bytesField(9, raw)]);
}
