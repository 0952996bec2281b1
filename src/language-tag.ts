/** BCP 47 language tags, and the English names of languages. */

/** The primary subtag in lower case: "en" of "en-GB" and of "EN_us". */
export const primaryLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0]!;

/** The tag of a language that is named in English; anything else as it is. */
export const tagOf = (text: string): string => codeNamed(text) ?? text;

/** Names of openai/whisper that Unicode's locale data lacks, or has for another code. */
const OTHER_NAMES: Record<string, string> = {
  bengali: "bn",
  cantonese: "yue",
  castilian: "es",
  flemish: "nl",
  haitian: "ht",
  hawaiian: "haw",
  letzeburgesch: "lb",
  mandarin: "zh",
  maori: "mi",
  moldavian: "ro",
  moldovan: "ro",
  myanmar: "my",
  nynorsk: "nn",
  panjabi: "pa",
  pushto: "ps",
  sinhalese: "si",
  tagalog: "tl",
  valencian: "ca",
};

const ALPHABET = [..."abcdefghijklmnopqrstuvwxyz"];
let codes: Map<string, string> | null = null; // made for the first name: their data take milliseconds to load

/** The ISO 639 code of a language by its English name, in any case; null where there is none. */
export function codeNamed(name: string): string | null {
  const plain = name.trim().toLowerCase();
  if (plain.length < 4) return null; // every name is longer than a code
  codes ??= namedCodes();
  return codes.get(plain) ?? null;
}

function namedCodes(): Map<string, string> {
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  const named = ALPHABET.flatMap((one) => ALPHABET.map((other) => one + other)).flatMap((code) => {
    const name = names.of(code)?.toLowerCase();
    return name === undefined ? [] : [[name, code] as const];
  });
  return new Map([...named, ...Object.entries(OTHER_NAMES)]);
}
