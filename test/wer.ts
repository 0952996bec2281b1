/** Word error rate: the words to insert, delete and replace between what was said and what was heard. */

export type WordErrors = { errors: number; words: number };

export function wordErrors(reference: string, hypothesis: string): WordErrors {
  const expected = wordsOf(reference);
  const actual = wordsOf(hypothesis);
  let row = Array.from({ length: actual.length + 1 }, (_, i) => i);
  for (const [i, word] of expected.entries()) {
    const next = [i + 1];
    for (const [j, other] of actual.entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (word === other ? 0 : 1)));
    }
    row = next;
  }
  return { errors: row.at(-1)!, words: expected.length };
}

function wordsOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replace(/\bmr\b\.?/g, "mister")
    .replace(/[^\p{L}\p{N}']+/gu, " ");
  return plain.split(" ").filter((word) => word !== "");
}
