/**
 * The phonemes of a part of a sentence as they are in all of it: which vowel "a" and "the" have, the stress of a word that
 * may be a noun or a verb, and what a flap joins depend on the words around.
 *
 *   before   ðə hˈɑɹbəɹ lˈIts            3 groups
 *   part     kˈAm ˈɔn wˌʌn               3 groups     the 4th to the 6th group of the whole sentence
 *   after    bˈI wˌʌn                    2 groups
 *
 * eSpeak NG joins some small words to one group. Where it does so across a cut, the groups do not add up, and the part is
 * said by itself.
 */
import type { TextContext } from "../../src/engine/protocol/synthesis.ts";

export function phonemesInContext(
  text: string,
  { before, after }: TextContext,
  say: (text: string) => string,
): string {
  const alone = say(text);
  const whole = groupsOf(say(before + text + after));
  const start = groupsOf(say(before)).length;
  const count = groupsOf(alone).length;
  if (start + count + groupsOf(say(after)).length !== whole.length) return alone;
  return whole.slice(start, start + count).join(" ");
}

const groupsOf = (phonemes: string): string[] => phonemes.split(" ").filter((group) => group !== "");
