/**
 * Arrays of floats in an `.npz` file of NumPy: a ZIP archive of `.npy` files, each a header in text and the values.
 *
 * Only what `numpy.savez` writes of float32 arrays is read. Errors name what another file has.
 */
import { inflateRawSync } from "node:zlib";
import { type FloatArray, readNpy } from "./npy.ts";

const [END, ENTRY] = [0x06054b50, 0x02014b50];
const END_BYTES = 22;
const [STORED, DEFLATED] = [0, 8];
const INFLATED_MAX = 256 * 1024 * 1024; // a published voice has 400 kB

/** By name, without ".npy". */
export function readNpz(file: Buffer): Map<string, FloatArray> {
  const end = file.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + END_BYTES > file.length || file.readUInt32LE(end) !== END)
    throw new Error("this is another file: it is no ZIP archive");
  const arrays = new Map<string, FloatArray>();
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    if (file.readUInt32LE(at) !== ENTRY) throw new Error("this is another file: its directory is damaged");
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
      file.readUInt16LE(at + field),
    ) as [number, number, number];
    const name = file.toString("utf8", at + 46, at + 46 + nameBytes);
    arrays.set(name.replace(/\.npy$/, ""), readNpy(contentOf(file, at), name));
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  return arrays;
}

/** Of the entry of the directory at a place. */
function contentOf(file: Buffer, entry: number): Buffer {
  const method = file.readUInt16LE(entry + 10);
  const size = file.readUInt32LE(entry + 20);
  const local = file.readUInt32LE(entry + 42);
  const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
  const content = file.subarray(start, start + size);
  if (method === STORED) return content;
  if (method === DEFLATED) return inflateRawSync(content, { maxOutputLength: INFLATED_MAX });
  throw new Error("this is another file: it is compressed in another way");
}
