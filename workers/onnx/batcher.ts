/**
 * Runs together what is asked for at the same time: a model step for eight callers costs less than eight steps.
 *
 *   asks ──while a run goes on──> waiting ──the oldest, and those most like it in size──> one run ──> an answer each
 *
 * What is urgent goes before what is not, and is not held up by it.
 *
 * Nobody waits for company: a run starts as soon as the one before it is over.
 */
type Waiting<Ask, Answer> = {
  ask: Ask;
  size: number;
  urgent: boolean;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
};

export type Batcher<Ask, Answer> = {
  /** At most so many at once. */
  most: number;
  /** What is run together is padded to the largest: where that is more than a third of it all, it is left for later. */
  sizeOf: (ask: Ask) => number;
  run: (asks: Ask[]) => Promise<Answer[]>;
};

const PADDING_MOST = 1.34;

export function openBatcher<Ask, Answer>({ most, sizeOf, run }: Batcher<Ask, Answer>) {
  const waiting: Waiting<Ask, Answer>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      await new Promise(setImmediate); // whoever asks in the same breath comes along
      const taken = takeAlike(waiting, most);
      try {
        const answers = await run(taken.map(({ ask }) => ask));
        for (const [at, { resolve }] of taken.entries()) resolve(answers[at]!);
      } catch (reason) {
        for (const { reject } of taken) reject(reason);
      }
    }
    running = false;
  }

  return (ask: Ask, urgent = false): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, size: sizeOf(ask), urgent, resolve, reject });
      void drain();
    });
}

function takeAlike<Ask, Answer>(waiting: Waiting<Ask, Answer>[], most: number): Waiting<Ask, Answer>[] {
  const oldest = waiting.find(({ urgent }) => urgent) ?? waiting[0]!;
  const alike = waiting.filter(({ urgent }) => urgent === oldest.urgent);
  const nearest = alike.toSorted((a, b) => Math.abs(a.size - oldest.size) - Math.abs(b.size - oldest.size));
  const taken: Waiting<Ask, Answer>[] = [];
  let [sum, largest] = [0, 0];
  for (const each of nearest.slice(0, most)) {
    const padded = Math.max(largest, each.size) * (taken.length + 1);
    if (padded > PADDING_MOST * (sum + each.size)) break;
    taken.push(each);
    sum += each.size;
    largest = Math.max(largest, each.size);
  }
  for (const each of taken) waiting.splice(waiting.indexOf(each), 1);
  return taken;
}
