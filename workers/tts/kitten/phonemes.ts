/**
 * Ids of KittenTTS: IPA as eSpeak NG writes it, words and marks with a space between them.
 *
 *   həlˈoʊ, wˈɜːld  ─>  həlˈoʊ , wˈɜːld ,      a text ends in a mark: where it has none, in a comma
 *
 * Source: the table of KittenML/KittenTTS, in which a later sign takes the place of an earlier one.
 */
import { dividedInRuns, type KnownSymbol, type PhonemeRun } from "../runs.ts";

const SYMBOLS = [
  '$;:,.!?¡¿—…"«»"" ',
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  "ɑɐɒæɓʙβɔɕçɗɖðʤəɘɚɛɜɝɞɟʄɡɠɢʛɦɧħɥʜɨɪʝɭɬɫɮʟɱɯɰŋɳɲɴøɵɸθœɶʘɹɺɾɻʀʁɽʂʃʈʧʉʊʋⱱʌɣɤʍχʎʏʑʐʒʔʡʕʢǀǁǂǃ",
  "ˈˌːˑʼʴʰʱʲʷˠˤ˞↓↑→↗↘'\u0329'ᵻ",
].join("");
const IDS = new Map([...SYMBOLS].map((symbol, id) => [symbol, id]));

/** Of the 512 places of the model, three frame a text. */
const PHONEMES_MAX = 509;
const WORDS_AND_MARKS = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu;
const ENDS_IN_MARK = /[.!?,;:]\s*$/;

/** Between them, and behind a text without a mark. Signs without an id are dropped. */
export function kittenRuns(phonemes: string): PhonemeRun[] {
  const known: KnownSymbol[] = [];
  const add = (text: string, place: number | null) => {
    for (const { 0: symbol, index } of text.matchAll(/./gsu)) {
      const id = IDS.get(symbol);
      if (id !== undefined) known.push({ symbol, id, place: place === null ? -1 : place + index });
    }
  };
  for (const { 0: part, index } of phonemes.matchAll(WORDS_AND_MARKS)) {
    if (known.length > 0) add(" ", null);
    add(part, index);
  }
  if (known.length === 0) return [];
  if (!ENDS_IN_MARK.test(phonemes)) add(" ,", null);
  return dividedInRuns(known, PHONEMES_MAX);
}

/** The row of a voice's style: the letters of the text, with the comma at its end. */
export function styleRow(text: string, rows: number): number {
  const plain = text.trim();
  return Math.min([...plain].length + (ENDS_IN_MARK.test(plain) ? 0 : 1), rows - 1);
}
