/** Which speaker of a recording each known voice belongs to: the pairs that are most alike, each side once. Pure. */
import { dot, normalized } from "./clustering.ts";

/**
 * `labels`: the speaker of each row. A speaker is the mean of its rows, and all rows have length one. Null: no speaker is
 * as similar (cosine) as `similarityMin`, or the voice is empty.
 */
export function matchVoices(
  voices: readonly Float32Array[],
  { rows, labels }: { rows: readonly Float32Array[]; labels: readonly number[] },
  similarityMin: number,
): (number | null)[] {
  const speakers = meansOf(rows, labels);
  const pairs = voices.flatMap((voice, index) => {
    if (voice.length === 0) return [];
    const direction = normalized(voice);
    return speakers.map((mean, speaker) => ({ index, speaker, similarity: dot(direction, mean) }));
  });
  const matched = voices.map((): number | null => null);
  for (const { index, speaker, similarity } of pairs.toSorted((a, b) => b.similarity - a.similarity))
    if (similarity >= similarityMin && matched[index] === null && !matched.includes(speaker))
      matched[index] = speaker;
  return matched;
}

function meansOf(rows: readonly Float32Array[], labels: readonly number[]): Float32Array[] {
  const sums: Float32Array[] = [];
  for (const [index, row] of rows.entries()) {
    const label = labels[index]!;
    sums[label] ??= new Float32Array(row.length);
    for (let at = 0; at < row.length; at++) sums[label]![at]! += row[at]!;
  }
  return sums.map(normalized);
}
