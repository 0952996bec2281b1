/** The values of attributes of SSML: paces and lengths of silence. */
import { wrongInput } from "./script.ts";
import type { Attributes } from "./ssml-tag.ts";

const RATES: Record<string, number> = {
  "x-slow": 0.5,
  slow: 0.75,
  medium: 1,
  default: 1,
  fast: 1.25,
  "x-fast": 1.5,
};
const STRENGTHS: Record<string, number> = {
  none: 0,
  "x-weak": 100,
  weak: 200,
  medium: 400,
  strong: 700,
  "x-strong": 1000,
};
const LENGTH = /^(\d{1,6}(?:\.\d{1,3})?|\.\d{1,3})(ms|s)$/;

/** "80%", "1.2" or a word, as a factor. */
export function rateOf(value: string | undefined): number {
  if (value === undefined) return 1;
  if (Object.hasOwn(RATES, value)) return RATES[value]!;
  const [, number, percent] = /^(\d{1,3}(?:\.\d{1,3})?)(%?)$/.exec(value) ?? [];
  const rate = Number(number) / (percent ? 100 : 1);
  if (number === undefined || rate < 0.25 || rate > 4)
    throw wrongInput(`has <prosody rate="${value}">; a rate is 25% to 400%, or a word from x-slow to x-fast`);
  return rate;
}

/** In milliseconds. */
export function silenceOf(attributes: Attributes): number {
  const [time, strength = "medium"] = [attributes.get("time"), attributes.get("strength")];
  if (time === undefined && Object.hasOwn(STRENGTHS, strength)) return STRENGTHS[strength]!;
  const [, number, unit] = LENGTH.exec(time ?? "") ?? [];
  if (number === undefined)
    throw wrongInput(`has a <break> of ${time ?? strength}; write time="300ms" or a strength`);
  return Number(number) * (unit === "s" ? 1000 : 1);
}
