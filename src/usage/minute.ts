/** A minute of a server's activity, and those of several nodes as one. */

/** `start` in Unix seconds. */
export type Minute = {
  start: number;
  succeeded: number;
  /** Status 4xx. */
  refused: number;
  /** Status 5xx. */
  failed: number;
  /** The most live sessions at once. */
  sessions: number;
  /** How many requests waited for their first audio or text. */
  waited: number;
  /** How long, in milliseconds, ascending: all of them, or as many as stand for all. */
  waits: number[];
};

/** `sessions`: the sum of what each node had at most. The percentiles are null in a minute without audio or text. */
type Figures = Omit<Minute, "waited" | "waits"> & { p50Ms: number | null; p95Ms: number | null };

const WAITS_KEPT = 20; // one for every twentieth

export const isQuiet = ({ succeeded, refused, failed, sessions }: Minute): boolean =>
  succeeded + refused + failed + sessions === 0;

/** With twenty waits that stand for all. */
export function thinned({ waits, ...minute }: Minute): Minute {
  if (waits.length <= WAITS_KEPT) return { ...minute, waits };
  const rank = (part: number) => Math.ceil((waits.length * part) / WAITS_KEPT) - 1;
  return { ...minute, waits: Array.from({ length: WAITS_KEPT }, (_none, at) => waits[rank(at + 1)]!) };
}

/** The minutes of a node, each with those of other nodes that start with it. */
export function figuresOf(minutes: readonly Minute[], others: readonly Minute[] = []): Figures[] {
  const byStart = Map.groupBy(others, ({ start }) => start);
  return minutes.map((minute) => {
    const all = [minute, ...(byStart.get(minute.start) ?? [])];
    const sum = (name: "succeeded" | "refused" | "failed" | "sessions") =>
      all.reduce((total, each) => total + each[name], 0);
    return {
      start: minute.start,
      succeeded: sum("succeeded"),
      refused: sum("refused"),
      failed: sum("failed"),
      sessions: sum("sessions"),
      p50Ms: percentileOf(all, 0.5),
      p95Ms: percentileOf(all, 0.95),
    };
  });
}

/** The nearest rank, where each wait stands for as many as its minute has for one that is kept. */
function percentileOf(minutes: readonly Minute[], part: number): number | null {
  const weighed = minutes.flatMap(({ waits, waited }) =>
    waits.map((ms) => ({ ms, weight: waited / waits.length })),
  );
  weighed.sort((one, other) => one.ms - other.ms);
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  let counted = 0;
  for (const { ms, weight } of weighed) {
    counted += weight;
    if (counted >= total * part - 1e-6) return ms;
  }
  return null;
}
