/**
 * The vocabulary of Moonshine, `tokenizer.bin`: the bytes of each token in turn, each with its length before it.
 *
 *   length < 128   one byte                    0: a token without text
 *   else           low + 128, high             high · 128 + low bytes follow
 *
 * Token 0 is unknown, 1 begins a text and 2 ends it; then come 256 single bytes, for what no piece has, and the pieces.
 * In pieces "▁" is a space. Source: moonshine-ai/moonshine, `bin-tokenizer`.
 */

const SPACE = "▁";
/** Letters of languages that put no spaces between words. */
const DENSE = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const SPECIAL = /^<.+>$/;

export type MoonshinePieces = {
  count: number;
  /** Each as text; single bytes are written `<0x0A>`, as what is no text. */
  texts: string[];
  beginsWord(token: number): boolean;
  /** Whether it begins a word that no space parts from the one before. */
  isGlued(token: number): boolean;
  /** Without a space in front. */
  decode(tokens: readonly number[]): string;
};

export function readMoonshinePieces(file: Uint8Array): MoonshinePieces {
  const all = [...piecesIn(file)];
  const decoder = new TextDecoder();
  const firstByte = byteBlockIn(all);
  const isByte = (token: number) => firstByte !== null && token >= firstByte && token < firstByte + 256;
  const texts = all.map((bytes, token) =>
    isByte(token) ? `<0x${(token - firstByte!).toString(16).padStart(2, "0")}>` : decoder.decode(bytes),
  );
  const isGlued = (token: number) => !isByte(token) && DENSE.test(texts[token] ?? "");
  const isText = (token: number) => isByte(token) || !SPECIAL.test(texts[token] ?? "");
  return {
    count: all.length,
    texts,
    beginsWord: (token) => texts[token]?.startsWith(SPACE) === true || isGlued(token),
    isGlued,
    decode: (tokens) =>
      decoder
        .decode(Buffer.concat(tokens.filter(isText).map((token) => all[token] ?? new Uint8Array(0))))
        .replaceAll(SPACE, " ")
        .trim(),
  };
}

function* piecesIn(file: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < file.length; ) {
    let length = file[at++]!;
    if (length >= 128) length += 128 * (file[at++] ?? 0) - 128;
    if (at + length > file.length)
      throw new Error("this is another model: its vocabulary ends within a piece");
    yield file.subarray(at, at + length);
    at += length;
  }
}

/** The first of 256 tokens that are each byte in turn; null where there are none. */
function byteBlockIn(pieces: readonly Uint8Array[]): number | null {
  let run = 0;
  for (const [token, bytes] of pieces.entries()) {
    const next = bytes.length === 1 && bytes[0] === run;
    run = next ? run + 1 : Number(bytes.length === 1 && bytes[0] === 0);
    if (run === 256) return token - 255;
  }
  return null;
}
