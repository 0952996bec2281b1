/**
 * Keywords in a greedy search: a token that continues a keyword counts more, the more the longer it has been followed.
 *
 *   score + BOOST · (1 + ln depth)        depth: tokens of the keyword, this one included
 *
 * Keywords decide between tokens, and never against the blank: they make no words of silence. Several may be followed at
 * once, and one is begun anew at every word. Boost and its growth: Moonshine's ContextBiaser, for greedy decoders.
 */
import type { GraphNode, KeywordVocabulary } from "./graph.ts";

const BOOST = 2; // natural logarithms: a token may be 7 times less likely

/** A keyword that is being followed, for so many tokens. */
type Match = { node: GraphNode; depth: number };

export class KeywordBias {
  readonly #vocabulary: KeywordVocabulary;
  readonly #start: Match;
  #matches: Match[] = [];

  constructor(vocabulary: KeywordVocabulary, graph: GraphNode) {
    this.#vocabulary = vocabulary;
    this.#start = { node: graph, depth: 0 };
  }

  /** The token to take in place of the likeliest, which is not the blank; follows it. `scores`: of all tokens. */
  choose(scores: Float32Array, likeliest: number): number {
    if (this.#vocabulary.isSpecial(likeliest)) return likeliest;
    let best = likeliest;
    let most = scores[likeliest]!;
    for (const { node, depth } of [...this.#matches, this.#start]) {
      const boost = BOOST * (1 + Math.log(depth + 1));
      for (const token of this.#vocabulary.tokensFrom(node).keys()) {
        const score = scores[token]! + boost;
        if (score > most) [best, most] = [token, score];
      }
    }
    this.follow(best);
    return best;
  }

  /** Of a token that was chosen without it. */
  follow(token: number): void {
    this.#matches = [...this.#matches, this.#start].flatMap(({ node, depth }) => {
      const next = this.#vocabulary.tokensFrom(node).get(token);
      if (next) return [{ node: next, depth: depth + 1 }];
      const spaced = this.#vocabulary.spaceFrom(node, token);
      return spaced ? [{ node: spaced, depth }] : [];
    });
  }
}

/** A new bias for each search; null where there are no keywords. */
export type Biasing = (() => KeywordBias) | null;

export function openBiasing(vocabulary: KeywordVocabulary, keywords: readonly string[] = []): Biasing {
  if (keywords.length === 0) return null;
  const graph = vocabulary.graphOf(keywords);
  return () => new KeywordBias(vocabulary, graph);
}
