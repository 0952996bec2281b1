/** Amounts of money: signs and codes of currencies, multiples, ranges, coins. */
import { cardinal, quantity } from "../lexicon/numbers.ts";
import { anyOf, NUMBER, type Rule } from "../lexicon/rule.ts";

/** One, several, and the name of a hundredth, where it has one. */
const SIGNS: Record<string, [string, string, string?]> = {
  $: ["dollar", "dollars", "cent"],
  "£": ["pound", "pounds", "penny"],
  "€": ["euro", "euros", "cent"],
  "¥": ["yen", "yen"],
  "₹": ["rupee", "rupees", "paisa"],
  "₩": ["won", "won"],
  "₽": ["ruble", "rubles"],
  "₺": ["lira", "lira"],
  "₴": ["hryvnia", "hryvnias"],
  "₦": ["naira", "naira"],
  "₱": ["peso", "pesos"],
  "₫": ["dong", "dong"],
  "₪": ["shekel", "shekels"],
  "฿": ["baht", "baht"],
  "₿": ["bitcoin", "bitcoins"],
  R$: ["real", "reais"],
};
/** Dollars of other countries, by what stands before the sign. */
const DOLLARS: Record<string, string> = {
  US: "US",
  CA: "Canadian",
  C: "Canadian",
  A: "Australian",
  AU: "Australian",
  NZ: "New Zealand",
  HK: "Hong Kong",
  S: "Singapore",
  SG: "Singapore",
  NT: "Taiwan",
};
const CODES: Record<string, [string, string, string?]> = {
  USD: ["US dollar", "US dollars", "cent"],
  EUR: ["euro", "euros", "cent"],
  GBP: ["pound", "pounds", "penny"],
  JPY: ["yen", "yen"],
  CAD: ["Canadian dollar", "Canadian dollars", "cent"],
  AUD: ["Australian dollar", "Australian dollars", "cent"],
  NZD: ["New Zealand dollar", "New Zealand dollars", "cent"],
  CHF: ["Swiss franc", "Swiss francs"],
  CNY: ["yuan", "yuan"],
  RMB: ["yuan", "yuan"],
  INR: ["rupee", "rupees"],
  KRW: ["won", "won"],
  SEK: ["Swedish krona", "Swedish kronor"],
  NOK: ["Norwegian krone", "Norwegian kroner"],
  DKK: ["Danish krone", "Danish kroner"],
  PLN: ["zloty", "zlotys"],
  BTC: ["bitcoin", "bitcoins"],
};
const MULTIPLES: Record<string, string> = {
  k: "thousand",
  m: "million",
  mm: "million",
  mn: "million",
  b: "billion",
  bn: "billion",
  t: "trillion",
  tn: "trillion",
};
const MULTIPLE = " ?(?:thousand|million|billion|trillion|[kmbt]n?|mm)\\b(?!&)";
const SIGN = `R\\$|(?:(?:${anyOf(Object.keys(DOLLARS))})(?=\\$))?[${Object.keys(SIGNS)
  .filter((sign) => sign.length === 1)
  .join("")}]`;

const multipleOf = (text: string | undefined): string => {
  const plain = text?.trim().toLowerCase();
  return plain ? ` ${MULTIPLES[plain] ?? plain}` : "";
};

/** One and several of what the sign or code says, with its country. */
function namesOf(sign: string): [string, string, string?] {
  if (Object.hasOwn(CODES, sign)) return CODES[sign]!;
  if (Object.hasOwn(SIGNS, sign)) return SIGNS[sign]!;
  const [single, plural, coin] = SIGNS[sign.at(-1)!]!;
  const country = DOLLARS[sign.slice(0, -1)];
  return coin
    ? [`${country} ${single}`, `${country} ${plural}`, coin]
    : [`${country} ${single}`, `${country} ${plural}`];
}

type Amount = { sign: string; number: string; multiple: string | undefined; single?: boolean };

