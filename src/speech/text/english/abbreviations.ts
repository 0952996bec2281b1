/** Abbreviations: titles, places, references, Latin, companies. A stop stays where it also ends a sentence. */
import { anyOf, ENDS, type Rule } from "../lexicon/rule.ts";

const TITLES: Record<string, string> = {
  Dr: "Doctor",
  Drs: "Doctors",
  Mr: "Mister",
  Mrs: "Missus",
  Ms: "Miz",
  Prof: "Professor",
  Gen: "General",
  Col: "Colonel",
  Maj: "Major",
  Capt: "Captain",
  Lt: "Lieutenant",
  Cmdr: "Commander",
  Adm: "Admiral",
  Sgt: "Sergeant",
  Cpl: "Corporal",
  Pvt: "Private",
  Rev: "Reverend",
  Fr: "Father",
  Sen: "Senator",
  Rep: "Representative",
  Gov: "Governor",
  Pres: "President",
  Hon: "Honorable",
  Supt: "Superintendent",
  St: "Saint",
  Ste: "Saint",
  Mt: "Mount",
  Ft: "Fort",
};
/** Behind a name. */
const STREETS: Record<string, string> = {
  St: "Street",
  Rd: "Road",
  Ave: "Avenue",
  Blvd: "Boulevard",
  Dr: "Drive",
  Ln: "Lane",
  Hwy: "Highway",
  Pkwy: "Parkway",
  Sq: "Square",
  Ct: "Court",
};
/** Before a number. */
const REFERENCES: Record<string, string> = {
  no: "number",
  nos: "numbers",
  nr: "number",
  vol: "volume",
  vols: "volumes",
  ch: "chapter",
  chap: "chapter",
  fig: "figure",
  figs: "figures",
  sec: "section",
  sect: "section",
  eq: "equation",
  p: "page",
  pp: "pages",
  pg: "page",
  pt: "part",
  op: "opus",
  v: "verse",
  ver: "version",
  tel: "telephone",
  ext: "extension",
  apt: "apartment",
  ste: "suite",
  rm: "room",
  approx: "approximately",
  est: "established",
  max: "maximum",
  min: "minimum",
  avg: "average",
};
/** With a stop, and without one where it is not the last letter. */
const WORDS: Record<string, string> = {
  "e.g": "for example",
  "i.e": "that is",
  etc: "et cetera",
  "&c": "et cetera",
  "et al": "and others",
  vs: "versus",
  cf: "compare",
  tel: "telephone",
  viz: "namely",
  "a.k.a": "also known as",
  "a.s.a.p": "as soon as possible",
  approx: "approximately",
  dept: "department",
  govt: "government",
  incl: "including",
  excl: "excluding",
  misc: "miscellaneous",
  min: "minimum",
  max: "maximum",
  avg: "average",
  jr: "junior",
  sr: "senior",
  inc: "incorporated",
  ltd: "limited",
  corp: "corporation",
  co: "company",
  bros: "brothers",
  "ph.d": "PhD",
  "w/o": "without",
  "b/c": "because",
  "c/o": "care of",
  "n/a": "not applicable",
  btw: "by the way",
};
const ANYWHERE = [
  "e.g",
  "i.e",
  "etc",
  "et al",
  "vs",
  "viz",
  "a.k.a",
  "a.s.a.p",
  "approx",
  "cf",
  "dept",
  "govt",
];
const BEHIND_NAMES = ["&c", "Jr", "Sr", "Inc", "Ltd", "Corp", "Co", "Bros", "Ph.D"];
/** Some are words or names, so only inside a sentence. */
const INSIDE = ["tel", "incl", "excl", "misc", "min", "max", "avg"];

const CAPITAL_REFERENCES: Record<string, string> = {
  art: "article",
  app: "appendix",
  ex: "example",
  ed: "edition",
};
const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1);
/** As a pattern, in small letters or with a capital. */
const inEitherCase = (short: string[]) => anyOf(short.flatMap((word) => [word, capitalized(word)]));
/** What is a word too has a capital. */
const REFERENCE = `${inEitherCase(Object.keys(REFERENCES))}|${anyOf(Object.keys(CAPITAL_REFERENCES).map(capitalized))}`;
const ROMAN_REFERENCE = inEitherCase(["vol", "ch", "fig", "pt", "sec"]);

