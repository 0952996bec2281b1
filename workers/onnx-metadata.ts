/**
 * What an export says of itself: the metadata of an ONNX file, which the runtime does not hand out. Only the outermost
 * fields are read; the graph itself is stepped over.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const METADATA = 14; // field of ModelProto: pairs of a key and a value
const BYTES = 2; // wire type of what tells its own length
const FIXED: Record<number, number> = { 1: 8, 5: 4 };

export function readMetadata(path: string): Record<string, string> {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const found: Record<string, string> = {};
    for (let at = 0; at < size; ) {
      const head = bytesAt(file, at, 20);
      const [tag, tagSize] = varint(head, 0);
      const wire = tag & 7;
      if (wire !== BYTES) {
        at += tagSize + (FIXED[wire] ?? varint(head, tagSize)[1]);
        continue;
      }
      const [length, lengthSize] = varint(head, tagSize);
      const start = at + tagSize + lengthSize;
      if (tag >> 3 === METADATA) Object.assign(found, pairOf(bytesAt(file, start, length)));
      at = start + length;
    }
    return found;
  } finally {
    closeSync(file);
  }
}

function pairOf(bytes: Buffer): Record<string, string> {
  const texts: string[] = ["", ""];
  for (let at = 0; at < bytes.length; ) {
    const [tag, tagSize] = varint(bytes, at);
    const [length, lengthSize] = varint(bytes, at + tagSize);
    const start = at + tagSize + lengthSize;
    texts[(tag >> 3) - 1] = bytes.toString("utf8", start, start + length);
    at = start + length;
  }
  return { [texts[0]!]: texts[1]! };
}

function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}

/** A number of seven bits a byte, lowest first, and how many bytes it took. */
function varint(bytes: Buffer, at: number): [value: number, size: number] {
  let value = 0;
  for (let size = 1; ; size++) {
    const byte = bytes[at + size - 1] ?? 0;
    value += (byte & 127) * 128 ** (size - 1);
    if (byte < 128) return [value, size];
  }
}
