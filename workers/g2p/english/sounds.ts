/** Kokoro's English phonemes: which are vowels, where stress marks stand, and the sounds of endings. */

/** What follows a word: a vowel, a consonant, or nothing before the next pause. */
export type Following = "vowel" | "consonant" | null;

export const PRIMARY = "ˈ";
export const SECONDARY = "ˌ";
const VOWELS = "AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ";
const FLAPPED_AFTER = new Set("AIOWYiuæɑəɛɪɹʊʌ");
const VOICELESS = new Set("ptkfθ");
const HISSING = new Set("szʃʒʧʤ");

/** Whether it begins with a vowel; marks without a sound are skipped. */
export function beginsWith(phonemes: string): Following {
  for (const symbol of phonemes) {
    if (VOWELS.includes(symbol)) return "vowel";
    if (/\p{L}/u.test(symbol) && symbol !== PRIMARY && symbol !== SECONDARY) return "consonant";
  }
  return null;
}

/** American speech has a flap for "tt" in "better", and no glottal stop: the voices were trained on T and t for them. */
export const americanFlaps = (phonemes: string): string => phonemes.replaceAll("ɾ", "T").replaceAll("ʔ", "t");

/** With a stress mark before its first vowel, where it has none; `mark` primary raises a secondary one. */
export function stressed(phonemes: string, mark: string): string {
  if (phonemes.includes(PRIMARY)) return phonemes;
  if (phonemes.includes(SECONDARY))
    return mark === PRIMARY ? phonemes.replaceAll(SECONDARY, PRIMARY) : phonemes;
  const position = [...phonemes].findIndex((symbol) => VOWELS.includes(symbol));
  return position < 0 ? phonemes : phonemes.slice(0, position) + mark + phonemes.slice(position);
}

/** With secondary stress where it has primary stress. */
export const lessStressed = (phonemes: string): string =>
  phonemes.includes(PRIMARY) ? phonemes.replaceAll(SECONDARY, "").replaceAll(PRIMARY, SECONDARY) : phonemes;

/** Of two endings that differ only in accent: "watches", "needed". */
const weak = (british: boolean) => (british ? "ɪ" : "ᵻ");

export function plural(stem: string, british: boolean): string {
  const last = stem.at(-1)!;
  if (VOICELESS.has(last)) return `${stem}s`;
  return HISSING.has(last) ? `${stem}${weak(british)}z` : `${stem}z`;
}

export function past(stem: string, british: boolean): string {
  const last = stem.at(-1)!;
  if ("pkfθʃsʧ".includes(last)) return `${stem}t`;
  if (last !== "d" && last !== "t") return `${stem}d`;
  return isFlapped(stem, british) ? `${stem.slice(0, -1)}ɾᵻd` : `${stem}${weak(british)}d`;
}

/** `linked`: British speech has the written r of "monitoring", though not that of "monitor". */
export function going(stem: string, british: boolean, linked: boolean): string {
  if (british && linked && /[əː]$/.test(stem)) return `${stem}ɹɪŋ`;
  return isFlapped(stem, british) ? `${stem.slice(0, -1)}ɾɪŋ` : `${stem}ɪŋ`;
}

/** An American t between vowels. */
const isFlapped = (stem: string, british: boolean): boolean =>
  !british && stem.endsWith("t") && FLAPPED_AFTER.has(stem.at(-2) ?? "");
