/** BCP 47 language tags, the English names of languages, and the letters that Kokoro has for them. */

/** The primary subtag in lower case: "en" of "en-GB" and of "EN_us". */
export const primaryLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0]!;

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

/** The tag of a language that is named in English; anything else as it is. */
export const tagOf = (text: string): string => codeNamed(text) ?? text;

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
    return name === undefined ? [] : [[name, code] as const];
  });
  const compatible = Object.entries(OWN_NAMES).map(([code, name]) => [name, code] as const);
  return new Map([...named, ...compatible, ...Object.entries(OTHER_NAMES)]);
}
