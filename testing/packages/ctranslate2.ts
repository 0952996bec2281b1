/**
 * Reads the weights of a CTranslate2 model file (`model.bin`, binary versions 2 to 6): names, shapes, and values, which
 * are widened to single precision.
 */
import { readFileSync } from "node:fs";

export type Tensor = { shape: number[]; values: Float32Array };

const FLOAT32 = 0;
const FLOAT16 = 4;
const BYTES = [4, 1, 2, 4, 2]; // float32, int8, int16, int32, float16
const VERSIONS = [2, 3, 4, 5, 6];

/** Only the tensors of floating point numbers. */
export function readCTranslate2(path: string): Map<string, Tensor> {
  const file = readFileSync(path);
  let at = 0;
  const uint32 = () => {
    at += 4;
    return file.readUInt32LE(at - 4);
  };
  const text = () => {
    const length = file.readUInt16LE(at); // with the zero behind it
    at += 2 + length;
    return file.toString("utf8", at - length, at - 1);
  };
  const version = uint32();
  if (!VERSIONS.includes(version)) throw new Error(`${path} has the binary version ${version}`);
  text(); // the name of the model's class
  uint32(); // and its revision
  const tensors = new Map<string, Tensor>();
  for (let count = uint32(); count > 0; count--) {
    const name = text();
    const shape = Array.from({ length: file.readUInt8(at++) }, uint32);
    const type = file.readUInt8(at++);
    const sizeBytes = uint32();
    const bytes = file.buffer.slice(file.byteOffset + at, file.byteOffset + at + sizeBytes) as ArrayBuffer;
    at += sizeBytes;
    if (BYTES[type] === undefined) throw new Error(`${path}: ${name} has the unknown type ${type}`);
    if (type === FLOAT32) tensors.set(name, { shape, values: new Float32Array(bytes) });
    if (type === FLOAT16) tensors.set(name, { shape, values: Float32Array.from(new Float16Array(bytes)) });
  }
  return tensors;
}
