/**
 * What SentencePiece replaces in a text before it is divided: the map that its model file holds.
 *
 *   uint32 bytes of the trie │ trie: a double array of uint32 │ replacements, each ended by a zero
 *
 * The longest known beginning of the rest is replaced; a character that none begins with stays. Source:
 * google/sentencepiece and its darts_clone.
 */
const HEAD_BYTES = 4;

/** Without a map, texts stay as they are. Throws where the bytes are no such map. */
export function openCharacterMap(map: Uint8Array): (text: string) => string {
  if (map.length <= HEAD_BYTES) return (text) => text;
  const view = new DataView(map.buffer, map.byteOffset, map.length);
  const trieBytes = view.getUint32(0, true);
  const units = trieBytes / Uint32Array.BYTES_PER_ELEMENT;
  if (!Number.isInteger(units) || HEAD_BYTES + trieBytes > map.length)
    throw new Error("this is another model: the character map of its tokenizer is damaged");
  const unitAt = (at: number) => (at < units ? view.getUint32(HEAD_BYTES + 4 * at, true) : 0);
  const texts = Buffer.from(map.subarray(HEAD_BYTES + trieBytes));
  const replacementAt = (at: number) => texts.subarray(at, texts.indexOf(0, at));
  return (text) => {
    const bytes = Buffer.from(text);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; ) {
      const found = longestMatch(bytes.subarray(at), unitAt);
      const length = found?.length ?? characterBytes(bytes[at]!);
      parts.push(found ? replacementAt(found.value) : bytes.subarray(at, at + length));
      at += length;
    }
    return Buffer.concat(parts).toString();
  };
}

const offsetOf = (unit: number) => (unit >>> 10) << ((unit & 0x200) >>> 6);
const hasValue = (unit: number) => (unit & 0x100) !== 0;
const LABEL = 0x800000ff;
const VALUE = 0x7fffffff;

function longestMatch(bytes: Uint8Array, unitAt: (at: number) => number) {
  let found: { length: number; value: number } | null = null;
  let at = offsetOf(unitAt(0));
  for (let index = 0; index < bytes.length; index++) {
    at ^= bytes[index]!;
    const unit = unitAt(at);
    if ((unit & LABEL) >>> 0 !== bytes[index]) break;
    at ^= offsetOf(unit);
    if (hasValue(unit)) found = { length: index + 1, value: unitAt(at) & VALUE };
  }
  return found;
}

/** Of a character in UTF-8, by its first byte. */
function characterBytes(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
