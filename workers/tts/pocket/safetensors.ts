/**
 * Reads safetensors: a JSON head that says where each tensor lies, then their values, little-endian.
 *
 *   uint64 bytes of the head │ {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …} │ values
 */
import { readFileSync } from "node:fs";

/** Of a type that is not known here, the values are empty. */
export type StoredTensor = { shape: number[]; values: Float32Array | BigInt64Array };

type Head = Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;

const SIZE_BYTES = 8;

/** Throws where the file is damaged. */
export function readSafetensors(path: string): Map<string, StoredTensor> {
  const file = readFileSync(path);
  const headBytes = file.length < SIZE_BYTES ? Number.POSITIVE_INFINITY : Number(file.readBigUInt64LE(0));
  const start = SIZE_BYTES + headBytes;
  if (start > file.length) throw new Error("the file of a voice is damaged");
  const head: Head = JSON.parse(file.toString("utf8", SIZE_BYTES, start));
  const tensors = new Map<string, StoredTensor>();
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(head)) {
    if (name === "__metadata__") continue;
    const [from, to] = data_offsets;
    if (start + to > file.length) throw new Error("the file of a voice is damaged");
    const bytes = Uint8Array.from(file.subarray(start + from, start + to)); // aligned
    tensors.set(name, { shape, values: valuesOf(dtype, bytes.buffer) });
  }
  return tensors;
}

function valuesOf(dtype: string, bytes: ArrayBuffer): StoredTensor["values"] {
  if (dtype === "F32") return new Float32Array(bytes);
  return dtype === "I64" ? new BigInt64Array(bytes) : new Float32Array(0);
}
