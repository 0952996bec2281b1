/** The metadata of an ONNX file, which the runtime does not expose. Only the outermost fields are read, not the graph. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { fieldsOf, HEAD_BYTES, headAt, textOf } from "../../src/onnx/protobuf.ts";

const METADATA = 14; // field of ModelProto: pairs of a key and a value

export function readMetadata(path: string): Record<string, string> {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const metadata: Record<string, string> = {};
    for (let position = 0; position < size; ) {
      const { number, start, end } = headAt(bytesAt(file, position, HEAD_BYTES), 0);
      if (number === METADATA) {
        const pair = ["", ""];
        for (const field of fieldsOf(bytesAt(file, position + start, end - start)))
          pair[field.number - 1] = textOf(field);
        metadata[pair[0]!] = pair[1]!;
      }
      position += end;
    }
    return metadata;
  } finally {
    closeSync(file);
  }
}

function bytesAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
