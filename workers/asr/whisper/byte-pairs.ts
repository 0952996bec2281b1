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

  /** The pair of lowest rank is joined, of equal ones the first, until no pair is known. */
  #join(bytes: string): number[] {
    const ends = Int32Array.from(bytes, (_, at) => at + 1); // of the part that begins here; 0: none does any more
    const before = Int32Array.from(bytes, (_, at) => at - 1); // where the part before begins
    const joinedAt = (at: number) => bytes.slice(at, ends[ends[at]!]);
    const rankAt = (at: number) => (ends[at]! in ends ? this.#ranks.get(joinedAt(at)) : undefined);
    const waiting = new Ascending();
    const add = (at: number) => {
      const rank = rankAt(at);
      if (rank !== undefined) waiting.add(rank * bytes.length + at);
    };
    for (let at = 0; at < bytes.length; at++) add(at);
    for (let next = waiting.take(); next !== undefined; next = waiting.take()) {
      const at = next % bytes.length;
      if (ends[at] === 0 || rankAt(at) !== (next - at) / bytes.length) continue; // joined otherwise since
      const middle = ends[at]!;
      ends[at] = ends[middle]!;
      ends[middle] = 0;
      if (ends[at]! in before) before[ends[at]!] = at;
      add(at);
      if (at > 0) add(before[at]!);
    }
    const tokens: number[] = [];
    for (let at = 0; at < bytes.length; at = ends[at]!)
      tokens.push(this.#ranks.get(bytes.slice(at, ends[at]))!);
    return tokens;
  }

  /** Special tokens, whose ids follow the pieces, have no text. An incomplete character becomes U+FFFD. */
  decode(tokens: readonly number[]): string {
    return Buffer.from(tokens.map((token) => this.#pieces[token] ?? "").join(""), "latin1").toString("utf8");
  }
}

/** Numbers that are taken in order: a binary heap. */
class Ascending {
  readonly #values: number[] = [];

  add(value: number): void {
    const values = this.#values;
    let at = values.length;
    for (let above = (at - 1) >> 1; at > 0 && values[above]! > value; above = (at - 1) >> 1) {
      values[at] = values[above]!;
      at = above;
    }
    values[at] = value;
  }

  /** The least. */
  take(): number | undefined {
    const values = this.#values;
    const [least] = values;
    const last = values.pop();
    if (values.length === 0 || last === undefined) return least;
    let at = 0;
    for (let below = 1; below < values.length; below = 2 * at + 1) {
      if (below + 1 < values.length && values[below + 1]! < values[below]!) below++;
      if (values[below]! >= last) break;
      values[at] = values[below]!;
      at = below;
    }
    values[at] = last;
    return least;
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
