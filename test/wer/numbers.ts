/** Spoken English numbers in digits, as `EnglishNumberNormalizer` of the Open ASR leaderboard writes them. */
import { wordPattern, wordsIn } from "./letters.ts";
import { cardinalOf, joined, multiplied, NUMERALS, type Numeral, type Running } from "./numerals.ts";

const SIGNS: Record<string, string> = { minus: "-", negative: "-", plus: "+", positive: "+" };
const CURRENCIES: Record<string, string> = {
  pound: "£",
  pounds: "£",
  euro: "€",
  euros: "€",
  dollar: "$",
  dollars: "$",
  cent: "¢",
  cents: "¢",
};
const PREFIXES = "-+£€$¢";
const REPEATS: Record<string, number> = { double: 2, triple: 3 };

const NUMBER = /^\d+(\.\d+)?$/;

const WORDS = new Set([
  ...NUMERALS.keys(),
  ...Object.keys({ ...SIGNS, ...CURRENCIES, ...REPEATS }),
  "per",
  "percent",
  "and",
  "point",
]);

/** What a word is read with: the words around it, undefined at the ends. */
type Place = { word: string; before: string | undefined; after: string | undefined };

/** Reads words one after the other; `running` is the number that may go on, `prefix` stands before what is written next. */
class NumberReader {
  readonly written: string[] = [];
  private running: Running | null = null;
  private prefix = "";

  /** How many words it has read: 2 where the next belongs to this one. */
  read(place: Place): 1 | 2 {
    const { word, before, after } = place;
    const sign = PREFIXES.includes(word[0]!) ? word[0]! : "";
    const numeral = NUMERALS.get(word);
    if (NUMBER.test(word.slice(sign.length))) this.readDigits(word, sign);
    else if (numeral) this.readNumeral(numeral, before);
    else if (!WORDS.has(word)) this.writeAfterNumber(word);
    else if (word in SIGNS) this.readSign(word, after);
    else if (word in CURRENCIES) this.readCurrency(word);
    else if (word === "per" || word === "percent") return this.readPercent(word, after);
    else return this.readSpecial(place);
    return 1;
  }

  end(): void {
    if (this.running !== null) this.write(this.running);
  }

  private write(text: Running): void {
    this.written.push(`${this.prefix}${text}`);
    this.prefix = "";
    this.running = null;
  }

  private writeAfterNumber(word: string): void {
    this.end();
    this.write(word);
  }

  /** Digits that go on with more of them: nothing where the number is 0. */
  private append(digits: string): void {
    this.running = `${this.running || ""}${digits}`;
  }

  private readDigits(word: string, sign: string): void {
    if (typeof this.running === "string" && this.running.endsWith(".")) {
      this.running += word;
      return;
    }
    this.end();
    this.prefix = sign || this.prefix;
    const [whole, fraction = ""] = word.slice(sign.length).split(".");
    this.running = /^0*$/.test(fraction) ? BigInt(whole!) : word.slice(sign.length);
  }

  private readNumeral(numeral: Numeral, before: string | undefined): void {
    if (numeral.kind === "zero") this.append("0");
    else if (numeral.kind === "multiplier") this.readMultiplier(numeral);
    else if (numeral.suffix === "") this.running = joined(this.running, numeral, before);
    else this.write(`${joined(this.running, numeral, before)}${numeral.suffix}`);
  }

  private readMultiplier({ value, suffix }: Numeral): void {
    const product = this.running === null ? value : multiplied(this.running, value);
    if (product === null) this.end();
    this.running = product ?? value;
    if (suffix !== "") this.write(`${this.running}${suffix}`);
  }

  private readSign(word: string, after: string | undefined): void {
    this.end();
    if (isNumeric(after)) this.prefix = SIGNS[word]!;
    else this.write(word);
  }

  private readCurrency(word: string): void {
    if (this.running !== null) this.prefix = CURRENCIES[word]!;
    this.write(this.running ?? word);
  }

  private readPercent(word: string, after: string | undefined): 1 | 2 {
    if (this.running === null || (word === "per" && after !== "cent")) {
      this.writeAfterNumber(word);
      return 1;
    }
    this.write(`${this.running}%`);
    return word === "per" ? 2 : 1;
  }

  /** "and", "double", "triple" and "point" count only before what may be a number. */
  private readSpecial({ word, before, after }: Place): 1 | 2 {
    const next = cardinalOf(after);
    if (!isNumeric(after)) this.writeAfterNumber(word);
    else if (word === "point") {
      if (NUMBER.test(after!) || (next && next.kind !== "multiplier")) this.append(".");
    } else if (word === "and") {
      if (cardinalOf(before)?.kind !== "multiplier") this.writeAfterNumber(word);
    } else if (next && !["ten", "multiplier"].includes(next.kind)) {
      this.append(`${next.value}`.repeat(REPEATS[word]!));
      return 2;
    } else this.writeAfterNumber(word);
    return 1;
  }
}

const isNumeric = (word: string | undefined): boolean =>
  word !== undefined && (WORDS.has(word) || NUMBER.test(word));

/** "two and a half" is "two point five". */
function withHalves(text: string): string {
  const segments = text.split(wordPattern("and\\p{White_Space}+a\\p{White_Space}+half"));
  const parts = segments.flatMap((segment, at) => {
    const last = wordsIn(segment).at(-1);
    if (last === undefined) return [];
    if (at === segments.length - 1) return [segment];
    return [segment, cardinalOf(last) ? "point five" : "and a half"];
  });
  return parts.join(" ");
}

const prepared = (text: string): string =>
  withHalves(text)
    .replace(/([a-z])([0-9])/g, "$1 $2")
    .replace(/([0-9])([a-z])/g, "$1 $2")
    .replace(/([0-9])\p{White_Space}+(st|nd|rd|th|s)(?![\p{L}\p{N}_])/gu, "$1$2");

const withCents = (text: string): string =>
  text
    .replace(/([€£$][0-9]+) (?:and )?¢([0-9])(?![\p{L}\p{N}_])/gu, "$1.0$2")
    .replace(/([€£$][0-9]+) (?:and )?¢([0-9]{2})(?![\p{L}\p{N}_])/gu, "$1.$2")
    .replace(/[€£$]0.([0-9]{1,2})(?![\p{L}\p{N}_])/gu, (_, cents) => `¢${Number(cents)}`)
    .replace(wordPattern("1(s?)"), "one$1");

/** Of a text in lower case without marks, but for `.%$¢€£`. */
export function inDigits(text: string): string {
  const words = wordsIn(prepared(text));
  const reader = new NumberReader();
  for (let at = 0; at < words.length; )
    at += reader.read({ word: words[at]!, before: words[at - 1], after: words[at + 1] });
  reader.end();
  return withCents(reader.written.join(" "));
}
