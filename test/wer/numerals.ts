/** The words of English numbers: what each is worth, and how it joins the number before it. */

/** `digit` is 1 to 9, `teen` 10 to 19, `ten` 20 to 90; `suffix`: of a plural or an ordinal, which ends a number. */
export type Numeral = {
  kind: "zero" | "digit" | "teen" | "ten" | "multiplier";
  value: bigint;
  suffix: string;
};

const ONES =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety";
const THOUSANDS =
  "thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion";

const IRREGULAR: Record<string, [ordinal: string, suffix: string]> = {
  one: ["first", "st"],
  two: ["second", "nd"],
  three: ["third", "rd"],
  five: ["fifth", "th"],
  eight: ["eighth", "th"],
  twelve: ["twelfth", "th"],
};

function ordinalOf(word: string, kind: Numeral["kind"]): [ordinal: string, suffix: string] {
  if (kind === "ten") return [word.replace("y", "ieth"), "th"];
  return IRREGULAR[word] ?? [`${word}th`, "th"];
}

function pluralOf(word: string, kind: Numeral["kind"]): string {
  if (kind === "ten") return word.replace("y", "ies");
  return word === "six" ? "sixes" : `${word}s`;
}

function numerals(): Map<string, Numeral> {
  const all = new Map<string, Numeral>();
  for (const word of ["o", "oh", "zero"]) all.set(word, { kind: "zero", value: 0n, suffix: "" });
  all.set("zeroth", { kind: "digit", value: 0n, suffix: "th" });
  const add = (word: string, kind: Numeral["kind"], value: bigint) => {
    const [ordinal, suffix] = ordinalOf(word, kind);
    all.set(word, { kind, value, suffix: "" });
    all.set(pluralOf(word, kind), { kind, value, suffix: "s" });
    all.set(ordinal, { kind, value, suffix });
  };
  for (const [at, word] of ONES.split(" ").entries()) add(word, at < 9 ? "digit" : "teen", BigInt(at + 1));
  for (const [at, word] of TENS.split(" ").entries()) add(word, "ten", BigInt(10 * (at + 2)));
  add("hundred", "multiplier", 100n);
  for (const [at, word] of THOUSANDS.split(" ").entries()) add(word, "multiplier", 1000n ** BigInt(at + 1));
  return all;
}

export const NUMERALS: ReadonlyMap<string, Numeral> = numerals();

/** A numeral that is no plural and no ordinal. */
export function cardinalOf(word: string | undefined): Numeral | null {
  const numeral = word === undefined ? undefined : NUMERALS.get(word);
  return numeral?.suffix === "" ? numeral : null;
}

/** A number that is read: an integer, or its digits as they are written one after the other. */
export type Running = bigint | string;

/** `before`: the word before it. Where its place is taken, its digits follow those of the number. */
export function joined(running: Running | null, numeral: Numeral, before: string | undefined): Running {
  const { kind, value } = numeral;
  if (running === null) return value;
  const last = cardinalOf(before)?.kind;
  const isSpelled = typeof running === "string" || (kind !== "ten" && (last === "digit" || last === "teen"));
  if (isSpelled) {
    const isUnit = kind === "digit" && last === "ten"; // "nineteen sixty" is 1960, and "four" makes it 1964
    return `${isUnit ? String(running).slice(0, -1) : running}${value}`;
  }
  return running % (kind === "digit" ? 10n : 100n) === 0n ? running + value : `${running}${value}`;
}

/** The number times a hundred, a thousand and so on: its last three digits alone, where it is an integer. */
export function multiplied(running: Running, multiplier: bigint): bigint | null {
  if (typeof running === "bigint") {
    const thousands = (running / 1000n) * 1000n;
    return thousands + (running % 1000n) * multiplier;
  }
  const [, whole, fraction = ""] = /^(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(running) ?? [];
  if (whole === undefined) return null;
  const scale = 10n ** BigInt(fraction.length);
  const product = BigInt(`${whole}${fraction}`) * multiplier;
  return product % scale === 0n ? product / scale : null;
}
