/**
 * One English word to Kokoro's phonemes, with the dictionaries and their rules for words they lack: endings, capitals,
 * letters.
 *
 *   small words ("the", "to")  ->  initials ("US", "LLMs")  ->  the dictionaries  ->  "-s", "-ed", "-ing" of a known word
 *   ->  null: the caller falls back to eSpeak NG
 *
 * Source: hexgrad/misaki's English (Apache-2.0).
 */
import { Dictionary, type Entries } from "./dictionary.ts";
import type { Part } from "./parts.ts";
import { type Following, going, PRIMARY, past, plural, SECONDARY, stressed } from "./sounds.ts";

/** What a word's pronunciation depends on beside its letters. */
export type Context = {
  following: Following;
  part?: Part | null;
  /** The word before it in its clause, as it is written. */
  previous?: string | null;
  /** It is one of several letters: "A T and T". */
  isLetter?: boolean;
  /** The whole text is in capitals, so they say nothing about one word. */
  isShouted?: boolean;
};

const SYMBOLS: Record<string, string> = { "%": "percent", "&": "and", "+": "plus", "@": "at" };

/** Words in capitals too, though the dictionary would have them as initials. */
const NEVER_INITIALS = new Set("ADD AH AM AS BE ETC HE HI HM HMM IN IS ME MM OH OR WHO".split(" "));

const SPELLED_MAX = 5; // letters of initials with a vowel: "ASEAN" may be a name, "OPENAI" is one

export class EnglishWords {
  readonly #dictionary: Dictionary;
  readonly #british: boolean;

  constructor(gold: Entries, silver: Entries, british: boolean) {
    this.#dictionary = new Dictionary(gold, silver);
    this.#british = british;
  }

  /** Null if no rule applies. */
  say(word: string, context: Context): string | null {
    return (
      this.#smallWord(word, context) ??
      this.#initials(word, context) ??
      this.#known(word, context) ??
      this.#ended(word.toLowerCase(), context)
    );
  }

  /** Letter by letter: the last one stressed. */
  spell(word: string): string {
    const letters = [...word.toUpperCase()].flatMap((letter) => this.#dictionary.find(letter) ?? []);
    const quiet = letters.map((letter) => letter.replace(PRIMARY, SECONDARY)).join("");
    const position = quiet.lastIndexOf(SECONDARY);
    return position < 0 ? quiet : quiet.slice(0, position) + PRIMARY + quiet.slice(position + 1);
  }

  partsOf = (word: string): ReadonlySet<string> => this.#dictionary.partsOf(word);

  /** Whether it is a word in small letters. */
  isWord = (word: string): boolean => this.#dictionary.inGold(word.toLowerCase());

  #smallWord(word: string, context: Context): string | null {
    const { following, previous = null, isShouted = false, isLetter = false } = context;
    const vowel = following === "vowel";
    const find = (known: string) => this.#dictionary.find(known);
    switch (word.toLowerCase()) {
      case "the":
        return vowel ? "ði" : "ðə";
      case "to":
        return following === null ? find("to") : vowel ? "tʊ" : "tə";
      case "a":
        if (isLetter || following === null) return `${PRIMARY}A`;
        return word === "A" && previous !== null && !isShouted ? `${PRIMARY}A` : "ɐ";
      case "an":
        return "ɐn";
      case "i":
        return word === "I" ? `${SECONDARY}I` : null;
      case "in":
        return following === null ? `${PRIMARY}ɪn` : "ɪn";
      case "am":
        if (word === "AM" && previous !== "I" && !isShouted) return this.spell(word);
        return following === null ? find("am") : "ɐm";
      default:
        return null;
    }
  }

