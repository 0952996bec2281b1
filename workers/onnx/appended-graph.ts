/**
 * A model with more in its graph than its file holds.
 *
 *   file │ graph { nodes, constants, outputs }        a message that is there twice is read as one with the fields of both
 *
 * So nothing is rewritten: a few bytes behind the file are the rest of its graph.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { MODEL_GRAPH, OUTPUT } from "../../src/onnx/graph-nodes.ts";
import { bytesField } from "../../src/onnx/protobuf.ts";

/** The bytes to open instead of the file. `fields`: of the graph, in the encoding of onnx.proto3. */
export function withGraph(path: string, fields: readonly Uint8Array[]): Uint8Array {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const more = bytesField(MODEL_GRAPH, Buffer.concat(fields));
    const model = Buffer.alloc(size + more.length);
    for (let at = 0, count = 1; at < size && count > 0; at += count)
      count = readSync(file, model, at, size - at, at);
    model.set(more, size);
    return model;
  } finally {
    closeSync(file);
  }
}

/** One more output: a tensor that the graph has inside. */
export const outputField = (tensor: string): Uint8Array => bytesField(OUTPUT, bytesField(1, tensor));
