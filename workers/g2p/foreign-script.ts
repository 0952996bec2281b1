/**
 * Kana and Chinese characters in text of another language, in Latin letters, which every language reads: eSpeak NG would name
 * each of them ("Chinese letter").
 *
 *   "I live in カワサキ near 北京."  ->  "I live in kawasaki near beijing."
 */

/** From small a (U+3041) to small ke (U+3096); katakana are the same, 0x60 further on. "*" doubles what follows. */
const KANA = (
  "a a i i u u e e o o ka ga ki gi ku gu ke ge ko go sa za shi ji su zu se ze so zo ta da chi ji * tsu zu te de to do " +
  "na ni nu ne no ha ba pa hi bi pi fu bu pu he be pe ho bo po ma mi mu me mo ya ya yu yu yo yo ra ri ru re ro " +
  "wa wa i e o n vu ka ke"
).split(" ");
const [FIRST, LAST, APART] = [0x3041, 0x3096, 0x60];
const SMALL = "ぁぃぅぇぉゃゅょゎ";

const FOREIGN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー・ﾞﾟ]+/gu;
const RUNS = /[\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Han}+/gu;
/** A name, which is one word; more are a sentence. */
const NAME_MAX = 4;

/** eSpeak NG's names of languages that are written in these characters. */
export const writesHan = (voice: string): boolean => /^(cmn|yue|hak|nan|zh|ja)(-|$)/.test(voice);

/** `syllablesOf`: how Chinese characters are read, in Latin letters; none where nothing here knows. */
export function inLatin(text: string, syllablesOf: (characters: string) => string[]): string {
  return text.replace(FOREIGN, (run) =>
    [...run.normalize("NFKC").matchAll(RUNS)]
      .map(([part]) => (/\p{Script=Han}/u.test(part) ? hanInLatin(part, syllablesOf) : kanaInLatin(part)))
      .filter((word) => word !== "")
      .join(" "),
  );
}

function hanInLatin(characters: string, syllablesOf: (characters: string) => string[]): string {
  const syllables = syllablesOf(characters).filter((each) => /^\p{Script=Latin}+$/u.test(each));
  return syllables.join(syllables.length > NAME_MAX ? " " : "");
}

function kanaInLatin(kana: string): string {
  let latin = "";
  for (const sign of kana) {
    const code = sign.codePointAt(0)!;
    const hiragana = code > LAST ? code - APART : code;
    const sound = hiragana >= FIRST && hiragana <= LAST ? KANA[hiragana - FIRST]! : "";
    latin = SMALL.includes(String.fromCodePoint(hiragana)) ? withSmall(latin, sound) : latin + sound;
  }
  return latin
    .replace(/\*(?=ch)/g, "t")
    .replace(/\*([a-z])/g, "$1$1")
    .replaceAll("*", "");
}

/** A small sign takes the place of the vowel before it: ki and ya are "kya", shi and ya "sha", fu and a "fa". */
function withSmall(latin: string, sound: string): string {
  if (!/[aeiou]$/.test(latin)) return latin + sound;
  const stem = latin.slice(0, -1);
  if (stem === "" || /[aeiou]$/.test(stem)) return latin.endsWith("u") ? `${stem}w${sound}` : latin + sound;
  return /(?:sh|ch|j)$/.test(stem) ? stem + sound.replace("y", "") : stem + sound;
}
