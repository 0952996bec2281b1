/** Chinese characters as syllables of pinyin. */
import { pinyin } from "pinyin-pro";

/** Each with the number of its tone, "jin1". */
export const tonedSyllables = (characters: string): string[] =>
  pinyin(characters, { toneType: "num", type: "array", v: true });

/** As the Latin alphabet has them, "jin". */
export const plainSyllables = (characters: string): string[] =>
  pinyin(characters, { toneType: "none", type: "array" });
