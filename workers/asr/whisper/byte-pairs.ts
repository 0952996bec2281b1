/**
 * Byte-level byte-pair encoding, as GPT-2 introduced it and Whisper reads it: text to tokens and back.
 *
 *   " lower" ──split by kind of character──> bytes ──join the pair of lowest rank, again and again──> tokens
 *
 * A token's id is its rank. Bytes are kept as strings, one character a byte, because those are fast keys of maps.
 */
export type Pieces = readonly string[];

/** Runs of letters, of digits and of other characters, each with the space before it; English contractions. */
const KINDS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

export class BytePairs {
  readonly #pieces: Pieces;
  readonly #ranks: Map<string, number>;

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
    this.#ranks = new Map(pieces.map((piece, rank) => [piece, rank]));
  }

  encode(text: string): number[] {
    return (text.match(KINDS) ?? []).flatMap((part) => this.#join(Buffer.from(part).toString("latin1")));
  }

  #join(bytes: string): number[] {
    const parts = [...bytes];
    for (;;) {
      const ranks = parts
        .slice(1)
        .map((part, index) => this.#ranks.get(parts[index]! + part) ?? Number.POSITIVE_INFINITY);
      const lowest = Math.min(...ranks);
      if (lowest === Number.POSITIVE_INFINITY) return parts.map((part) => this.#ranks.get(part)!);
      const index = ranks.indexOf(lowest);
      parts.splice(index, 2, parts[index]! + parts[index + 1]!);
    }
  }

  /** Special tokens, whose ids follow the pieces, have no text. An incomplete character becomes U+FFFD. */
  decode(tokens: readonly number[]): string {
    return Buffer.from(tokens.map((token) => this.#pieces[token] ?? "").join(""), "latin1").toString("utf8");
  }
}

/** The pieces of a `tokenizer.json`, whose vocabulary writes every byte as a printable character. */
export function readVocabulary(vocabulary: Record<string, number>): Pieces {
  const pieces: string[] = [];
  for (const [text, rank] of Object.entries(vocabulary))
    pieces[rank] = [...text].map((letter) => String.fromCharCode(BYTE_OF.get(letter) ?? 0)).join("");
  return pieces;
}

/** GPT-2's alphabet: printable bytes are written as themselves, the others as the characters from U+0100 on. */
const BYTE_OF = new Map(
  (() => {
    const printable = (byte: number) =>
      (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
    let unseen = 0;
    return Array.from({ length: 256 }, (_, byte): [string, number] => [
      String.fromCharCode(printable(byte) ? byte : 256 + unseen++),
      byte,
    ]);
  })(),
);
