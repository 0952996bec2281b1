/**
 * ZIP archives (APPNOTE 6.3.10) that are written as they are read: each file is compressed on the way, and nothing of it is kept but
 * its name and sizes. An archive that would be larger than 4 GB ends with an error.
 */
import { Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";

/** `name`: with slashes between folders. */
export type ZipFile = { name: string; content: AsyncIterable<Uint8Array | string> };

/** `offset`: of its header in the archive. `packed`: its bytes there. */
type Entry = { name: Buffer; offset: number; crc: number; bytes: number; packed: number };

const VERSION = 20;
/** The sizes follow the content (bit 3), and names are UTF-8 (bit 11). */
const FLAGS = 0x0808;
const DEFLATE = 8;

export async function* zipOf(files: AsyncIterable<ZipFile>, at: Date): AsyncGenerator<Uint8Array> {
  const entries: Entry[] = [];
  let offset = 0;
  for await (const { name, content } of files) {
    const entry: Entry = { name: Buffer.from(name), offset, crc: 0, bytes: 0, packed: 0 };
    const header = record(0x04034b50, [...commonOf(entry, at), [2, 0]], entry.name);
    yield header;
    for await (const chunk of deflated(content, entry)) {
      entry.packed += chunk.length;
      yield chunk;
    }
    const sizes = record(0x08074b50, sizesOf(entry));
    yield sizes;
    offset += header.length + entry.packed + sizes.length;
    entries.push(entry);
  }
  let length = 0;
  for (const entry of entries) {
    const { name, offset: place } = entry;
    const fields: Field[] = [
      [2, VERSION],
      ...commonOf(entry, at),
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, place],
    ];
    const listed = record(0x02014b50, fields, name);
    length += listed.length;
    yield listed;
  }
  const count = entries.length;
  yield record(0x06054b50, [
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, length],
    [4, offset],
    [2, 0],
  ]);
}

/** A number of so many bytes, the least significant first. */
type Field = [bytes: 2 | 4, value: number];

function record(signature: number, fields: Field[], name: Uint8Array = new Uint8Array()): Buffer {
  const bytes = Buffer.alloc(4 + fields.reduce((sum, [size]) => sum + size, 0));
  let place = bytes.writeUInt32LE(signature);
  for (const [size, value] of fields) place = bytes.writeUIntLE(value, place, size);
  return Buffer.concat([bytes, name]);
}

const sizesOf = ({ crc, packed, bytes }: Entry): Field[] => [
  [4, crc],
  [4, packed],
  [4, bytes],
];

/** What both headers of a file have; the first is written before its sizes are known. */
function commonOf(entry: Entry, at: Date): Field[] {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [
    [2, VERSION],
    [2, FLAGS],
    [2, DEFLATE],
    [2, time],
    [2, date],
    ...sizesOf(entry),
    [2, entry.name.length],
  ];
}

/** Counts into the entry what it reads. */
async function* deflated(content: ZipFile["content"], entry: Entry): AsyncGenerator<Buffer> {
  async function* counted() {
    for await (const chunk of content) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      entry.crc = crc32(bytes, entry.crc);
      entry.bytes += bytes.length;
      yield bytes;
    }
  }
  const source = Readable.from(counted(), { objectMode: false });
  const deflate = createDeflateRaw();
  source.once("error", (error) => deflate.destroy(error));
  try {
    yield* source.pipe(deflate);
  } finally {
    source.destroy();
    deflate.destroy();
  }
}
