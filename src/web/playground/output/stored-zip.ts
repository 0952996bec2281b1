/** A ZIP archive (APPNOTE 6.3.10) of a few short texts, uncompressed, made in the page. Pure. */

type Part = { name: string; text: string };

const VERSION = 20;
const NAMES_ARE_UTF8 = 0x0800;
/** 1 January 1980, the first day that there is: the same texts make the same archive. */
const DAY = 0x0021;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;

export function storedZip(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  let offset = 0;
  const files = parts.map(({ name, text }) => {
    const file = { name: encoder.encode(name), content: encoder.encode(text), offset };
    offset += LOCAL_BYTES + file.name.length + file.content.length;
    return file;
  });
  const listed = files.reduce((sum, { name }) => sum + CENTRAL_BYTES + name.length, 0);
  const archive = new Uint8Array(offset + listed + END_BYTES);
  const { put, fields } = writerOf(archive);
  const common = ({ name, content }: (typeof files)[number]) => {
    fields([2, VERSION], [2, NAMES_ARE_UTF8], [2, 0], [2, 0], [2, DAY], [4, crc32(content)]);
    fields([4, content.length], [4, content.length], [2, name.length], [2, 0]);
  };
  for (const file of files) {
    fields([4, 0x04034b50]);
    common(file);
    put(file.name);
    put(file.content);
  }
  for (const file of files) {
    fields([4, 0x02014b50], [2, VERSION]);
    common(file);
    fields([2, 0], [2, 0], [2, 0], [4, 0], [4, file.offset]);
    put(file.name);
  }
  fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, listed],
    [4, offset],
    [2, 0],
  );
  return archive;
}

/** Bytes, and numbers of two or four. */
function writerOf(archive: Uint8Array<ArrayBuffer>) {
  const view = new DataView(archive.buffer);
  let at = 0;
  return {
    put(bytes: Uint8Array): void {
      archive.set(bytes, at);
      at += bytes.length;
    },
    fields(...all: (readonly [2 | 4, number])[]): void {
      for (const [bytes, value] of all) {
        if (bytes === 2) view.setUint16(at, value, true);
        else view.setUint32(at, value, true);
        at += bytes;
      }
    },
  };
}

const CRC_POLYNOMIAL = 0xedb88320;

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC_POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
