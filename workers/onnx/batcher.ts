/**
 * Batches requests: a model step for eight callers costs less than eight steps.
 *
 *   requests ──while a batch runs──> waiting ──the oldest, and those nearest to it in size──> one batch ──> results
 *
 * Urgent requests run before others, in separate batches, and between the steps of a batch that has begun. A batch starts as
 * soon as the one before it has ended: no request waits for others to join it. Requests that are cancelled while they wait
 * are refused, and do not run.
 */
import { cancelled } from "../cancel.ts";

type Waiting<Request, Result> = {
  request: Request;
  size: number;
  urgent: boolean;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
};

export type Batcher<Request, Result> = {
  batchMax: number;
  /** A batch is padded to its largest request; one that would make the batch a third padding is left for later. */
  sizeOf: (request: Request) => number;
  /** `rest` is to be called between the steps of a long run: the urgent requests that wait run in it. */
  run: (requests: Request[], rest: () => Promise<void>) => Promise<Result[]>;
  /** Whether a result is no longer needed; absent: all are. */
  isCancelled?: (request: Request) => boolean;
};

const PADDING_MAX = 1.34;

export function openBatcher<Request, Result>({
  batchMax,
  sizeOf,
  run,
  isCancelled = () => false,
}: Batcher<Request, Result>) {
  let waiting: Waiting<Request, Result>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      await new Promise(setImmediate); // requests made in the same turn of the loop join the batch
      await runNext();
    }
    running = false;
  }

  function refuseCancelled(): void {
    const unneeded = waiting.filter(({ request }) => isCancelled(request));
    for (const { reject } of unneeded) reject(cancelled());
    waiting = waiting.filter((each) => !unneeded.includes(each));
  }

  async function runNext(): Promise<void> {
    refuseCancelled();
    if (waiting.length === 0) return;
    const taken = takeAlike(waiting, batchMax);
    const rest = async () => {
      if (taken[0]!.urgent) return;
      refuseCancelled();
      if (waiting.some(({ urgent }) => urgent)) await runNext();
    };
    try {
      const results = await run(
        taken.map(({ request }) => request),
        rest,
      );
      for (const [index, { resolve }] of taken.entries()) resolve(results[index]!);
    } catch (reason) {
      for (const { reject } of taken) reject(reason);
    }
  }

  return (request: Request, urgent = false): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, size: sizeOf(request), urgent, resolve, reject });
      void drain();
    });
}

/** Removes the next batch from those that wait. */
function takeAlike<Request, Result>(
  waiting: Waiting<Request, Result>[],
  batchMax: number,
): Waiting<Request, Result>[] {
  const oldest = waiting.find(({ urgent }) => urgent) ?? waiting[0]!;
  const alike = waiting.filter(({ urgent }) => urgent === oldest.urgent);
  const nearest = alike.toSorted((a, b) => Math.abs(a.size - oldest.size) - Math.abs(b.size - oldest.size));
  const taken: Waiting<Request, Result>[] = [];
  let [sum, largest] = [0, 0];
  for (const each of nearest.slice(0, batchMax)) {
    const padded = Math.max(largest, each.size) * (taken.length + 1);
    if (padded > PADDING_MAX * (sum + each.size)) break;
    taken.push(each);
    sum += each.size;
    largest = Math.max(largest, each.size);
  }
  for (const each of taken) waiting.splice(waiting.indexOf(each), 1);
  return taken;
}
