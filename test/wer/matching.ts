/** The stretches of words that two texts share, found as Python's `difflib.SequenceMatcher` finds them. */

type Sides = { reference: string[]; hypothesis: string[] };
type Block = { i: number; j: number; length: number };
/** `to` is exclusive. */
type Area = { i: number; iTo: number; j: number; jTo: number };

/** From this many words on, a word that is more than a hundredth of them begins no stretch. */
const MANY_WORDS = 200;

function placesOf(words: string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [at, word] of words.entries()) {
    const known = places.get(word);
    if (known) known.push(at);
    else places.set(word, [at]);
  }
  const most = words.length < MANY_WORDS ? Number.POSITIVE_INFINITY : Math.floor(words.length / 100) + 1;
  for (const [word, all] of places) if (all.length > most) places.delete(word);
  return places;
}

/** The longest stretch, and of several the first. */
function longest({ reference, hypothesis }: Sides, places: Map<string, number[]>, area: Area): Block {
  let best: Block = { i: area.i, j: area.j, length: 0 };
  let ending = new Map<number, number>();
  for (let i = area.i; i < area.iTo; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(reference[i]!) ?? []) {
      if (j < area.j || j >= area.jTo) continue;
      const length = (ending.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > best.length) best = { i: i - length + 1, j: j - length + 1, length };
    }
    ending = next;
  }
  let { i, j, length } = best;
  const isSame = (at: number, other: number) => reference[at] === hypothesis[other];
  for (; i > area.i && j > area.j && isSame(i - 1, j - 1); length++) [i, j] = [i - 1, j - 1];
  while (i + length < area.iTo && j + length < area.jTo && isSame(i + length, j + length)) length++;
  return { i, j, length };
}

/** In order; no two of them overlap. */
export function sharedBlocks(sides: Sides): Block[] {
  const places = placesOf(sides.hypothesis);
  const within = (area: Area): Block[] => {
    const block = longest(sides, places, area);
    if (block.length === 0) return [];
    const { i, j, length } = block;
    return [
      ...within({ ...area, iTo: i, jTo: j }),
      block,
      ...within({ ...area, i: i + length, j: j + length }),
    ];
  };
  return within({ i: 0, iTo: sides.reference.length, j: 0, jTo: sides.hypothesis.length });
}
