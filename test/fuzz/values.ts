/** Unexpected JSON: values put in, left out or swapped in what a route takes, and text that is hardly JSON. */
import { mutate } from "./mutate.ts";
import type { Chance } from "./random.ts";

const TEXTS = [
  "",
  " ",
  "null",
  "constructor",
  "__proto__",
  "../../etc/passwd",
  "a@b",
  `a@${".".repeat(3000)} `,
  "\0",
  "\ud800",
  "\u202e\u0301\u200d",
  "😀".repeat(300),
  "x".repeat(5000),
  "'; drop table organization; --",
  "{{7*7}}<script>",
];
const NUMBERS = [0, -0, -1, 0.1, 1e-320, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 4_000_000_000];
const OTHERS = [null, true, false, [], {}, [[]], [null], { "": "" }, { id: {} }, Array(50).fill("x")];

export const oddValue = (chance: Chance): unknown =>
  chance.pick(chance.pick<readonly unknown[]>([TEXTS, NUMBERS, OTHERS]));

/** A copy in which a few places hold something else, or nothing. */
export function vary(value: unknown, chance: Chance): unknown {
  let varied = value;
  for (let left = chance.below(4); left > 0; left--) varied = varyOnce(varied, chance);
  return varied;
}

function varyOnce(value: unknown, chance: Chance): unknown {
  if (typeof value !== "object" || value === null || chance.once(6)) return oddValue(chance);
  const entries = Object.entries(value);
  if (entries.length === 0 || chance.once(8)) entries.push([chance.pick(TEXTS), oddValue(chance)]);
  const index = chance.below(entries.length);
  const [name, inner] = entries[index]!;
  if (chance.once(6)) entries.splice(index, 1);
  else entries[index] = [name, varyOnce(inner, chance)];
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

const DEEP = [
  "[".repeat(100_000),
  '{"a":'.repeat(30_000),
  `${"[".repeat(31)}${"]".repeat(31)}`,
  `[${"0,".repeat(60_000)}0]`,
  `"${"\\".repeat(60_000)}`,
  `"${'\\"'.repeat(60_000)}`,
  `${"9".repeat(60_000)}`,
  `{${'"a":1,'.repeat(20_000)}"a":1}`,
];

/** A value as it might be sent: mostly well, at times damaged, with a name twice, or around something deep. */
export function sent(value: unknown, chance: Chance): Buffer {
  const text = JSON.stringify(value) ?? "";
  if (chance.once(3)) return mutate(Buffer.from(text), chance);
  if (chance.once(12)) return Buffer.from(chance.pick(DEEP));
  if (chance.once(12)) return Buffer.from(text.replace(/[{[]/, (open) => `${open}"x":${chance.pick(DEEP)},`));
  if (chance.once(12)) return Buffer.from(text.replace("{", '{"__proto__":{"a":1},"constructor":1,'));
  return Buffer.from(text);
}
