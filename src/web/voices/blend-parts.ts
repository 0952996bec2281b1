/**
 * The voices of a blend while it is made, as a pure list. All are of one set: voices that can be mixed with each other.
 *
 *   Ada 2, Rowan 1   ->   "female-warm(2)+male-deep(1)"   67 %, 33 %
 */

/** `weight`: as it is typed. */
export type BlendPart = { id: number; voice: string; weight: string };

export const PARTS = { min: 2, max: 8 };

/** A blend to begin with, of the first two voices. */
export const firstParts = ([set = []]: readonly string[][]): BlendPart[] =>
  set.slice(0, PARTS.min).map((voice, id) => ({ id, voice, weight: "1" }));

/** The set of the first voice; the others are chosen from it. */
export const setOf = (sets: readonly string[][], [first]: readonly BlendPart[]): string[] =>
  sets.find((set) => first !== undefined && set.includes(first.voice)) ?? [];

/** With a voice that is not in the blend yet, where there is one. */
export function withOneMore(parts: readonly BlendPart[], set: readonly string[]): BlendPart[] {
  const id = 1 + Math.max(...parts.map((part) => part.id));
  return [...parts, { id, voice: unusedOf(set, parts)[0] ?? set[0]!, weight: "1" }];
}

export const withoutPart = (parts: readonly BlendPart[], id: number): BlendPart[] =>
  parts.filter((part) => part.id !== id);

/** Where the first voice is of another set now, others take their place. */
export function changed(
  parts: readonly BlendPart[],
  sets: readonly string[][],
  change: Pick<BlendPart, "id"> & Partial<BlendPart>,
): BlendPart[] {
  const all = parts.map((part) => (part.id === change.id ? { ...part, ...change } : part));
  const set = setOf(sets, all);
  const kept = all.filter(({ voice }) => set.includes(voice));
  const free = unusedOf(set, kept);
  return all.map((part) => (kept.includes(part) ? part : { ...part, voice: free.shift() ?? set[0]! }));
}

const unusedOf = (set: readonly string[], parts: readonly BlendPart[]): string[] =>
  set.filter((voice) => parts.every((part) => part.voice !== voice));

/** As requests write it. */
export const blendText = (parts: readonly BlendPart[]): string =>
  parts.map(({ voice, weight }) => `${voice}(${Number(weight)})`).join("+");

/** Of the whole, in percent; 0 where a weight is not written yet. */
export function shareOf(parts: readonly BlendPart[], { weight }: BlendPart): number {
  const total = parts.reduce((sum, part) => sum + Number(part.weight), 0);
  return total > 0 ? Math.round((100 * Number(weight)) / total) : 0;
}
