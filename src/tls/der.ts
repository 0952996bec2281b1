/** DER, as far as a certificate needs it: a tag, a length, a value. Written only, never read. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  identifier: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** `tag` as a number is for context-specific ones. */
export function der(tag: keyof typeof TAG | number, ...parts: Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const head = [typeof tag === "number" ? tag : TAG[tag], ...lengthOf(value.length)];
  return Buffer.concat([Buffer.from(head), value]);
}

function lengthOf(count: number): number[] {
  if (count < 0x80) return [count];
  const bytes: number[] = [];
  for (let rest = count; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: Uint8Array[]) => der("sequence", ...parts);

/** A positive integer from its bytes, the highest first. */
export function integer(bytes: Uint8Array): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const value = from < 0 ? Uint8Array.of(0) : bytes.subarray(from);
  return der("integer", value[0]! & 0x80 ? Buffer.concat([Buffer.of(0), value]) : value);
}

/** Such as 2.5.29.17. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der("identifier", Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** Whole bytes. */
export const bitString = (bytes: Uint8Array, unusedBits = 0) =>
  der("bitString", Buffer.of(unusedBits), bytes);

/** UTCTime until 2049, GeneralizedTime from 2050 on (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, ""); // 20261122140509Z
  return date.getUTCFullYear() < 2050
    ? der("utcTime", Buffer.from(digits.slice(2)))
    : der("generalizedTime", Buffer.from(digits));
}
