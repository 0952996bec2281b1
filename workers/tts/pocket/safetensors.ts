/**
 * Reads safetensors: a JSON head that says where each tensor lies, then their values, little-endian.
 *
 *   uint64 bytes of the head │ {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …} │ values
 */
import { readFileSync } from "node:fs";
import Type from "typebox";
import { parseJsonFile } from "../../../src/engine/families/json-file.ts";
import { checker } from "../../../src/schema.ts";

/** Of a type that is not known here, the values are empty. */
export type StoredTensor = { shape: number[]; values: Float32Array | BigInt64Array };

const Whole = Type.Integer({ minimum: 0 });
const HEAD = checker(
  Type.Intersect([
    Type.Object({ __metadata__: Type.Optional(Type.Unknown()) }),
    Type.Record(
      Type.String({ pattern: "^(?!__metadata__$)" }),
      Type.Object({
        dtype: Type.String(),
        shape: Type.Array(Whole, { maxItems: 8 }),
        data_offsets: Type.Tuple([Whole, Whole]),
      }),
    ),
  ]),
);

const SIZE_BYTES = 8;

/** Throws where the file is damaged. */
export function readSafetensors(path: string): Map<string, StoredTensor> {
  const file = readFileSync(path);
  const headBytes = file.length < SIZE_BYTES ? Number.POSITIVE_INFINITY : Number(file.readBigUInt64LE(0));
  const start = SIZE_BYTES + headBytes;
  if (start > file.length) throw new Error("the file of a voice is damaged");
  const { __metadata__: _, ...head } = parseJsonFile(path, file.toString("utf8", SIZE_BYTES, start), HEAD);
  const tensors = new Map<string, StoredTensor>();
  let copied = 0; // tensors that overlap could be larger than their file
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(head)) {
    const [from, to] = data_offsets;
    copied += to - from;
    if (from > to || start + to > file.length || copied > file.length)
      throw new Error("the file of a voice is damaged");
    const bytes = new Uint8Array(file.subarray(start + from, start + to)); // aligned
    tensors.set(name, { shape, values: valuesOf(dtype, bytes.buffer) });
  }
  return tensors;
}

function valuesOf(dtype: string, bytes: ArrayBuffer): StoredTensor["values"] {
  if (dtype === "F32") return new Float32Array(bytes);
  return dtype === "I64" ? new BigInt64Array(bytes) : new Float32Array(0);
}
