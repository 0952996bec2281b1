/** Compounds in parts: at hyphens, between a small and a capital letter, and between digits and letters. */
import { lessStressed, PRIMARY } from "./sounds.ts";

const EDGE = /-|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=\p{L})|(?<=\p{L})(?=\p{N})/u;

/** "well-known" -> "well", "known"; "OpenAI" -> "Open", "AI"; "4K" -> "4", "K". */
export const splitCompound = (word: string): string[] => word.split(EDGE).filter((part) => part !== "");

/**
 * Parts of letters become one word, in which the lighter half has less stress: "wˌɛlnˈOn"; a number stands apart.
 * `phonemes` are those of each part.
 */
export function joinCompound(parts: string[], phonemes: string[]): string {
  if (parts.some((part) => /\p{N}/u.test(part))) return phonemes.join(" ");
  return lightened(parts, phonemes).join("");
}

function lightened(parts: string[], phonemes: string[]): string[] {
  const isStressed = (phonemes: string) => phonemes.includes(PRIMARY);
  if (parts.length === 2 && parts[0]!.length === 1) return [phonemes[0]!, lessStressed(phonemes[1]!)];
  if (phonemes.filter(isStressed).length <= (parts.length + 1) >> 1) return phonemes;
  const places = [...phonemes.keys()].sort(
    (a, b) =>
      Number(isStressed(phonemes[a]!)) - Number(isStressed(phonemes[b]!)) ||
      weight(phonemes[a]!) - weight(phonemes[b]!),
  );
  const lighter = new Set(places.slice(0, phonemes.length >> 1));
  return phonemes.map((each, index) => (lighter.has(index) ? lessStressed(each) : each));
}

/** Symbols, of which diphthongs and affricates count double. */
const weight = (phonemes: string) =>
  [...phonemes].reduce((sum, symbol) => sum + ("AIOQWYʤʧ".includes(symbol) ? 2 : 1), 0);
