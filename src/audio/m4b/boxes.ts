/** The boxes that an MP4 file is made of (ISO/IEC 14496-12, 4.2): a length, a name, and a content that may be boxes. Numbers are big-endian. */

export function box(name: string, ...content: Buffer[]): Buffer {
  const length = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(length), text(name), ...content]);
}

/** One with a version, here always 0, and flags. */
export const fullBox = (name: string, flags: number, ...content: Buffer[]): Buffer =>
  box(name, u32(flags), ...content);

/** Names are in Latin-1: those of tags begin with a copyright sign. */
export const text = (value: string): Buffer => Buffer.from(value, "latin1");

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Of as many numbers as there are: a book has a million. */
export function u32s(values: ArrayLike<number>): Buffer {
  return Buffer.from(new Uint32Array(values).buffer).swap32();
}

/** A picture that is neither turned nor moved. */
export const UNTURNED = u32s([0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]);
