/** Arrays of floats in files of NumPy (`.npy`): a header in text, and the values. Errors name what another file has. */

/** `shape` as in the header. */
export type FloatArray = { shape: number[]; values: Float32Array };

/** `name`: of the file, for errors. */
export function readNpy(bytes: Buffer, name: string): FloatArray {
  const isLong = bytes[6]! > 1; // version 1 has a length of two bytes
  const start = isLong ? 12 : 10;
  const end = start + (isLong ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.toString("latin1", start, end);
  const shape = /'shape': \(([\d, ]*)\)/.exec(header)?.[1]?.match(/\d+/g)?.map(Number) ?? [];
  if (!header.includes("'<f4'") || header.includes("'fortran_order': True"))
    throw new Error(`this is another file: ${name} holds no rows of floats`);
  const count = shape.reduce((all, size) => all * size, 1);
  if (bytes.length < end + count * Float32Array.BYTES_PER_ELEMENT)
    throw new Error(`this is another file: ${name} ends too early`);
  const values = new Float32Array(count);
  for (let index = 0; index < count; index++) values[index] = bytes.readFloatLE(end + 4 * index);
  return { shape, values };
}
