/** Protocol buffers as fields in order, each with its own bytes, so that unchanged fields are copied byte for byte. */

/** One field: its number, what it holds without tag and length, and all of it. Numbers have their bytes for a value. */
export type Field = { number: number; value: Uint8Array; whole: Uint8Array };

const [VARINT, EIGHT, BYTES, FOUR] = [0, 1, 2, 5];

/** What is no such message. */
export class ProtobufError extends Error {}

/** Where the field that begins at a place holds its value; that may lie beyond these bytes. */
export function headAt(bytes: Uint8Array, offset: number): { number: number; start: number; end: number } {
  const [tag, tagSize] = varint(bytes, offset);
  const wire = tag & 7;
  const after = offset + tagSize;
  const [length, lengthSize] = wire === BYTES ? varint(bytes, after) : [sizeOf(wire, bytes, after), 0];
  const start = after + lengthSize;
  return { number: tag >>> 3, start, end: start + length };
}

export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  for (let offset = 0; offset < bytes.length; ) {
    const { number, start, end } = headAt(bytes, offset);
    if (end > bytes.length) throw new ProtobufError("the message is truncated");
    yield { number, value: bytes.subarray(start, end), whole: bytes.subarray(offset, end) };
    offset = end;
  }
}

function sizeOf(wire: number, bytes: Uint8Array, offset: number): number {
  if (wire === VARINT) return varint(bytes, offset)[1];
  if (wire === EIGHT) return 8;
  if (wire === FOUR) return 4;
  throw new ProtobufError("not a protocol buffer");
}

/** The longest head: a tag and a length, or a tag and a number. */
export const HEAD_BYTES = 20;

/** Seven bits a byte, lowest first; and how many bytes it took. */
function varint(bytes: Uint8Array, offset: number): [value: number, size: number] {
  let value = 0;
  for (let size = 1; size <= 10; size++) {
    const byte = bytes[offset + size - 1];
    if (byte === undefined) break;
    value += (byte & 127) * 128 ** (size - 1);
    if (byte < 128) return [value, size];
  }
  throw new ProtobufError("not a protocol buffer");
}

function number(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Uint8Array.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}

/** What precedes the bytes of a field that tells its length. */
export const headOf = (field: number, length: number): Uint8Array =>
  Buffer.concat([number(field * 8 + BYTES), number(length)]);

/** A field of text, of a message, or of anything else that tells its length. */
export function bytesField(field: number, value: Uint8Array | string): Uint8Array {
  const bytes = Buffer.from(value);
  return Buffer.concat([headOf(field, bytes.length), bytes]);
}

export const numberField = (field: number, value: number): Uint8Array =>
  Buffer.concat([number(field * 8 + VARINT), number(value)]);

/** Numbers of a repeated field, packed or alone. */
export function varintsIn(bytes: Uint8Array): number[] {
  const values: number[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const [value, size] = varint(bytes, offset);
    values.push(value);
    offset += size;
  }
  return values;
}

export const textOf = ({ value }: Field): string => Buffer.from(value).toString();
