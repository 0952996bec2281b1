/** The shared libraries that a library for Linux links to: the entries DT_NEEDED of its dynamic section (ELF, 64 bits). */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const MAGIC = "\x7fELF\x02\x01"; // 64 bits, little-endian
const HEADER_BYTES = 64;
const SECTION = { bytes: 64, dynamic: 6 };
const ENTRY = { bytes: 16, needed: 1n };
/** Of a table, so that a damaged file is not read whole. */
const TABLE_BYTES_MAX = 64 * 1024 * 1024;

/** Their names, in the file's order; none where the file is no such library or is damaged. */
export function linkedLibraries(path: string): string[] {
  const file = openSync(path, "r");
  try {
    return namesIn((offset, length) => read(file, offset, length));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  } finally {
    closeSync(file);
  }
}

type Read = (offset: bigint, length: number) => Buffer;

/** Throws `RangeError` where the file ends before it should. */
function read(file: number, offset: bigint, length: number): Buffer {
  if (length > TABLE_BYTES_MAX || offset + BigInt(length) > BigInt(fstatSync(file).size))
    throw new RangeError(`no ${length} bytes at ${offset}`);
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, Number(offset));
  return bytes;
}

function namesIn(readAt: Read): string[] {
  const header = readAt(0n, HEADER_BYTES);
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return [];
  const table = readAt(header.readBigUInt64LE(40), header.readUInt16LE(60) * SECTION.bytes);
  const section = (index: number) => {
    const at = index * SECTION.bytes;
    const content = () => readAt(table.readBigUInt64LE(at + 24), Number(table.readBigUInt64LE(at + 32)));
    return { type: table.readUInt32LE(at + 4), link: table.readUInt32LE(at + 40), content };
  };
  for (let index = 0; index * SECTION.bytes < table.length; index++) {
    const { type, link, content } = section(index);
    if (type === SECTION.dynamic) return neededOf(content(), section(link).content());
  }
  return [];
}

function neededOf(dynamic: Buffer, strings: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + ENTRY.bytes <= dynamic.length; at += ENTRY.bytes) {
    if (dynamic.readBigUInt64LE(at) !== ENTRY.needed) continue;
    const start = Number(dynamic.readBigUInt64LE(at + 8));
    names.push(strings.toString("latin1", start, strings.indexOf(0, start)));
  }
  return names;
}
