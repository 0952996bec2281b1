/** Guesses the language of a text: by its script, or in the Latin script by its most frequent words. Pure. */

const CHARACTERS_READ = 2000;

/** Kana come before Han: Japanese is written with both. */
const SCRIPTS: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, "ja"],
  [/\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/gu, "zh"],
  [/\p{Script=Cyrillic}/gu, "ru"],
  [/\p{Script=Devanagari}/gu, "hi"],
  [/\p{Script=Arabic}/gu, "ar"],
  [/\p{Script=Hebrew}/gu, "he"],
  [/\p{Script=Greek}/gu, "el"],
  [/\p{Script=Thai}/gu, "th"],
  [/\p{Script=Georgian}/gu, "ka"],
];
const LETTER = /\p{L}/gu;
/** Of all letters; names and brands stay in Latin letters. */
const SCRIPT_SHARE = 0.2;

const words = (text: string) => new Set(text.split(" "));
const FREQUENT: Record<string, Set<string>> = {
  en: words(
    "the and of to is in that it was for you on are with this not be have they at from before hello good",
  ),
  es: words(
    "el la los las de que y en un una es por con para no se su al como está buenos gracias hola pero más",
  ),
  fr: words(
    "le la les des de et est en un une que qui dans pour pas sur avec ce il au du je vous bonjour sont ma voici",
  ),
  de: words(
    "der die das und ist nicht ein eine zu den mit von auf für im dem sich es ich wie guten sie wir sind",
  ),
  it: words(
    "il lo la gli di che e è un una per non con sono del della si le nel come questa ciao buongiorno ma",
  ),
  pt: words(
    "o a os as de que e do da em um uma é não com para se por mais como no na este está olá obrigado são",
  ),
};

/** An ISO 639-1 code; null where nothing is sure. */
export function guessLanguage(text: string): string | null {
  const start = text.slice(0, CHARACTERS_READ);
  const letters = start.match(LETTER)?.length ?? 0;
  if (letters === 0) return null;
  for (const [script, language] of SCRIPTS) {
    if ((start.match(script)?.length ?? 0) / letters >= SCRIPT_SHARE) return language;
  }
  return byWords(start.toLowerCase().match(/\p{L}+/gu) ?? []);
}

/** The language with the most frequent words of the text, if it is ahead of all others. */
function byWords(found: string[]): string | null {
  const scores = Object.entries(FREQUENT)
    .map(([language, frequent]) => ({ language, score: found.filter((word) => frequent.has(word)).length }))
    .sort((one, other) => other.score - one.score);
  const [first, second] = scores;
  return first!.score > second!.score ? first!.language : null;
}

/** For a request: only a voice of several languages needs to know which one the text is in. */
export function languageFor(text: string, spoken: readonly string[] = []): { language?: string } {
  const language = spoken.length > 1 ? guessLanguage(text) : null;
  return language !== null && spoken.includes(language) ? { language } : {};
}
