/**
 * SentencePiece's unigram tokenizer: of all ways to divide a text into known pieces, the likeliest. A character that no
 * piece covers is written as its bytes.
 *
 *   "Hello there."  ->  "▁Hello▁there."  ->  ▁Hello ▁there .  ->  ids
 *
 * Sources: google/sentencepiece (unigram); the exports without its model file read no bonus for unknown characters.
 */

/** `score`: the logarithm of its likelihood. `byte`: the byte that it stands for; a piece of text has none. */
export type Piece = { id: number; score: number; byte?: number };

export type Vocabulary = {
  pieces: ReadonlyMap<string, Piece>;
  /** As it is written before it is divided: with a space in front. */
  normalize(text: string): string;
};

export type Tokenizer = { encode(text: string): number[]; decode(ids: readonly number[]): string };

const SPACE = "▁";
const BYTE = /^<0x([0-9A-F]{2})>$/;

/** The byte that a piece stands for, where it does. */
export function byteOf(piece: string): { byte: number } | object {
  const digits = BYTE.exec(piece)?.[1];
  return digits === undefined ? {} : { byte: Number.parseInt(digits, 16) };
}

export function openTokenizer({ pieces, normalize }: Vocabulary): Tokenizer {
  const bytes = new Map<number, number>();
  const texts = new Map<number, string>();
  let longest = 1;
  let leastScore = 0;
  for (const [text, { id, score, byte }] of pieces) {
    texts.set(id, text);
    if (byte !== undefined) bytes.set(byte, id);
    else longest = Math.max(longest, [...text].length);
    leastScore = Math.min(leastScore, score);
  }
  const known = { pieces, longest, unknownScore: leastScore - UNKNOWN_PENALTY };
  return {
    encode(text) {
      const spaced = normalize(text).replaceAll(" ", SPACE);
      return bestPieces([...spaced], known).flatMap(
        (piece) => pieces.get(piece)?.id ?? [...Buffer.from(piece)].flatMap((byte) => bytes.get(byte) ?? []),
      );
    },
    decode(ids) {
      const parts = ids.map((id) => {
        const text = texts.get(id) ?? "";
        const byte = pieces.get(text)?.byte;
        return byte === undefined ? Buffer.from(text) : Uint8Array.of(byte);
      });
      const text = Buffer.concat(parts).toString().replaceAll(SPACE, " ");
      return text.startsWith(" ") ? text.slice(1) : text;
    },
  };
}

const UNKNOWN_PENALTY = 10; // below the least likely piece

type Known = { pieces: Vocabulary["pieces"]; longest: number; unknownScore: number };

/** Pieces of the characters in order (Viterbi); an unknown one is a single character. */
function bestPieces(characters: readonly string[], { pieces, longest, unknownScore }: Known): string[] {
  const count = characters.length;
  const best = new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY);
  const from = new Int32Array(count + 1);
  best[0] = 0;
  for (let start = 0; start < count; start++) {
    let text = "";
    for (let end = start + 1; end <= Math.min(count, start + longest); end++) {
      text += characters[end - 1];
      const piece = pieces.get(text);
      if ((!piece || piece.byte !== undefined) && end > start + 1) continue;
      const isText = piece !== undefined && piece.byte === undefined;
      const score = best[start]! + (isText ? piece.score : unknownScore);
      if (score <= best[end]!) continue;
      best[end] = score;
      from[end] = start;
    }
  }
  const found: string[] = [];
  for (let end = count; end > 0; end = from[end]!) found.push(characters.slice(from[end], end).join(""));
  return found.reverse();
}
