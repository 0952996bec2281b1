/** Signs: before numbers, of arithmetic, of powers, of scientific notation, and those of text. */
import { cardinal, ordinal, quantity } from "../lexicon/numbers.ts";
import type { Rule } from "../lexicon/rule.ts";

const SUPERSCRIPTS: Record<string, string> = Object.fromEntries(
  [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁻"].map((mark, index) => [mark, "0123456789-"[index]!]),
);
const plainDigits = (marks: string) => [...marks].map((mark) => SUPERSCRIPTS[mark] ?? mark).join("");

/** "2" -> "squared", "5" -> "to the fifth", "-3" -> "to the minus three". */
function readPower(exponent: string): string {
  if (exponent === "2") return "squared";
  if (exponent === "3") return "cubed";
  if (/^\d{1,3}$/.test(exponent)) return `to the ${ordinal(exponent)}`;
  if (/^[-−]\d/.test(exponent)) return `to the minus ${cardinal(exponent.slice(1))}`;
  return `to the power of ${exponent}`;
}

const PREFIXES: Record<string, string> = {
  "-": "minus",
  "−": "minus",
  "–": "minus",
  "±": "plus or minus",
  "~": "about",
  "∼": "about",
  "≈": "approximately",
  "+": "plus",
  "<": "less than",
  ">": "more than",
  "≤": "less than or equal to",
  "≥": "greater than or equal to",
};
const SIGNS: Record<string, string> = {
  "+": "plus",
  "=": "equals",
  "×": "times",
  "÷": "divided by",
  "−": "minus",
  "±": "plus or minus",
  "<": "is less than",
  ">": "is greater than",
  "≤": "is less than or equal to",
  "≥": "is greater than or equal to",
  "≠": "is not equal to",
  "≈": "is approximately",
  "≡": "is identical to",
  "∞": "infinity",
  "∑": "the sum of",
  "∫": "the integral of",
  "∈": "in",
  "∩": "intersected with",
  "∪": "united with",
  "∂": "partial",
  "∴": "therefore",
  "°": "degrees",
  "‰": "per mille",
};
const GREEK: Record<string, string> = Object.fromEntries(
  "α=alpha β=beta γ=gamma δ=delta ε=epsilon ζ=zeta η=eta θ=theta ι=iota κ=kappa λ=lambda μ=mu µ=micro ν=nu ξ=xi π=pi ρ=rho σ=sigma τ=tau υ=upsilon φ=phi χ=chi ψ=psi ω=omega Γ=gamma Δ=delta Θ=theta Λ=lambda Ξ=xi Π=pi Σ=sigma Φ=phi Ψ=psi Ω=omega"
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);

/** Before numbers are read. */
export const SIGNS_BEFORE_NUMBERS: Rule[] = [
  {
    name: "number sign",
    what: 'Before a number it is "number".',
    example: ["the #1 of them, №5", "the number 1 of them, number 5"],
    pattern: /(?:#|№ ?)(?=\d)/g,
    read: () => "number ",
  },
  {
    name: "scientific notation",
    what: "A number with an e and an exponent is times ten to its power.",
    example: ["1.2e6, 3E-5", "one point two times ten to the sixth, three times ten to the minus five"],
    pattern: /(?<![\w.])(\d{1,15}(?:\.\d{1,15})?)[eE]([+-]?)(\d{1,3})\b(?!-)/g,
    read: ([, number, sign, exponent]) =>
      `${quantity(number!)} times ten ${readPower(`${sign === "-" ? "-" : ""}${Number(exponent)}`)}`,
  },
  {
    name: "lowered digits",
    what: "Lowered digits are digits.",
    example: ["H₂O", "H 2 O"],
    pattern: /[₀₁₂₃₄₅₆₇₈₉]{1,6}/g,
    read: ([marks]) => ` ${[...marks].map((mark) => "₀₁₂₃₄₅₆₇₈₉".indexOf(mark)).join("")} `,
  },
  {
    name: "root",
    what: "A radical is a root of what follows.",
    example: ["√2, ∛x", "the square root of 2, the cube root of x"],
    pattern: /([√∛]) ?/g,
    read: ([, sign]) => `the ${sign === "√" ? "square" : "cube"} root of `,
  },
  {
    name: "product",
    what: 'An asterisk or a times sign between numbers is "times".',
    example: ["2 * 3, 4×5 = 20", "2 times 3, 4 times 5 = 20"],
    pattern: /(?<=[\d)]) ?[*×·⋅] ?(?=[\d(])|(?<=\b[a-z]) \* (?=[a-z\d]\b)/g,
    read: () => " times ",
  },
  {
    name: "quotient",
    what: 'A slash with spaces between numbers is "divided by".',
    example: ["10 / 2", "10 divided by 2"],
    pattern: /(?<=\d) \/ (?=\d)/g,
    read: () => " divided by ",
  },
  {
    name: "sign of a number",
    what: "A sign that touches the number or amount behind it is read before it.",
    example: ["-5, ~3, <10%, +2", "minus 5, about 3, less than 10%, plus 2"],
    pattern: /(?<![\w.)%"'°^*$£€¥-]|[\d)] )([-−–±~∼≈+<>≤≥]) ?(?=[$£€¥]?\.?\d)(?<! [-–] )/g,
    read: ([, sign]) => `${PREFIXES[sign!]} `,
  },
];

/** After units, which have their own powers. */
export const POWERS: Rule[] = [
  {
    name: "power",
    what: "A raised number, or one behind a caret, is a power.",
    example: ["10^5, x², 2**10", "10 to the fifth, x squared, 2 to the tenth"],
    pattern:
      /(?<=[\w)])(?:\^|\*\*)(?:\{([-−]?\w{1,4})\}|\(?([-−]?\w{1,4})\)?)|(?<=[\w)])([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,6})/g,
    read: ([, braced, plain, raised]) => ` ${readPower(braced ?? plain ?? plainDigits(raised!))}`,
  },
];

/** What is left of signs. */
export const SYMBOLS: Rule[] = [
  {
    name: "section sign",
    what: 'It is "section", doubled "sections"; a pilcrow is "paragraph".',
    example: ["§ 5, §§ 3", "section 5, sections 3"],
    pattern: /(§{1,2}|¶) ?/g,
    read: ([, sign]) => `${{ "§": "section", "§§": "sections", "¶": "paragraph" }[sign!]} `,
  },
  {
    name: "copyright",
    what: "The sign of copyright is its name; those of trade marks are silent.",
    example: ["© Acme™", "copyright Acme"],
    pattern: /(©) ?|[™®℠†‡]/g,
    read: ([, sign]) => (sign ? "copyright " : ""),
  },
  {
    name: "initials with an ampersand",
    what: 'Capitals around it are read letter by letter, and a small "s" behind them is their plural.',
    example: ["AT&T, Q&As", "A T and T, Q and A's"],
    pattern:
      /(?<![\p{L}\d&])(?:(?=[A-Z]&|[A-Z]{2,4}&[A-Z](?!\p{Lu}))([A-Z]{1,4}(?:&[A-Z]{1,4}){1,3})|(AT & T))(s?)(?![\p{L}\d&])/gu,
    read: ([, joined, parted, plural]) =>
      `${(joined ?? parted)!
        .split(/ ?& ?/)
        .map((letters) => [...letters].join(" "))
        .join(" and ")}${plural && "'s"}`,
  },
  {
    name: "ampersand",
    what: 'It is "and".',
    example: ["salt&pepper, R & D", "salt and pepper, R and D"],
    pattern: / ?& ?/g,
    read: () => " and ",
  },
  {
    name: "at sign",
    what: 'It is "at".',
    example: ["5 @ home", "5 at home"],
    pattern: / ?@ ?/g,
    read: () => " at ",
  },
  {
    name: "alternative",
    what: 'A slash is "or" between words that exclude each other, and otherwise only parts words.',
    example: ["and/or, he/she, TCP/IP", "and or, he or she, TCP IP"],
    pattern: /(?<=([A-Za-z]{0,8}))(?<=[A-Za-z)]) ?\/ ?(?=([A-Za-z]{1,8}))/g,
    read: ([, before, after]) => (ALTERNATIVES.has(`${before}/${after}`.toLowerCase()) ? " or " : " "),
  },
  {
    name: "sign",
    what: "The signs of arithmetic and logic are read by name.",
    example: ["2+2 = 4, 5 < 6, a ≠ b", "2 plus 2 equals 4, 5 is less than 6, a is not equal to b"],
    pattern:
      / ?((?<= )=(?= )|(?<=\S)=(?=\S)|[+×÷−±≤≥≠≈≡∞∑∫∈∩∪∂∴°‰]|(?<=\w )[<>](?= \w)|(?<=\d)[<>](?=\w)|(?<=\w)[<>](?=\d)) ?/g,
    read: ([, sign]) => ` ${SIGNS[sign!]} `,
  },
  {
    name: "ornament",
    what: "An equals sign that joins nothing is silent.",
    example: ["=Chapter One=", "Chapter One"],
    pattern: / ?= ?/g,
    read: () => " ",
  },
  {
    name: "tilde",
    what: 'Before a word it is "about".',
    example: ["~ten", "about ten"],
    pattern: /(?<![\w~])~(?=\w)/g,
    read: () => "about ",
  },
  {
    name: "Greek letter",
    what: "A Greek letter that stands alone is its name.",
    example: ["2 π r", "2 pi r"],
    pattern: /(?<!\p{L})([α-ωΓΔΘΛΞΠΣΦΨΩµ])(?!\p{L})/gu,
    read: ([, letter]) => ` ${GREEK[letter!] ?? letter} `,
  },
  {
    name: "percent sign",
    what: 'Without a number it is "percent".',
    example: ["in %", "in percent"],
    pattern: / ?%/g,
    read: () => " percent",
  },
  {
    name: "dollar sign",
    what: 'Before a name it is "dollar".',
    example: ["$HOME", "dollar HOME"],
    pattern: /\$(?=[A-Za-z_])/g,
    read: () => "dollar ",
  },
];

const ALTERNATIVES = new Set(
  "he/she she/he him/her his/her his/hers her/his yes/no true/false man/woman men/women boy/girl day/night mr/mrs new/used pass/fail win/lose".split(
    " ",
  ),
);
