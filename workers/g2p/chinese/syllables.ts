/**
 * Mandarin to Kokoro's phonemes, by syllables of pinyin with their tone: initial, glide, vowel, tone, ending.
 *
 *   jintian  ->  jin1 tian1  ->  ʨi→n tʰjɛ→n        → ↗ ↓ ↘ are the four tones, behind the vowel that carries them
 *
 * Source: the phonology that the voices were trained on, as hexgrad/misaki and pinyin-to-ipa tabulate it.
 */
const INITIALS: Record<string, string> = {
  b: "p",
  p: "pʰ",
  m: "m",
  f: "f",
  d: "t",
  t: "tʰ",
  n: "n",
  l: "l",
  g: "k",
  k: "kʰ",
  h: "x",
  j: "ʨ",
  q: "ʨʰ",
  x: "ɕ",
  zh: "ꭧ",
  ch: "ꭧʰ",
  sh: "ʂ",
  r: "ɻ",
  z: "ʦ",
  c: "ʦʰ",
  s: "s",
};

/** What stands before the tone, and what behind it. */
const FINALS: Record<string, [vowel: string, ending: string]> = {
  a: ["a", ""],
  ai: ["ai", ""],
  an: ["a", "n"],
  ang: ["a", "ŋ"],
  ao: ["au", ""],
  e: ["ɤ", ""],
  ei: ["ei", ""],
  en: ["ə", "n"],
  eng: ["ə", "ŋ"],
  er: ["ɚ", ""],
  i: ["i", ""],
  ia: ["ja", ""],
  ian: ["jɛ", "n"],
  iang: ["ja", "ŋ"],
  iao: ["jau", ""],
  ie: ["je", ""],
  in: ["i", "n"],
  ing: ["i", "ŋ"],
  iong: ["jʊ", "ŋ"],
  iu: ["jou", ""],
  ong: ["ʊ", "ŋ"],
  ou: ["ou", ""],
  o: ["wo", ""],
  u: ["u", ""],
  ua: ["wa", ""],
  uai: ["wai", ""],
  uan: ["wa", "n"],
  uang: ["wa", "ŋ"],
  ueng: ["wə", "ŋ"],
  ui: ["wei", ""],
  un: ["wə", "n"],
  uo: ["wo", ""],
  v: ["y", ""],
  ve: ["ɥe", ""],
  van: ["ɥɛ", "n"],
  vn: ["y", "n"],
};

/** Of the syllables that begin with y and w, the final as it is where a consonant stands before it. */
const WITHOUT_INITIAL: [RegExp, string][] = [
  [/^yu(?=$|e|an|n)/, "v"],
  [/^yong$/, "iong"],
  [/^you$/, "iu"],
  [/^yi/, "i"],
  [/^y/, "i"],
  [/^wu/, "u"],
  [/^wei$/, "ui"],
  [/^wen$/, "un"],
  [/^weng$/, "ueng"],
  [/^w/, "u"],
];

const TONES = ["", "→", "↗", "↓", "↘"];
const SYLLABLE = /^(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])?([a-zv]+)([0-5])$/;
const APICAL = /^(?:zh|ch|sh|r|z|c|s)$/;

/**
 * One syllable of pinyin with its tone as a number, "tian1"; anything else is returned as it is.
 *
 * @internal
 */
export function syllable(pinyin: string): string {
  const plain = pinyin.toLowerCase().replaceAll("ü", "v");
  const [, initial = "", written = "", tone = "0"] = SYLLABLE.exec(plain) ?? [];
  if (written === "") return pinyin;
  const mark = TONES[Number(tone)] ?? "";
  if (APICAL.test(initial) && written === "i") return `${INITIALS[initial]}ɨ${mark}`;
  const name = finalOf(initial, written);
  if (!Object.hasOwn(FINALS, name)) return pinyin;
  const [vowel, ending] = FINALS[name]!;
  return `${INITIALS[initial] ?? ""}${vowel}${mark}${ending}`;
}

function finalOf(initial: string, written: string): string {
  if (initial === "") {
    const [from, to] = WITHOUT_INITIAL.find(([pattern]) => pattern.test(written)) ?? [/^/, ""];
    return written.replace(from, to);
  }
  return /^[jqx]$/.test(initial) ? written.replace(/^u/, "v") : written;
}

type Readers = {
  /** The syllables of a word, one for each letter. */
  pinyinOf: (word: string) => string[];
  /** A number in characters. */
  quantityOf: (digits: string) => string;
  /** A word in other letters. */
  otherwise: (word: string) => string;
};

/** Words as readers see them, apart from each other. */
export function chinese(text: string, { pinyinOf, quantityOf, otherwise }: Readers): string {
  const words = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)];
  return words
    .map(({ segment }) => segment.trim())
    .filter((word) => word !== "")
    .map((word) => (/^\d[\d.,]*$/.test(word) ? quantityOf(word) : word))
    .map((word) => (/\p{Script=Han}/u.test(word) ? pinyinOf(word).map(syllable).join("") : otherwise(word)))
    .join(" ");
}
