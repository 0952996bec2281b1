/**
 * Batches requests: a model step for eight callers costs less than eight steps.
 *
 *   requests ──while a batch runs──> waiting ──the oldest of the first rank, and those nearest to it in size──> one batch
 *
 * Requests of a lower rank run before others, in separate batches, and between the steps of a batch that has begun. A batch
 * starts as soon as the one before it has ended: no request waits for others to join it. Requests that are cancelled while
 * they wait are refused, and do not run.
 *
 * Batchers of one engine share its processor: none starts or goes on while another runs a batch of a lower rank.
 */
import { cancelled } from "../cancel.ts";

type Waiting<Request, Result> = {
  request: Request;
  size: number;
  /** 0 is the first. */
  rank: number;
  sinceMs: number;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
};

export type Batcher<Request, Result> = {
  batchMax: number;
  /** A batch is padded to its largest request; one that would make the batch a third padding is left for later. */
  sizeOf: (request: Request) => number;
  /** `rest` is to be called between the steps of a long run: requests of a lower rank run in it. */
  run: (requests: Request[], rest: () => Promise<void>) => Promise<Result[]>;
  /** Whether a result is no longer needed; absent: all are. */
  isCancelled?: (request: Request) => boolean;
  /** Shared with the other batchers of the engine; absent: there are none. */
  processor?: SharedProcessor | undefined;
  /** A clock in milliseconds. */
  now?: () => number;
};

const PADDING_MAX = 1.34;
const AGING_MS = 3000; // a request that has waited so long has its turn as if it were a rank lower, so that every one has one
const AGED_RANK = 1;

/** The batches that run in one engine. */
export class SharedProcessor {
  readonly #running: { rank: number; ended: PromiseWithResolvers<void> }[] = [];

  /** Returns what ends it. */
  begin(rank: number): () => void {
    const batch = { rank, ended: Promise.withResolvers<void>() };
    this.#running.push(batch);
    return () => {
      this.#running.splice(this.#running.indexOf(batch), 1);
      batch.ended.resolve();
    };
  }

  /** Whether a batch of a lower rank runs. */
  isTaken(rank: number): boolean {
    return this.#running.some((other) => other.rank < rank);
  }

  /** Waits for the end of one batch of a lower rank, where one runs. */
  async afterLower(rank: number): Promise<void> {
    await this.#running.find((other) => other.rank < rank)?.ended.promise;
  }
}

export function openBatcher<Request, Result>(batcher: Batcher<Request, Result>) {
  const queue = new BatchQueue(batcher);
  return (request: Request, rank = 0): Promise<Result> => queue.add(request, rank);
}

class BatchQueue<Request, Result> {
  readonly #batcher: Batcher<Request, Result>;
  readonly #processor: SharedProcessor;
  readonly #now: () => number;
  #waiting: Waiting<Request, Result>[] = [];
  #isRunning = false;

  constructor(batcher: Batcher<Request, Result>) {
    this.#batcher = batcher;
    this.#processor = batcher.processor ?? new SharedProcessor();
    this.#now = batcher.now ?? (() => performance.now());
  }

  add(request: Request, rank: number): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const size = this.#batcher.sizeOf(request);
    this.#waiting.push({ request, size, rank, sinceMs: this.#now(), resolve, reject });
    void this.#drain();
    return promise;
  }

  async #drain(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await new Promise(setImmediate); // requests made in the same turn of the loop join the batch
      await this.#runNext();
    }
    this.#isRunning = false;
  }

  #refuseCancelled(): void {
    const { isCancelled = () => false } = this.#batcher;
    const unneeded = this.#waiting.filter(({ request }) => isCancelled(request));
    for (const { reject } of unneeded) reject(cancelled());
    this.#waiting = this.#waiting.filter((each) => !unneeded.includes(each));
  }

  async #runNext(): Promise<void> {
    while (this.#processor.isTaken(this.#firstTurn())) await this.#processor.afterLower(this.#firstTurn());
    this.#refuseCancelled();
    if (this.#waiting.length === 0) return;
    const first = this.#firstTurn();
    const oldest = this.#waiting.find((each) => this.#turnOf(each) === first)!;
    const taken = takeAlike(this.#waiting, oldest, this.#batcher.batchMax);
    const turn = { end: this.#processor.begin(oldest.rank) };
    try {
      const results = await this.#batcher.run(
        taken.map(({ request }) => request),
        () => this.#giveWay(oldest.rank, turn),
      );
      for (const [index, { resolve }] of taken.entries()) resolve(results[index]!);
    } catch (reason) {
      for (const { reject } of taken) reject(reason);
    } finally {
      turn.end();
    }
  }

  /** To one batch of a lower rank: the one that gives way goes on, however many there are. */
  async #giveWay(rank: number, turn: { end: () => void }): Promise<void> {
    this.#refuseCancelled();
    const isNext = this.#waiting.some((each) => each.rank < rank);
    if (!isNext && !this.#processor.isTaken(rank)) return;
    turn.end();
    if (isNext) await this.#runNext();
    await this.#processor.afterLower(rank);
    turn.end = this.#processor.begin(rank);
  }

  #firstTurn(): number {
    return Math.min(...this.#waiting.map((each) => this.#turnOf(each)));
  }

  /** Its rank, or a lower one for the time that it has waited. */
  #turnOf({ rank, sinceMs }: Waiting<Request, Result>): number {
    const aged = rank - Math.floor((this.#now() - sinceMs) / AGING_MS);
    return Math.min(rank, Math.max(AGED_RANK, aged));
  }
}

/** Removes the batch of the oldest from those that wait. */
function takeAlike<Request, Result>(
  waiting: Waiting<Request, Result>[],
  oldest: Waiting<Request, Result>,
  batchMax: number,
): Waiting<Request, Result>[] {
  const alike = waiting.filter(({ rank }) => rank === oldest.rank);
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
