/** Roman numerals beside names, and words in capitals that are no acronyms. */
import { cardinal, ordinal, romanDigits } from "../lexicon/numbers.ts";
import type { Rule } from "../lexicon/rule.ts";

/** Names that Roman numerals follow as ordinals. */
const RULERS =
  "Henry|Edward|George|Charles|William|Louis|Elizabeth|Richard|James|Philip|Pius|Paul|Benedict|John|Francis|Napoleon|Frederick|Nicholas|Peter|Catherine|Alexander|Leo|Gregory|Mary|Ivan|Wilhelm|Otto|Ramses|Clement|Innocent|Urban|Felipe|Juan|Carlos|Haakon|Harald|Gustav|Christian|Margrethe|Xerxes|Darius|Ptolemy";
/** What Roman numerals count: parts of works, wars, and the like. */
const NUMBERED =
  "Chapter|Part|Act|Scene|Book|Volume|Section|Article|War|Phase|Title|Bowl|Appendix|Episode|Stage|Figure|Table|Lesson|Canto|Psalm|Schedule";
/** What single letters may name too. */
const GRADED = "Type|Class|Level|Grade|Mark|Unit|Division|Tier|Group|Vatican";
/** Short words that are often written in capitals for emphasis, and would be spelled as acronyms. */
const EMPHASIZED =
  "ALL|AND|ANY|ARE|BAD|BAN|BIG|BUT|CAN|DAY|DID|DO|DOES|DON'T|ELSE|EVER|FOR|FROM|FUN|GET|GO|GOT|HAD|HAS|HER|HIS|HOW|IF|IS|LET|MAY|MUST|MY|NEVER|NEW|NO|NOT|NOW|OF|OFF|OLD|ONE|ONLY|OUR|OUT|OWN|PUT|SAY|SEE|SHE|SO|THAN|THAT|THE|THEN|THEY|THIS|TO|TOO|TRY|TWO|USE|VERY|WAS|WAY|WE|WHY|WITH|YES|YET|YOU|YOUR";

/** What shows that a line in capitals is made of words, not of acronyms. */
const COMMON = new RegExp(`\\b(?:${EMPHASIZED}|A|I|IN|ON|AT|IT|BE|AS|BY|OR|WHAT|WILL|HAVE|BEEN|WERE)\\b`);

/** What stays in capitals among words in capitals. */
const ACRONYMS = new Set(
  "AC AI AIDS AMD API ATM AWS BBC CBS CD CEO CFO CIA CNN CPU CSS CTO DC DIY DJ DNA DVD EPA EU FAQ FBI FDA FIFA GDP GPS GPU HBO HIV HTML HTTP IBM ID IQ IRS JFK JSON MIT MLB MRI NASA NATO NBA NBC NFL NGO NHL NSA NYC OK PC PDF RAM RNA SDK SQL SUV TV UAE UEFA UFO UK UN UNESCO UNICEF URL USA USB USSR VAT VIP VPN XML".split(
    " ",
  ),
);
const NUMERAL_WORD = /^(?:[IVX]{2,}|X?L[IVX]*)$/;
const NUMERAL = "(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?<=[IVXLC])";

function readShouted(word: string): string {
  if (NUMERAL_WORD.test(word)) return word;
  const name = word.endsWith("'S") ? word.slice(0, -2) : word;
  return ACRONYMS.has(name) ? name + word.slice(name.length).toLowerCase() : word.toLowerCase();
}

