/**
 * English words to Kokoro's phonemes, with the dictionaries that the model was trained with and their rules for words they
 * lack: endings, capitals, single letters.
 *
 *   gold, then silver, then "-s", "-ed", "-ing" of a known word, then null: the caller falls back to eSpeak NG
 *
 * A word with several pronunciations gets the most common one, because its part of speech is unknown here; where only the
 * next word decides ("the apple", "to eat"), that word is used. Source: hexgrad/misaki's English (Apache-2.0).
 */
export type Entries = Record<string, string | Record<string, string | null>>;

/** What follows: a vowel, a consonant, or nothing before the next mark. */
export type Following = "vowel" | "consonant" | null;

const PRIMARY = "ˈ";
const SECONDARY = "ˌ";
const VOWELS = "AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ";
const FLAPPED_AFTER = new Set("AIOWYiuæɑəɛɪɹʊʌ");
const VOICELESS = new Set("ptkfθ");
const HISSING = new Set("szʃʒʧʤ");

const SYMBOLS: Record<string, string> = { "%": "percent", "&": "and", "+": "plus", "@": "at" };

export class EnglishWords {
  readonly #gold: Entries;
  readonly #silver: Entries;
  readonly #british: boolean;

  constructor(gold: Entries, silver: Entries, british: boolean) {
    this.#gold = gold;
    this.#silver = silver;
    this.#british = british;
  }

  /** Null if no rule applies. */
  say(word: string, following: Following): string | null {
    return (
      this.#particle(word, following) ??
      this.#known(word, following) ??
      this.#ended(word.toLowerCase(), following)
    );
  }

  /** Letter by letter: the last one stressed. */
  spell(word: string): string {
    const letters = [...word.toUpperCase()].flatMap((letter) => this.#look(letter, "consonant") ?? []);
    const quiet = letters.map((letter) => letter.replace(PRIMARY, SECONDARY)).join("");
    const at = quiet.lastIndexOf(SECONDARY);
    return at < 0 ? quiet : quiet.slice(0, at) + PRIMARY + quiet.slice(at + 1);
  }

  #particle(word: string, following: Following): string | null {
    const vowel = following === "vowel";
    switch (word.toLowerCase()) {
      case "the":
        return vowel ? "ði" : "ðə";
      case "to":
        return following === null ? plain(this.#gold.to) : vowel ? "tʊ" : "tə";
      case "a":
        return following === null ? `${PRIMARY}A` : "ɐ";
      case "an":
        return "ɐn";
      case "i":
        return word === "I" ? `${SECONDARY}I` : null;
      case "in":
        return following === null ? `${PRIMARY}ɪn` : "ɪn";
      case "am":
        return following === null ? plain(this.#gold.am) : "ɐm";
      default:
        return null;
    }
  }

  #known(word: string, following: Following): string | null {
    if (Object.hasOwn(SYMBOLS, word)) return this.#look(SYMBOLS[word]!, following);
    const exact = this.#look(word, following);
    if (exact !== null) return exact;
    const isCapitals = word.length > 1 && word === word.toUpperCase() && /^\p{L}+$/u.test(word);
    const lower = this.#look(word.toLowerCase(), following) ?? this.#look(capitalized(word), following);
    if (isCapitals && (lower === null || word.length < 4)) return this.spell(word);
    if (lower === null) return null;
    return word === word.toLowerCase() ? lower : stressed(lower, isCapitals ? PRIMARY : SECONDARY);
  }

  #look(word: string, following: Following): string | null {
    const entry = Object.hasOwn(this.#gold, word)
      ? this.#gold[word]
      : Object.hasOwn(this.#silver, word)
        ? this.#silver[word]
        : undefined;
    if (typeof entry === "object" && following === null && entry.None) return entry.None;
    return plain(entry);
  }

  #ended(word: string, following: Following): string | null {
    if (word.endsWith("'")) return this.#known(word.slice(0, -1), following);
    const of = (...stems: string[]) => {
      for (const stem of stems) {
        const said = stem.length > 1 ? this.#known(stem, following) : null;
        if (said) return said;
      }
      return null;
    };
    const cut = (count: number) => word.slice(0, -count);
    if (word.endsWith("'s")) return this.#plural(of(cut(2)));
    if (/[^s]s$/.test(word))
      return this.#plural(
        of(cut(1), ...(word.endsWith("ies") ? [`${cut(3)}y`] : word.endsWith("es") ? [cut(2)] : [])),
      );
    if (/[^d]d$/.test(word)) return this.#past(of(cut(1), ...(/[^e]ed$/.test(word) ? [cut(2)] : [])));
    if (word.length > 4 && word.endsWith("ing")) {
      const doubled = /([bcdgklmnprstvxz])\1ing$|cking$/.test(word) ? [cut(4)] : [];
      return this.#going(of(cut(3), `${cut(3)}e`, ...doubled));
    }
    return null;
  }

  #plural(stem: string | null): string | null {
    if (stem === null) return null;
    const last = stem.at(-1)!;
    if (VOICELESS.has(last)) return `${stem}s`;
    return HISSING.has(last) ? `${stem}${this.#british ? "ɪ" : "ᵻ"}z` : `${stem}z`;
  }

  #past(stem: string | null): string | null {
    if (stem === null) return null;
    const last = stem.at(-1)!;
    const weak = this.#british ? "ɪ" : "ᵻ";
    if ("pkfθʃsʧ".includes(last)) return `${stem}t`;
    if (last === "d") return `${stem}${weak}d`;
    if (last !== "t") return `${stem}d`;
    return this.#flaps(stem) ? `${stem.slice(0, -1)}ɾᵻd` : `${stem}${weak}d`;
  }

  #going(stem: string | null): string | null {
    if (stem === null || (this.#british && /[əː]$/.test(stem))) return null;
    return this.#flaps(stem) ? `${stem.slice(0, -1)}ɾɪŋ` : `${stem}ɪŋ`;
  }

  /** An American t between vowels. */
  #flaps(stem: string): boolean {
    return !this.#british && stem.endsWith("t") && FLAPPED_AFTER.has(stem.at(-2) ?? "");
  }
}

/** Whether it begins with a vowel; marks without a sound are skipped. */
export function beginsWith(phonemes: string): Following {
  for (const symbol of phonemes) {
    if (VOWELS.includes(symbol)) return "vowel";
    if (/\p{L}/u.test(symbol) && symbol !== PRIMARY && symbol !== SECONDARY) return "consonant";
  }
  return null;
}

function plain(entry: Entries[string] | undefined): string | null {
  if (entry === undefined) return null;
  return typeof entry === "string" ? entry : (entry.DEFAULT ?? null);
}

const capitalized = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();

/** A word that stands out, though the dictionary says it without stress: before its first vowel. */
function stressed(phonemes: string, mark: string): string {
  if (phonemes.includes(PRIMARY) || phonemes.includes(SECONDARY)) return phonemes;
  const at = [...phonemes].findIndex((symbol) => VOWELS.includes(symbol));
  return at < 0 ? phonemes : phonemes.slice(0, at) + mark + phonemes.slice(at);
}