function readMoney({ sign, number, multiple, single = false }: Amount): string {
  const [one, several, coin] = namesOf(sign);
  const nameOf = (count: string) => (single || count === "1" ? one : several);
  if (multiple) return `${quantity(number)}${multipleOf(multiple)} ${single ? one : several}`;
  const [whole = "", cents] = number.split(".");
  const main = `${cardinal(whole || "0")} ${nameOf(whole)}`;
  if (!cents || Number(cents) === 0) return main;
  if (cents.length !== 2 || !coin) return `${quantity(number)} ${several}`;
  const small = Number(cents);
  const coins = small === 1 || single ? coin : coin === "penny" ? "pence" : `${coin}s`;
  const change = `${cardinal(String(small))} ${coins}`;
  return Number(whole || "0") === 0 ? change : `${main} and ${change}`;
}

export const MONEY: Rule[] = [
  {
    name: "negative amount",
    what: "A minus behind the sign of a currency is read before it.",
    example: ["$-5", "minus $5"],
    pattern: /([$£€])[-−](?=\d)/g,
    read: ([, sign]) => `minus ${sign}`,
  },
  {
    name: "range of money",
    what: "Two amounts with a dash are a range; the currency is said once, at its end.",
    example: ["$5-10, $1.5M–$2M", "five to ten dollars, one point five million to two million dollars"],
    pattern: new RegExp(
      `(?<![\\w])(${SIGN}) ?(${NUMBER})(${MULTIPLE})? ?[-–] ?(?:${SIGN})?(${NUMBER})(${MULTIPLE})?(?![\\w]|[.,]\\d)`,
      "gi",
    ),
    read: ([, sign, from, fromMultiple, to, toMultiple]) => {
      const end = readMoney({ sign: sign!, number: to!, multiple: toMultiple });
      const isPlain = fromMultiple || !/\.\d\d$/.test(from!);
      const begin = isPlain
        ? `${quantity(from!)}${multipleOf(fromMultiple)}`
        : readMoney({ sign: sign!, number: from!, multiple: undefined });
      return `${begin} to ${end}`;
    },
  },
  {
    name: "money",
    what: "An amount behind the sign of a currency is said before it, with its coins; before a noun in the singular.",
    example: ["US$5, £3.01, a $20 bill", "five US dollars, three pounds and one penny, a twenty dollar bill"],
    pattern: new RegExp(
      `(?<![\\w])(?:\\b(an?) )?(${SIGN}) ?(${NUMBER})(${MULTIPLE})?(?:(?=( (?!per\\b|an?\\b|in\\b|for\\b|to\\b|and\\b|or\\b|on\\b|at\\b)[a-z]|-[a-z]))|)`,
      "gi",
    ),
    read: ([, article, sign, number, multiple, noun]) => {
      const single = article !== undefined && noun !== undefined;
      return `${article ? `${article} ` : ""}${readMoney({ sign: sign!, number: number!, multiple, single })}`;
    },
  },
  {
    name: "money with a code",
    what: "The code of a currency beside an amount is its name.",
    example: ["20 USD, EUR 1.5m", "twenty US dollars, one point five million euros"],
    pattern: new RegExp(
      `\\b(${anyOf(Object.keys(CODES))}) ?(${NUMBER})(${MULTIPLE})?(?!\\w)|(?<![\\w.,])(${NUMBER})(${MULTIPLE})? ?(${anyOf(Object.keys(CODES))})\\b`,
      "g",
    ),
    read: ([, code, number, multiple, before, beforeMultiple, codeAfter]) => {
      const amount = { number: (number ?? before)!, multiple: multiple ?? beforeMultiple };
      return readMoney({ sign: (code ?? codeAfter)!, ...amount });
    },
  },
  {
    name: "money with the sign behind",
    what: "The sign of a currency may stand behind its amount.",
    example: ["5 €, 1.50€", "five euros, one euro and fifty cents"],
    pattern: new RegExp(`(?<![\\w.,])(${NUMBER}) ?([€£₽₴₺₫$])(?![\\w\\d])`, "g"),
    read: ([, number, sign]) => readMoney({ sign: sign!, number: number!, multiple: undefined }),
  },
  {
    name: "cents",
    what: "The sign of cents behind a number is their name.",
    example: ["99¢", "ninety-nine cents"],
    pattern: new RegExp(`(?<![\\w.])(${NUMBER}) ?¢`, "g"),
    read: ([, number]) => `${quantity(number!)} cent${number === "1" ? "" : "s"}`,
  },
];
