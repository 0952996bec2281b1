/** What of a file lies behind its recording and is no part of it. Padding with zeros, tags and a few bytes more may follow any. */

/** Fewer bytes than asked for at the end only. */
export type ReadBytes = (position: number, size: number) => Uint8Array;

const BLOCK_BYTES = 64 * 1024;
const TAG_HEAD_BYTES = 32;
const LEAST_BYTES = 1000;

/** How many bytes from `start` to the end are something else, such as another recording. */
export function unreadRest(read: ReadBytes, start: number, fileBytes: number): number {
  let position = start;
  for (;;) {
    position = behindZeros(read, position, fileBytes);
    const size = tagBytes(Buffer.from(read(position, TAG_HEAD_BYTES)));
    if (size === 0) break;
    position += size;
  }
  const restBytes = fileBytes - position;
  return restBytes >= LEAST_BYTES ? restBytes : 0;
}

function behindZeros(read: ReadBytes, start: number, fileBytes: number): number {
  for (let position = start; position < fileBytes; position += BLOCK_BYTES) {
    const index = read(position, BLOCK_BYTES).findIndex((byte) => byte !== 0);
    if (index >= 0) return position + index;
  }
  return fileBytes;
}

/** Of a tag that begins here: ID3, APE, or Lyrics3, which goes on to the end; 0 where none does. */
function tagBytes(head: Buffer): number {
  const begins = (name: string) => head.toString("latin1", 0, name.length) === name;
  if (begins("TAG")) return 128;
  if (begins("ID3") && head.length >= 10)
    return 10 + head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  if (begins("APETAGEX") && head.length >= 16) return 32 + head.readUInt32LE(12);
  return begins("LYRICSBEGIN") ? Number.POSITIVE_INFINITY : 0;
}