export const ABBREVIATIONS: Rule[] = [
  {
    name: "street",
    what: '"St.", "Rd." and the like behind a name are parts of an address.',
    example: ["on Main St., off Mill Rd.", "on Main Street, off Mill Road."],
    pattern: new RegExp(
      `(?<=[A-Z][a-z]{1,20} |\\d(?:st|nd|rd|th) )(${anyOf(Object.keys(STREETS))})\\.(?:(?=(${ENDS}))|(?= {0,2}[,;:)]| [a-z\\d]))`,
      "g",
    ),
    read: ([, short, ends]) => `${STREETS[short!]}${ends === undefined ? "" : "."}`,
  },
  {
    name: "title",
    what: 'Titles before a name are written out; "Mr." and "Mrs." before "and" too.',
    example: ["Dr. Smith, Mr. and Mrs. Jones, St. Paul", "Doctor Smith, Mister and Missus Jones, Saint Paul"],
    pattern: new RegExp(`\\b(${anyOf(Object.keys(TITLES))})\\.(?= ?\\p{Lu}| and (?:Mrs?|Drs?)\\b)`, "gu"),
    read: ([, title]) => TITLES[title!]!,
  },
  {
    name: "title without a stop",
    what: "British titles have no stop.",
    example: ["Mr Jones and Dr Smith", "Mister Jones and Doctor Smith"],
    pattern: /\b(Mr|Mrs|Ms|Dr|Prof)(?= [A-Z][a-z])/g,
    read: ([, title]) => TITLES[title!]!,
  },
  {
    name: "reference",
    what: "Abbreviations of parts, numbers and pages are written out before a number.",
    example: ["No. 5, vol. 2, pp. 3", "number 5, volume 2, pages 3"],
    pattern: new RegExp(
      `(?<![\\w.]|\\d )(${REFERENCE})\\. ?(?=[\\d#]|(?!I\\b)[IVX]{1,6}\\b)|(?<![\\w.])(${ROMAN_REFERENCE})\\. (?=I\\b)`,
      "g",
    ),
    read: ([, short, roman]) => {
      const word = (short ?? roman)!;
      const name = REFERENCES[word.toLowerCase()] ?? CAPITAL_REFERENCES[word.toLowerCase()]!;
      return `${/^[A-Z]/.test(word) && word.toLowerCase() !== "no" ? capitalized(name) : name} `;
    },
  },
  {
    name: "abbreviation",
    what: "Common abbreviations are written out, and keep a stop that ends a sentence.",
    example: ["cats vs. dogs, etc. They", "cats versus dogs, et cetera. They"],
    pattern: new RegExp(
      `(?<![\\w.])(?:(${inEitherCase(ANYWHERE)}|${anyOf(BEHIND_NAMES)})\\.(?:(?=(${ENDS}))|)(?!\\w)|(${inEitherCase(INSIDE)})\\.(?=,? [a-z\\d]))`,
      "g",
    ),
    read: ([, short, ends, inside]) => readAbbreviation((short ?? inside)!, ends !== undefined),
  },
  {
    name: "abbreviation without a stop",
    what: "Some abbreviations have no stop, or a slash.",
    example: ["tea w/o milk, btw", "tea without milk, by the way"],
    pattern: /(?<![\w./])(?:(w\/o|b\/c|c\/o|n\/a|vs|btw|e\.g|i\.e)(?![\w/]|\.\w)|(w\/) ?(?=[a-z\d]))/gi,
    read: ([, short, before]) => (before ? "with " : WORDS[short!.toLowerCase()]!),
  },
  {
    name: "United States",
    what: "U.S., U.K. and D.C. lose their stops, but for one that ends a sentence.",
    example: ["the U.S. Army, in the U.K. They", "the US Army, in the UK. They"],
    pattern: new RegExp(
      `(?<![\\w.])(U\\.S\\.A|U\\.S|U\\.K|U\\.N|E\\.U|D\\.C|P\\.S|B\\.C|A\\.D|B\\.A|M\\.A|M\\.D|Q\\.E\\.D|R\\.I\\.P)\\.(?:(?=(${ENDS}))|)`,
      "g",
    ),
    read: ([, letters, ends]) => `${letters!.replaceAll(".", "")}${ends === undefined ? "" : "."}`,
  },
  {
    name: "initialism",
    what: "Other letters with stops are spelled, and keep a stop that ends a sentence.",
    example: ["the Y.M.C.A. They, the F.R. rule", "the Y M C A. They, the F R rule"],
    pattern: new RegExp(
      `(?<![\\w.])((?:[A-Z]\\.){1,6}[A-Z])\\.(?:(?=(${ENDS}))|(?! ?[A-Z](?:\\.|(?:'[A-Z])?[a-z])))`,
      "g",
    ),
    read: ([, letters, ends]) => `${letters!.replaceAll(".", " ")}${ends === undefined ? "" : "."}`,
  },
  {
    name: "initials",
    what: "Initials before a name lose their stops.",
    example: ["J.R.R. Tolkien, George W. Bush", "J R R Tolkien, George W Bush"],
    pattern:
      /(?<=^|[("'—] ?|[A-Z][a-z]{1,20} |(?<!\w)[A-Z]\.? ?|[,;:.] |(?:by|of|and|to|with|for|from|that|than) )(?!I\. [A-Z][a-z])([A-Z])\. ?(?=(?:[A-Z]\. ?){0,3}(?!(?:Mister|Missus|Doctor|The|This|That|It|He|She|They|We|You|There|Here|In|On|At|And|But|So|If|When|What|Who|How|Why|Then|Now|No|Yes|My|Our|His|Her)\b)[A-Z](?:'[A-Z])?[a-z])/gm,
    read: ([, letter]) => `${letter} `,
  },
];

/** With a capital where it had one, unless it stands behind a name. */
function readAbbreviation(short: string, ends: boolean): string {
  const word = WORDS[short.toLowerCase()]!;
  const isCapital = /^[A-Z][a-z.]/.test(short) && !BEHIND_NAMES.includes(short);
  return `${isCapital ? capitalized(word) : word}${ends ? "." : ""}`;
}
