/**
 * Groups embeddings by speaker: agglomerative clustering with complete linkage, so that the distance of two groups is that
 * of their two least similar members. Pure.
 *
 *   distance = 1 - cosine      groups are joined, the nearest first, while they are nearer than the threshold,
 *                              or until as many are left as there are speakers
 *
 * The nearest-neighbour chain (Murtagh, 1983): quadratic in time and in memory, four bytes for each pair.
 */
export type Cut = { distance: number; count: number | null };

/** Of each row its group, numbered from 0 by first appearance. Rows have length one. */
export function cluster(rows: readonly Float32Array[], { distance, count }: Cut): number[] {
  const joins = joinsOf(rows).toSorted((a, b) => a.distance - b.distance);
  const taken =
    count === null
      ? joins.filter((join) => join.distance < distance)
      : joins.slice(0, Math.max(0, rows.length - count));
  return labelsOf(rows.length, taken);
}

/** The groups that two rows are in are joined at a distance. */
type Join = { a: number; b: number; distance: number };

function joinsOf(rows: readonly Float32Array[]): Join[] {
  const distances = new Distances(rows);
  const left = new Set(rows.keys());
  const joins: Join[] = [];
  const chain: number[] = [];
  while (left.size > 1) {
    if (chain.length === 0) chain.push(left.values().next().value!);
    const last = chain.at(-1)!;
    const nearest = distances.nearest(last, left, chain.at(-2));
    if (nearest !== chain.at(-2)) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2; // each is the other's nearest
    joins.push({ a: nearest, b: last, distance: distances.of(nearest, last) });
    left.delete(nearest);
    for (const other of left) if (other !== last) distances.raise(last, other, distances.of(nearest, other));
  }
  return joins;
}

/** Of every pair once. */
class Distances {
  readonly #values: Float32Array;

  constructor(rows: readonly Float32Array[]) {
    this.#values = new Float32Array((rows.length * (rows.length - 1)) / 2);
    for (let a = 1; a < rows.length; a++)
      for (let b = 0; b < a; b++) this.#values[place(a, b)] = Math.max(0, 1 - dot(rows[a]!, rows[b]!));
  }

  of(a: number, b: number): number {
    return this.#values[place(a, b)]!;
  }

  raise(a: number, b: number, distance: number): void {
    const at = place(a, b);
    if (this.#values[at]! < distance) this.#values[at] = distance;
  }

  /** `preferred` if no other is nearer. */
  nearest(row: number, among: Iterable<number>, preferred: number | undefined): number {
    let best = preferred ?? -1;
    let least = preferred === undefined ? Number.POSITIVE_INFINITY : this.of(row, preferred);
    for (const other of among) {
      if (other === row) continue;
      const distance = this.of(row, other);
      if (distance >= least) continue;
      [best, least] = [other, distance];
    }
    return best;
  }
}

const place = (a: number, b: number): number => (a > b ? (a * (a - 1)) / 2 + b : (b * (b - 1)) / 2 + a);

function labelsOf(count: number, joins: readonly Join[]): number[] {
  const parents = Array.from({ length: count }, (_, row) => row);
  const rootOf = (row: number): number => {
    let root = row;
    while (parents[root] !== root) root = parents[root]!;
    parents[row] = root;
    return root;
  };
  for (const { a, b } of joins) parents[rootOf(a)] = rootOf(b);
  const labels = new Map<number, number>();
  return parents.map((_, row) => {
    const root = rootOf(row);
    const label = labels.get(root) ?? labels.size;
    labels.set(root, label);
    return label;
  });
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!;
  return sum;
}

/** With length one; zeros stay zeros. */
export function normalized(row: Float32Array): Float32Array {
  const length = Math.sqrt(dot(row, row));
  return length === 0 ? row.slice() : row.map((value) => value / length);
}
