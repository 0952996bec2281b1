/**
 * Blends of voices as requests write them, with the notation of Kokoro-FastAPI: names with weights, joined by plus signs.
 *
 *   af_heart+af_bella        half of each
 *   af_heart(2)+af_bella     two parts of the first, one of the second
 */

/** Weights of all parts add up to one. */
export type BlendPart = { speaker: string; weight: number };

export const BLEND_PARTS_MAX = 8;
const WEIGHT_MAX = 100;

type NamedPart = { name: string; weight: number };

/** Whether a name can only be that of a blend. */
export const isBlend = (text: string): boolean => text.includes("+");

/** Null where it is not written as a blend. */
export function parseBlend(text: string): NamedPart[] | null {
  const parts = text.split("+").map(partOf);
  if (parts.length > BLEND_PARTS_MAX || parts.includes(null)) return null;
  return parts as NamedPart[];
}

function partOf(text: string): NamedPart | null {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  if (open < 0) return trimmed === "" || trimmed.includes(")") ? null : { name: trimmed, weight: 1 };
  const written = trimmed.slice(open + 1, -1);
  const weight = Number(written);
  const isWeight = /^\d{1,3}(\.\d{1,3})?$/.test(written) && weight > 0 && weight <= WEIGHT_MAX;
  const name = trimmed.slice(0, open).trim();
  return trimmed.endsWith(")") && isWeight && name !== "" ? { name, weight } : null;
}

/** One part a speaker, with its share of the whole. */
export function sharesOf(parts: readonly BlendPart[]): BlendPart[] {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return [...Map.groupBy(parts, ({ speaker }) => speaker)].map(([speaker, same]) => ({
    speaker,
    weight: same.reduce((sum, { weight }) => sum + weight, 0) / total,
  }));
}
