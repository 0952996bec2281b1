/** The nearest of some names to one that is none of them, for messages that ask whether it was meant. Pure. */

const LETTERS_MAX = 64; // of longer names, nothing is meant by a slip
const SLIPS_MAX = 2;
const LETTERS_PER_SLIP = 3;

/**
 * A slip is a letter that was left out, added, changed or swapped with the next one. Two of them, or one in a name of less
 * than six letters; null where no name is that near. The work for each name grows with its length alone.
 * @internal
 */
export function nearestName(asked: string, names: Iterable<string>): string | null {
  const from = asked.trim().toLowerCase();
  if (from.length > LETTERS_MAX) return null;
  let least = Math.min(SLIPS_MAX, Math.floor(from.length / LETTERS_PER_SLIP)) + 1;
  let nearest: string | null = null;
  for (const name of names) {
    const slips = slipsBetween(from, name.toLowerCase());
    if (slips >= least) continue;
    least = slips;
    nearest = name;
  }
  return nearest;
}

/** " Did you mean alloy?", to be put behind a sentence; empty where no name is near. */
export function didYouMean(asked: string, names: Iterable<string>): string {
  const name = nearestName(asked, names);
  return name === null ? "" : ` Did you mean ${name}?`;
}

/** The optimal string alignment distance, of which only the diagonals near the middle are computed. */
function slipsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > SLIPS_MAX) return Number.POSITIVE_INFINITY;
  const empty = () => new Array<number>(other.length + 1).fill(Number.POSITIVE_INFINITY);
  let [before, last, row] = [empty(), empty(), empty()];
  for (let at = 0; at <= one.length; at++) {
    row.fill(Number.POSITIVE_INFINITY);
    for (let to = Math.max(0, at - SLIPS_MAX); to <= Math.min(other.length, at + SLIPS_MAX); to++) {
      if (at === 0 || to === 0) {
        row[to] = at + to;
        continue;
      }
      const isSame = one[at - 1] === other[to - 1];
      const isSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      row[to] = Math.min(
        last[to]! + 1,
        row[to - 1]! + 1,
        last[to - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[to - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last, row] = [last, row, before];
  }
  return last[other.length]!;
}
