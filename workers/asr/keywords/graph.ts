/**
 * Keywords as a graph of their characters, and the tokens of a vocabulary that lead through it, however a model divides
 * the words into tokens.
 *
 *   ▁ ─ L ─ o ─ q ─ u ─ a ─ t        token "▁Lo" leads from the start to "o", "qu" from there to "u"
 *
 * A keyword begins where a word does, as it is written or with a capital; where a vocabulary has no capitals, without.
 */
export type GraphNode = { children: Map<string, GraphNode>; tokens: ReadonlyMap<number, GraphNode> | null };

/** Tokens by their characters. */
type PieceNode = { children: Map<string, PieceNode>; token: number | null };

const SPACE = "▁";
const SPECIAL = /^<.*>$/;

type Index = { root: PieceNode; hasCapitals: boolean; special: ReadonlySet<number> };

/** A vocabulary in which keywords can be found; its index is made when keywords are first asked for. */
export class KeywordVocabulary {
  readonly #pieces: readonly string[];
  #made: Index | null = null;

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  get #index(): Index {
    this.#made ??= indexOf(this.#pieces);
    return this.#made;
  }

  /** Languages, ends and the like: they are no text. */
  isSpecial(token: number): boolean {
    return this.#index.special.has(token);
  }

  /** The start of the graph of some keywords. */
  graphOf(keywords: readonly string[]): GraphNode {
    const root = emptyNode();
    for (const keyword of keywords) for (const text of this.#spellings(keyword)) endOf(root, text, emptyNode);
    return root;
  }

  #spellings(keyword: string): string[] {
    const text = SPACE + keyword.trim().normalize("NFC").replaceAll(/\s+/g, SPACE);
    if (!this.#index.hasCapitals) return [text.toLowerCase()];
    return [text, SPACE + text.charAt(1).toUpperCase() + text.slice(2)];
  }

  /** The tokens that continue a keyword from a node, and where they lead. A lone space continues none. */
  tokensFrom(node: GraphNode): ReadonlyMap<number, GraphNode> {
    if (node.tokens) return node.tokens;
    const tokens = new Map<number, GraphNode>();
    const follow = (at: GraphNode, piece: PieceNode, text: string): void => {
      if (piece.token !== null && text !== SPACE) tokens.set(piece.token, at);
      for (const [letter, next] of piece.children) {
        const child = at.children.get(letter);
        if (child) follow(child, next, text + letter);
      }
    };
    follow(node, this.#index.root, "");
    node.tokens = tokens;
    return tokens;
  }

  /** Where the lone space leads; null where it leads nowhere, or there is none. */
  spaceFrom(node: GraphNode, token: number): GraphNode | null {
    const isSpace = this.#index.root.children.get(SPACE)?.token === token;
    return isSpace ? (node.children.get(SPACE) ?? null) : null;
  }
}

function indexOf(pieces: readonly string[]): Index {
  const root = emptyPiece();
  const written = pieces.flatMap((piece, token) => (SPECIAL.test(piece) ? [] : [[piece, token] as const]));
  for (const [piece, token] of written) endOf(root, piece, emptyPiece).token = token;
  return {
    root,
    hasCapitals: written.some(([piece]) => /\p{Lu}/u.test(piece)),
    special: new Set(pieces.flatMap((piece, token) => (SPECIAL.test(piece) ? [token] : []))),
  };
}

const emptyNode = (): GraphNode => ({ children: new Map(), tokens: null });
const emptyPiece = (): PieceNode => ({ children: new Map(), token: null });

function endOf<N extends { children: Map<string, N> }>(root: N, text: string, empty: () => N): N {
  let node = root;
  for (const letter of text) {
    const next = node.children.get(letter) ?? empty();
    node.children.set(letter, next);
    node = next;
  }
  return node;
}