  #initials(word: string, context: Context): string | null {
    if (/^\p{L}{1,2}(?:\.\p{L}{1,2})+\.?$/u.test(word) || /^\p{Lu}\p{Ll}\p{Lu}$/u.test(word))
      return this.#dictionary.find(word) ?? this.spell(word);
    const [, letters, ending] = /^(\p{Lu}{2,}|\p{Lu}(?='s))('?s)?$/u.exec(word) ?? [];
    if (letters === undefined || (ending && this.#dictionary.find(word) !== null)) return null;
    if (letters.length > 1 && !this.#areInitials(letters, context)) return null;
    const spelled = this.spell(letters);
    if (spelled === "") return null;
    return ending === undefined ? spelled : plural(spelled, this.#british);
  }

  #areInitials(letters: string, { previous, isShouted = false }: Context): boolean {
    const dictionary = this.#dictionary;
    if (dictionary.isInitials(letters)) {
      if (letters === "WHO" && previous?.toLowerCase() === "the") return !isShouted;
      return !isShouted && !NEVER_INITIALS.has(letters);
    }
    const lower = letters.toLowerCase();
    if ([letters, lower, capitalized(lower)].some(dictionary.inGold)) return false;
    if (
      letters.length > 3 &&
      (dictionary.find(lower) ?? this.#ended(lower, { following: "consonant" })) !== null
    )
      return false;
    return !/[AEIOUY]/.test(letters) || letters.length <= (isShouted ? 3 : SPELLED_MAX);
  }

  #known(word: string, { following, part = null }: Context): string | null {
    const find = (known: string) => this.#dictionary.find(known, { part, isLast: following === null });
    if (Object.hasOwn(SYMBOLS, word)) return find(SYMBOLS[word]!);
    const exact = find(word);
    if (exact !== null) return exact;
    const lower = word.toLowerCase();
    if (word === lower) return find(capitalized(lower));
    const phonemes = find(lower) ?? find(capitalized(lower));
    const isCapitals = word.length > 1 && word === word.toUpperCase();
    return phonemes && stressed(phonemes, isCapitals ? PRIMARY : SECONDARY);
  }

  #ended(word: string, context: Context): string | null {
    const verb: Context = { ...context, part: context.part ?? "VERB" };
    const find = (stems: string[], how: Context): string | null => {
      for (const stem of stems) {
        const phonemes = stem.length > 1 ? this.#known(stem, { ...how, following: "consonant" }) : null;
        if (phonemes) return phonemes;
      }
      return null;
    };
    const cut = (count: number) => word.slice(0, -count);
    const apply = <T>(stem: string | null, end: (stem: string) => T) => (stem === null ? null : end(stem));
    if (word.endsWith("'")) return this.#known(cut(1), context) ?? this.#ended(cut(1), context);
    if (word.endsWith("'s")) {
      const stem = find([cut(2)], context) ?? this.#ended(cut(2), context);
      return apply(stem, (phonemes) => plural(phonemes, this.#british));
    }
    if (/[^s]s$/.test(word))
      return apply(find([cut(1), ...pluralStems(word)], context), (phonemes) =>
        plural(phonemes, this.#british),
      );
    if (/..[^d]d$/.test(word))
      return apply(find([cut(1), ...pastStems(word)], verb), (phonemes) => past(phonemes, this.#british));
    if (/..ing$/.test(word))
      return apply(find(goingStems(word), verb), (phonemes) =>
        going(stressed(phonemes, SECONDARY), this.#british, word.endsWith("ring")),
      );
    return null;
  }
}

const capitalized = (lower: string) => lower.slice(0, 1).toUpperCase() + lower.slice(1);

/** "flies" -> "fly"; "boxes" -> "box". */
const pluralStems = (word: string): string[] =>
  word.endsWith("ies") ? [`${word.slice(0, -3)}y`] : word.endsWith("es") ? [word.slice(0, -2)] : [];

/** "needed" -> "need"; "vlogged" -> "vlog"; "tried" -> "try". */
const pastStems = (word: string): string[] => [
  ...(/[^e]ed$/.test(word) ? [word.slice(0, -2)] : []),
  ...(/([bcdgklmnprstvxz])\1ed$/.test(word) ? [word.slice(0, -3)] : []),
  ...(word.endsWith("ied") ? [`${word.slice(0, -3)}y`] : []),
];

/** "making" -> "make"; "running" -> "run"; "picnicking" -> "picnic". */
const goingStems = (word: string): string[] => [
  ...(word.length > 5 ? [word.slice(0, -3)] : []),
  `${word.slice(0, -3)}e`,
  ...(/([bcdgklmnprstvxz])\1ing$|cking$/.test(word) ? [word.slice(0, -4)] : []),
];