export const SHOUTED: Rule[] = [
  {
    name: "line in capitals",
    what: "A line of words without a small letter is read as words; what stands beside digits stays.",
    example: ["THIS IS VERY IMPORTANT!", "This is very important!"],
    pattern:
      /^[^a-z\n]{0,40}?(?:[A-Z][A-Z']{1,30}[^A-Za-z'\d\n]{1,9}'?){1,60}[A-Z][A-Z']{1,30}[^a-z\n]{0,2000}$/gm,
    read: ([line]) => {
      if (!COMMON.test(line)) return line;
      return line
        .replace(
          /(?<![\dA-ZÀ-Þ]|\d[ -]|\b[A-Z]&)(?:[A-ZÀ-Þ][A-ZÀ-Þ']{1,40}|A(?= ))(?![\dA-ZÀ-Þ]|-\d|&[A-Z]\b)/g,
          (word) => readShouted(word),
        )
        .replace(/^[^A-Za-z]{0,40}[a-z]|[.!?] [a-z]|\bi\b/g, (begin) => begin.toUpperCase());
    },
  },
  {
    name: "word in capitals",
    what: "A short common word in capitals is a word, not an acronym.",
    example: ["do NOT go", "do not go"],
    pattern: new RegExp(`(?<![\\w.&/'-]|[A-Z]{2} )(${EMPHASIZED})(?![\\w&/'-]|\\.\\w| [A-Z]{2})`, "g"),
    read: ([word]) => word.toLowerCase(),
  },
];

export const ROMAN: Rule[] = [
  {
    name: "ruler",
    what: 'A Roman numeral behind the name of a ruler is an ordinal; a single I only behind a title, or before "of".',
    example: ["Henry VIII, Queen Elizabeth I", "Henry the eighth, Queen Elizabeth the first"],
    pattern: new RegExp(
      `\\b(${RULERS}|(?:King|Queen|Pope|Emperor|Empress|Tsar|Czar|Prince|Pharaoh|Sultan) [A-Z][a-z]{2,20}(?: [A-Z][a-z]{2,20})?) (?:([IVXL]{2,9}|[VX])|(?<=(?:King|Queen|Pope|Emperor|Empress|Tsar|Czar|Prince) [A-Za-z ]{2,40})(I)|(I)(?= of [A-Z]))\\b(?!\\.\\w)(?:\\.(?= [a-z]))?`,
      "g",
    ),
    read: ([, name, digits, first, second]) =>
      `${name} the ${ordinal(romanDigits((digits ?? first ?? second)!))}`,
  },
  {
    name: "numbered part",
    what: 'A Roman numeral behind what is numbered is a number; a single I only before a mark, "of" or the end.',
    example: ["Chapter IV, World War II, Part I: dawn", "Chapter four, World War two, Part one: dawn"],
    pattern: new RegExp(
      `\\b(${NUMBERED})(s?) (?:(I)(?=[:.,;)–-]| {0,2}(?![^\\n])| of\\b| and [IVX])|([VX])\\b|(?=[IVXLC]{2})(${NUMERAL})\\b)(?: and (${NUMERAL})\\b)?`,
      "g",
    ),
    read: ([, part, plural, ...numerals]) => {
      const [first, second] = numerals.slice(0, 4).filter((each) => /^[IVXLC]+$/.test(each ?? ""));
      return `${part}${plural} ${cardinal(romanDigits(first!))}${second ? ` and ${cardinal(romanDigits(second))}` : ""}`;
    },
  },
  {
    name: "numbered class",
    what: "A Roman numeral of two letters or more behind a class, or a small name of a part, is a number.",
    example: ["Type II, volume IV", "Type two, volume four"],
    pattern: new RegExp(`\\b(${GRADED}|${NUMBERED.toLowerCase()}) (?=[IVXLC]{2})(${NUMERAL})\\b`, "g"),
    read: ([, part, digits]) => `${part} ${cardinal(romanDigits(digits!))}`,
  },
  {
    name: "numbered heading",
    what: "A Roman numeral with a mark that begins a line is its number.",
    example: ["XIV. The Road", "fourteen. The Road"],
    pattern: new RegExp(`^(?=[IVXLC]{2}|[IVX][.)])(${NUMERAL})(?=[.:)] )`, "gm"),
    read: ([, digits]) => cardinal(romanDigits(digits!)),
  },
  {
    name: "century",
    what: 'A Roman numeral before "century" is an ordinal.',
    example: ["the XIX century", "the nineteenth century"],
    pattern: /\b([IVX]{1,6})(?= (?:century|centuries)\b)/g,
    read: ([, digits]) => ordinal(romanDigits(digits!)),
  },
  {
    name: "numbered name",
    what: "A Roman numeral of two letters or more behind a name is a number.",
    example: ["Rocky II, Final Fantasy VII", "Rocky two, Final Fantasy seven"],
    pattern:
      /(?<=\b[A-Z][a-z]{2,20} )(II|III|IV|VI|VII|VIII|IX|XI|XII|XIII|XIV|XV|XVI|XVII|XVIII|XIX)\b(?!\.\w)/g,
    read: ([, digits]) => cardinal(romanDigits(digits!)),
  },
];
