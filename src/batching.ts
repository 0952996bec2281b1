/**
 * Calls that are made together: what is asked while as many as may be are under way is in the next one. Nothing joins a call
 * that is under way, so that what it answers is no older than what it was asked. A call fails as a whole.
 *
 *   a b c d e f g ──> [a] [b] [c]   then [d e f g]          three at once
 */

/** `max`: items of one call. `full`: what an item is refused with where as many wait already; absent: all may wait. */
type Batching = { max?: number; atOnce?: number; full?: { waitingMax: number; refusal: () => Error } };

const ITEMS_MAX = 500;

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
};

/** `call` resolves to a result for each item, in their order. */
export function inBatches<Item, Result>(
  call: (items: Item[]) => Promise<Result[]>,
  { max = ITEMS_MAX, atOnce = 1, full }: Batching = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;

  async function callNext(): Promise<void> {
    const batch = waiting.splice(0, max);
    try {
      const results = await call(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (reason) {
      for (const { reject } of batch) reject(reason);
    }
  }

  async function drain(): Promise<void> {
    underWay++;
    while (waiting.length > 0) await callNext();
    underWay--; // in the same tick as the last check: a later item starts again
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (full && waiting.length >= full.waitingMax) return reject(full.refusal());
      waiting.push({ item, resolve, reject });
      if (underWay < atOnce) void drain();
    });
}
