/**
 * The dictionaries that Kokoro was trained with: gold before silver. An entry is one pronunciation, or several by part of
 * speech, in which `None` is that before a pause and a `NOUN` of null means that capitals are initials.
 *
 *   "record": { "DEFAULT": "ɹˈɛkəɹd", "VERB": "ɹəkˈɔɹd" }        "US": { "DEFAULT": "ˌʌs", "NOUN": null }
 *
 * Source: hexgrad/misaki (Apache-2.0).
 */
import type { Part } from "./parts.ts";

export type Entries = Record<string, string | Record<string, string | null>>;

/** The kind of word that a tense belongs to. */
const KIND: Partial<Record<Part, Part>> = { VBD: "VERB", VBN: "VERB" };

export class Dictionary {
  readonly #gold: Entries;
  readonly #silver: Entries;

  constructor(gold: Entries, silver: Entries) {
    this.#gold = gold;
    this.#silver = silver;
  }

  /** Null for a word that is not in the dictionaries as it is written. */
  find(word: string, { part = null, isLast = false }: { part?: Part | null; isLast?: boolean } = {}) {
    const entry = this.#entry(word);
    if (entry === undefined || typeof entry === "string") return entry ?? null;
    if (isLast && entry.None) return entry.None;
    const kind = part && (KIND[part] ?? part);
    return (part && (entry[part] ?? entry[kind!])) ?? entry.DEFAULT ?? null;
  }

  /** The parts of speech in which it is pronounced differently. */
  partsOf(word: string): ReadonlySet<string> {
    const entry = this.#entry(word);
    return new Set(typeof entry === "object" ? Object.keys(entry) : []);
  }

  /** Capitals that are read letter by letter when they name something: "US", "IT", "ID". */
  isInitials(word: string): boolean {
    const entry = this.#entry(word);
    return typeof entry === "object" && entry.NOUN === null;
  }

  inGold = (word: string): boolean => Object.hasOwn(this.#gold, word);

  #entry(word: string): Entries[string] | undefined {
    if (this.inGold(word)) return this.#gold[word];
    return Object.hasOwn(this.#silver, word) ? this.#silver[word] : undefined;
  }
}
