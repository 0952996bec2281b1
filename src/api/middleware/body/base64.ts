/** Base64 of megabytes, decoded without holding the event loop. */
const SLICE = 256 * 1024; // characters, decoded in a fraction of a millisecond
const GROUP_BYTES = 3; // in four characters, fewer where it is padded
const LONG = 64 * 1024; // characters
const WHITE_SPACE = /[\t\n\f\r ]+/g;

type Piece = Uint8Array<ArrayBuffer>;
type Step = { piece: Piece; left: string };
/** `base64url`: with - and _ in place of + and /. */
type Alphabet = "base64" | "base64url";

/** The bytes in pieces, in order; null if it is not valid, or if a third of a long text is white space. At once where it is short. */
export function decodeBase64(
  text: string,
  alphabet: Alphabet = "base64",
): Piece[] | null | Promise<Piece[] | null> {
  if (text.length > SLICE) return decodeSlices(text, alphabet);
  const piece = decode(text, { isLast: true, alphabet })?.piece;
  if (!piece || isMostlySpace(text, piece.length)) return null;
  return piece.length > 0 ? [piece] : [];
}

const isMostlySpace = (text: string, sizeBytes: number): boolean =>
  text.length > LONG && sizeBytes < text.length / 2;

/**
 * Decodes base64 of any length in slices, between which the event loop does other work.
 *
 *   text   ├── 256 KiB ──┼── 256 KiB ──┼── rest ──┤    each slice begins with what the last one left over, so that
 *   bytes  ├── 192 KiB ──┼── 192 KiB ──┼──────────┤    groups of four characters are decoded whole
 */
async function decodeSlices(text: string, alphabet: Alphabet): Promise<Piece[] | null> {
  const pieces: Piece[] = [];
  let sizeBytes = 0;
  let left = "";
  for (let from = 0; from < text.length; from += SLICE) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    const isLast = from + SLICE >= text.length;
    const step = decode(left + text.slice(from, from + SLICE), { isLast, alphabet });
    if (step === null) return null;
    const isPadded = sizeBytes % GROUP_BYTES !== 0;
    if (isPadded && step.piece.length > 0) return null; // nothing follows padding
    sizeBytes += step.piece.length;
    if (step.piece.length > 0) pieces.push(step.piece);
    left = step.left;
  }
  return isMostlySpace(text, sizeBytes) ? null : pieces;
}

/** `left`: at most one group that is not whole yet. */
function decode(text: string, { isLast, alphabet }: { isLast: boolean; alphabet: Alphabet }): Step | null {
  try {
    if (isLast) return { piece: Uint8Array.fromBase64(text, { alphabet }), left: "" };
    const bytes = new Uint8Array(Math.ceil(text.length / 4) * GROUP_BYTES);
    const { read, written } = bytes.setFromBase64(text, {
      alphabet,
      lastChunkHandling: "stop-before-partial",
    });
    return { piece: bytes.subarray(0, written), left: text.slice(read).replace(WHITE_SPACE, "") };
  } catch {
    return null;
  }
}
