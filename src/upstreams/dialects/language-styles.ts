/** Languages as other servers name them: codes, tags, English names and Kokoro's letters. */
import { codeNamed, KOKORO_LETTERS, primaryLanguage } from "../../language-tag.ts";

export type LanguageStyle = "iso" | "bcp47" | "english" | "kokoro";

/** Letters by tag, and by the language of the first tag that has it. */
const LETTERS: Record<string, string> = {};
for (const [letter, tag] of KOKORO_LETTERS) {
  LETTERS[tag.toLowerCase()] = letter;
  LETTERS[primaryLanguage(tag)] ??= letter;
}

/** The region that is meant where a tag names none and a server needs one. */
const REGIONS: Record<string, string> = { en: "en-US", pt: "pt-BR", zh: "zh-CN", ja: "ja-JP", ko: "ko-KR" };

/** Null where the style has no name for it. */
export function styled(tag: string, style: LanguageStyle): string | null {
  const primary = primaryLanguage(tag);
  switch (style) {
    case "iso":
      return primary;
    case "bcp47":
      return tag.includes("-") ? tag : (REGIONS[primary] ?? `${primary}-${primary.toUpperCase()}`);
    case "english":
      return nameOf(primary);
    case "kokoro":
      return LETTERS[tag.toLowerCase()] ?? LETTERS[primary] ?? null;
  }
}

let names: Intl.DisplayNames | null = null; // made for the first name: its data take milliseconds to load

function nameOf(code: string): string | null {
  names ??= new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  try {
    return names.of(code) ?? null;
  } catch {
    return null; // no tag
  }
}

/** The ISO 639-1 code of a code, a tag or an English name; null for anything else. */
export function languageCode(text: string): string | null {
  const plain = text.trim().toLowerCase();
  return /^[a-z]{2}([-_][a-z0-9]+)*$/.test(plain) ? plain.slice(0, 2) : codeNamed(plain);
}
