/** About how long a text is when it is spoken; estimates are wrong by about a quarter either way: voices differ. */

/** Seconds for each character at a natural pace; the engine reads out what are still digits here. */
const SECONDS = { syllabic: 0.2, digit: 0.25, letter: 0.055 };
const SYLLABIC = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Seconds at speed 1, without pauses. */
export function spokenSeconds(text: string): number {
  let seconds = 0;
  for (const character of text) {
    if (character < "0") continue;
    if (character <= "9") seconds += SECONDS.digit;
    else seconds += SYLLABIC.test(character) ? SECONDS.syllabic : SECONDS.letter;
  }
  return seconds;
}
