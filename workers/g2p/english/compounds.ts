/** Compounds in parts: at hyphens, between a small and a capital letter, and between digits and letters. */
import { lessStressed, PRIMARY } from "./sounds.ts";

const EDGE = /-+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=\p{L})|(?<=\p{L})(?=\p{N})/u;

/** "well-known" -> "well", "known"; "OpenAI" -> "Open", "AI"; "4K" -> "4", "K". */
export const splitCompound = (word: string): string[] => word.split(EDGE).filter((part) => part !== "");

/**
 * Parts of letters become one word, in which the lighter half has less stress: "wˌɛlnˈOn"; a number stands apart.
 * `said` has the phonemes of each part.
 */
export function joinCompound(parts: string[], said: string[]): string {
  if (parts.some((part) => /\p{N}/u.test(part))) return said.join(" ");
  return lightened(parts, said).join("");
}

function lightened(parts: string[], said: string[]): string[] {
  const isStressed = (phonemes: string) => phonemes.includes(PRIMARY);
  if (parts.length === 2 && parts[0]!.length === 1) return [said[0]!, lessStressed(said[1]!)];
  if (said.filter(isStressed).length <= (parts.length + 1) >> 1) return said;
  const places = [...said.keys()].sort(
    (a, b) =>
      Number(isStressed(said[a]!)) - Number(isStressed(said[b]!)) || weight(said[a]!) - weight(said[b]!),
  );
  const lighter = new Set(places.slice(0, said.length >> 1));
  return said.map((phonemes, at) => (lighter.has(at) ? lessStressed(phonemes) : phonemes));
}

/** Symbols, of which diphthongs and affricates count double. */
const weight = (phonemes: string) =>
  [...phonemes].reduce((sum, symbol) => sum + ("AIOQWYʤʧ".includes(symbol) ? 2 : 1), 0);
