/**
 * What an export says of itself: the metadata of an ONNX file, which the runtime does not hand out. Only the outermost
 * fields are read; the graph itself is stepped over.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { fieldsOf, HEAD_BYTES, headAt, textOf } from "../../src/onnx/protobuf.ts";

const METADATA = 14; // field of ModelProto: pairs of a key and a value

export function readMetadata(path: string): Record<string, string> {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const found: Record<string, string> = {};
    for (let at = 0; at < size; ) {
      const { number, start, end } = headAt(bytesAt(file, at, HEAD_BYTES), 0);
      if (number === METADATA) {
        const pair = ["", ""];
        for (const field of fieldsOf(bytesAt(file, at + start, end - start)))
          pair[field.number - 1] = textOf(field);
        found[pair[0]!] = pair[1]!;
      }
      at += end;
    }
    return found;
  } finally {
    closeSync(file);
  }
}

function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}
