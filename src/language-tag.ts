/** BCP 47 language tags, the English names of languages, and the letters that Kokoro has for them. */

/** The primary subtag in lower case: "en" of "en-GB" and of "EN_us". */
export function primaryLanguage(tag: string): string {
  const end = tag.search(SEPARATOR);
  return (end < 0 ? tag : tag.slice(0, end)).toLowerCase();
}

const SEPARATOR = /[-_]/;
const CODE = /^[a-z]{2,3}$/;

/** The same where it is a code, as usage is grouped by it; null of anything else. */
export function languageCode(tag: string | null): string | null {
  const code = primaryLanguage(tag ?? "");
  return CODE.test(code) ? code : null;
}

export const isLanguageTag = (text: string): boolean => /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(text);

/** By letter; the names of Kokoro's voices begin with theirs. */
export const KOKORO_LETTERS: ReadonlyMap<string, string> = new Map([
  ["a", "en-US"],
  ["b", "en-GB"],
  ["e", "es"],
  ["f", "fr"],
  ["h", "hi"],
  ["i", "it"],
  ["j", "ja"],
  ["p", "pt-BR"],
  ["z", "zh"],
]);

/** What clients send for "not known". */
const LEFT_OPEN = new Set(["", "auto", "detect", "undefined", "null", "none", "und"]);

/** Codes of three letters that Unicode's data do not shorten: bibliographic ones, and those of Chinese. */
const LONG_CODES: Record<string, string> = {
  ...{
    alb: "sq",
    arm: "hy",
    baq: "eu",
    bur: "my",
    chi: "zh",
    cmn: "zh",
    cze: "cs",
    dut: "nl",
    fre: "fr",
    geo: "ka",
  },
  ...{
    ger: "de",
    gre: "el",
    ice: "is",
    mac: "mk",
    mao: "mi",
    may: "ms",
    per: "fa",
    rum: "ro",
    slo: "sk",
    tib: "bo",
  },
  ...{ wel: "cy", zho: "zh" },
};

/**
 * The language that a client names in any usual spelling, as a tag: `en` for `EN`, `eng`, `English` and `Language.EN`,
 * `pt-BR` for `pt_br`. Null where the choice is left open, as by `auto`. Anything else is returned as it is.
 */
export function languageHint(text: string | null | undefined): string | null {
  const plain = (text ?? "").trim().replace(/^language\./i, "");
  if (LEFT_OPEN.has(plain.toLowerCase())) return null;
  const named = codeNamed(plain);
  if (named !== null) return named;
  const [primary = "", ...rest] = plain.split(/[-_]/);
  const language = primary.toLowerCase();
  const tag = [
    language.length === 3 ? shortCode(language) : language,
    ...rest.map((part) => (part.length === 2 ? part.toUpperCase() : part)),
  ].join("-");
  return isLanguageTag(tag) ? tag : plain;
}

/** Of two letters, where there is one. */
function shortCode(code: string): string {
  const known = LONG_CODES[code];
  if (known !== undefined || !/^[a-z]{3}$/.test(code)) return known ?? code;
  return Intl.getCanonicalLocales(code)[0]!;
}

/** What the compatible API calls otherwise than Unicode's locale data does. */
const OWN_NAMES: Record<string, string> = { bn: "bengali", mi: "maori", tl: "tagalog" };

/** Further names of openai/whisper. */
const OTHER_NAMES: Record<string, string> = {
  cantonese: "yue",
  castilian: "es",
  flemish: "nl",
  haitian: "ht",
  hawaiian: "haw",
  letzeburgesch: "lb",
  mandarin: "zh",
  moldavian: "ro",
  moldovan: "ro",
  myanmar: "my",
  nynorsk: "nn",
  panjabi: "pa",
  pushto: "ps",
  sinhalese: "si",
  valencian: "ca",
};

/** Of Hebrew, Indonesian, Yiddish and Romanian. */
const FORMER_CODES = ["iw", "in", "ji", "mo"];

const ALPHABET = [..."abcdefghijklmnopqrstuvwxyz"];
let names: Intl.DisplayNames | null = null; // made for the first name: its data take milliseconds to load
let codes: Map<string, string> | null = null;

/** "english" for the ISO 639 code "en"; anything without a known name is returned as it is. */
export function languageName(code: string): string {
  if (!/^[a-z]{2,3}$/.test(code)) return code;
  return OWN_NAMES[code] ?? knownName(code) ?? code;
}

function knownName(code: string): string | undefined {
  names ??= new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  return names.of(code)?.toLowerCase();
}

/** The ISO 639 code of a language by its English name, in any case; null where there is none. */
export function codeNamed(name: string): string | null {
  const plain = name.trim().toLowerCase();
  if (plain.length < 4) return null; // every name is longer than a code
  codes ??= namedCodes();
  return codes.get(plain) ?? null;
}

function namedCodes(): Map<string, string> {
  const named = ALPHABET.flatMap((one) => ALPHABET.map((other) => one + other)).flatMap((code) => {
    const name = knownName(code);
    return name === undefined || FORMER_CODES.includes(code) ? [] : [[name, code] as const];
  });
  const compatible = Object.entries(OWN_NAMES).map(([code, name]) => [name, code] as const);
  return new Map([...named, ...compatible, ...Object.entries(OTHER_NAMES)]);
}
