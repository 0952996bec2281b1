/** Counts: percentages, thousands and millions by letter, ordinals, ranges, decimals, whole numbers. */
import { cardinal, decimal, ordinal, pairs, quantity, several } from "../lexicon/numbers.ts";
import { NUMBER, type Rule } from "../lexicon/rule.ts";

const LETTERS: Record<string, string> = {
  k: "thousand",
  K: "thousand",
  M: "million",
  mn: "million",
  B: "billion",
  bn: "billion",
  T: "trillion",
  tn: "trillion",
};

/** What is counted with a letter for thousands or more, and is no name such as "4K" or "Gate 7B". */
export const COUNTS: Rule[] = [
  {
    name: "percentage",
    what: 'A percent sign is "percent", said once for a range.',
    example: ["0.5 %, 30-40%", "zero point five percent, thirty to forty percent"],
    pattern: new RegExp(`(?<![\\w.])(?:(${NUMBER}) ?%? ?[-–] ?)?(${NUMBER}) ?%`, "g"),
    read: ([, from, number]) => `${from ? `${quantity(from)} to ` : ""}${quantity(number!)} percent`,
  },
  {
    name: "numbered with a letter",
    what: 'Behind "Room", "Gate" and the like, a letter belongs to its number; so it does in 4K and 8K.',
    example: ["Gate 7B, 4K video", "Gate 7 B, 4 K video"],
    pattern:
      /\b((?:Room|Gate|Seat|Apt\.?|Apartment|Unit|Suite|Flat|Exhibit|Section|Appendix|Platform|Form|Type|Grade|Level|Class|Block) \d{1,4})([A-Z])\b|(?<![\w.,$£€])([48]|(?:5|10)(?=K (?:run|race|walk)))K\b(?! [a-z]{2,20}s\b)/gi,
    read: ([, place, letter, lines]) => (place ? `${place} ${letter}` : `${lines} K`),
  },
  {
    name: "multiple",
    what: "A letter behind a number is thousands, millions, billions or trillions, and x is times.",
    example: ["1.2M users, 5-10k, 2x", "one point two million users, five to ten thousand, two times"],
    pattern: new RegExp(
      `(?<![\\w.-])(?:(${NUMBER})([kKMB]|[bmt]n)? ?[-–] ?)?(${NUMBER})(?:(k|K|M|B(?! [A-Z][a-z])|bn|mn|tn|(?<=\\.\\d{1,3})T|T(?= (?:tokens|parameters)))|([xX]))(?!\\w)`,
      "g",
    ),
    read: ([, from, fromLetter, number, letter]) => {
      const begin = from ? `${quantity(from)}${fromLetter ? ` ${LETTERS[fromLetter]}` : ""} to ` : "";
      return `${begin}${quantity(number!)} ${letter ? LETTERS[letter] : "times"}`;
    },
  },
  {
    name: "range of ordinals",
    what: 'A dash between two ordinals is "to".',
    example: ["1st-3rd", "1st to 3rd"],
    pattern: /(?<=\d(?:st|nd|rd|th)) ?[-–] ?(?=\d{1,6}(?:st|nd|rd|th)\b)/g,
    read: () => " to ",
  },
  {
    name: "ordinal",
    what: "A number with its ending is an ordinal.",
    example: ["the 21st", "the twenty-first"],
    pattern: /(?<![\w.])(?:(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:st|nd|rd|th|ST|ND|RD|TH)|([2-9][23])d)\b/g,
    read: ([, number, old]) => ordinal((number ?? old)!),
  },
  {
    name: "difference",
    what: 'A hyphen between numbers of a calculation is "minus".',
    example: ["5 - 3 = 2", "5 minus 3 = 2"],
    pattern: /(?<=(?<![\w.])\d{1,15}(?:\.\d{1,9})?) ?[-−–] ?(?=\d{1,15}(?:\.\d{1,9})? ?=)/g,
    read: () => " minus ",
  },
  {
    name: 'range behind "between"',
    what: 'A dash between two numbers behind "between" is "and".',
    example: ["between 5-6", "between 5 and 6"],
    pattern: /(?<=\bbetween \d{1,9}) ?[-–] ?(?=\d{1,9}(?![\w-]|[.,]\d))/g,
    read: () => " and ",
  },
  {
    name: "range",
    what: 'A dash between two numbers is "to": a range, or a score.',
    example: ["10–20 apples, won 3-2", "ten to twenty apples, won three to two"],
    pattern: new RegExp(`(?<![\\w.-])(${NUMBER}) ?[-–] ?(${NUMBER})(?![-\\w–]|[.,]\\d)`, "g"),
    read: ([, from, to]) => `${quantity(from!)} to ${quantity(to!)}`,
  },
  {
    name: "and more",
    what: 'A plus behind a number is "plus".',
    example: ["50+ people", "fifty plus people"],
    pattern: new RegExp(`(?<![\\w.])(${NUMBER})\\+(?![\\d=+])`, "g"),
    read: ([, number]) => `${quantity(number!)} plus`,
  },
];

/** What is left of numbers. */
export const NUMBERS: Rule[] = [
  {
    name: "size in pairs",
    what: "Sizes of four digits are read in pairs.",
    example: ["3840 by 2160", "thirty-eight forty by twenty-one sixty"],
    pattern:
      /(?<![\w.,])(\d{4}) by (\d{4}|[a-z]{3,8}(?:-[a-z]{2,5})?(?: [a-z]{2,8}(?:-[a-z]{2,5})?)?)(?!\w|[.,]\d)/g,
    read: ([, first, second]) => `${pairs(first!)} by ${/\d/.test(second!) ? pairs(second!) : second}`,
  },
  {
    name: "year",
    what: "A whole number from 1100 to 2099 is read in pairs, as a year.",
    example: ["in 1905", "in nineteen oh five"],
    pattern: /(?<![\w.,])((?:1[1-9]|20)\d\d)(?!\w|[.,]\d|%)/g,
    read: ([, digits]) => pairs(digits!),
  },
  {
    name: "decimal",
    what: "A number with a point is read digit by digit behind it.",
    example: ["3.14", "three point one four"],
    pattern: /(?<![\w.])(\d{1,3}(?:,\d{3}){1,6}|\d{0,20})\.(\d{1,40})(?![\d.]\d)/g,
    read: ([, whole, fraction]) => decimal(whole!, fraction!),
  },
  {
    name: "numbers in a row",
    what: "A comma between numbers that groups no thousands parts them.",
    example: ["1,2,3", "1, 2, 3"],
    pattern: /(?<=\d),(?=\d{1,2}(?!\d)|\d{4})/g,
    read: () => ", ",
  },
  {
    name: "several",
    what: "A number with an s is several of them.",
    example: ["B-52s", "B-fifty-twos"],
    pattern: /(?<![\d.,])(\d{1,6})'?s\b/g,
    read: ([, digits]) => several(digits!),
  },
  {
    name: "whole number",
    what: "All other digits are a number; more than fifteen, or with a leading zero, are read one by one.",
    example: ["1,500 apples and 007", "one thousand five hundred apples and zero zero seven"],
    pattern: /\d{1,3}(?:,\d{3}){1,6}(?![\d])|\d{1,80}/g,
    read: ([digits]) => cardinal(digits),
  },
];
