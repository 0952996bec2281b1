/**
 * What a request costs the thread that serves, counted over 1,000 of each kind once what is hot is compiled: objects and
 * bytes of its heap, statements of the database, commands of Redis; and what the whole process costs: bytes,
 * threads that had to be woken, processor time. Figures of the heap repeat within a few percent, whatever else the machine does, so
 * their ceilings are near; the others have none.
 *
 * "Left" are objects that outlive a collection of new ones, where several ask at the same time.
 *
 * `BENCH_AGAINST=FOLDER` adds what speech costs in another checkout, such as an earlier commit with its packages installed.
 */
import { otherIn } from "../against/checkout.ts";
import { withDatabase } from "../harness/postgres.ts";
import { median, type Row } from "../harness/row.ts";
import { REDIS } from "../requests/metered.ts";
import type { Counters } from "./counters.ts";
import { CALLERS, costOf, KINDS, type Kind, leftOf, speechOf } from "./kinds.ts";

const TIMES = 1000;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 3;

/** Of a process: as on a server, with the time that collections take. */
export const COLLECTED = { BUN_JSC_useGC: "1" };

export async function* benchCost(): AsyncGenerator<Row> {
  for (const { name, open, ceiling, leftMax } of KINDS) {
    const { objects, bytes, allocated } = await mediansOf(open, {});
    yield { name, value: objects, unit: "objects", target: `at most ${ceiling.objects}` };
    yield { name: "  on the heap", value: bytes / 1000, unit: "kB", target: `at most ${ceiling.kilobytes}` };
    yield { name: "  of all threads, with buffers and strings", value: allocated / 1000, unit: "kB" };
    const { sleeps, processorUs } = await mediansOf(open, COLLECTED);
    yield { name: "  threads that had to be woken", value: sleeps, unit: "" };
    yield { name: "  processor time", value: processorUs, unit: "µs" };
    if (leftMax === undefined) continue;
    await using subject = await open(COLLECTED);
    const left = await leftOf(subject, TIMES);
    yield {
      name: `  left by ${CALLERS} callers`,
      value: left,
      unit: "objects",
      target: `at most ${leftMax}`,
    };
  }
  const folder = Bun.env.BENCH_AGAINST;
  if (folder) {
    const open = speechOf({ script: otherIn(folder).instant as string });
    const { objects, bytes } = await mediansOf(open, {});
    yield { name: "speech, the other checkout", value: objects, unit: "objects" };
    yield { name: "  on the heap", value: bytes / 1000, unit: "kB" };
    const { processorUs } = await mediansOf(open, COLLECTED);
    yield { name: "  processor time", value: processorUs, unit: "µs" };
  }
  yield* await withDatabase(async (url) => {
    const rows: Row[] = [];
    for (const { name, open } of KINDS) {
      const { statements, commands } = await mediansOf(open, { DATABASE_URL: url, REDIS_URL: REDIS });
      rows.push({ name: `${name}, on PostgreSQL`, value: statements, unit: "statements" });
      rows.push({ name: "  on Redis", value: commands, unit: "commands" });
    }
    return rows;
  });
}

export async function mediansOf(open: Kind["open"], environment: Record<string, string>): Promise<Counters> {
  await using subject = await open(environment);
  return mediansIn((await costOf(subject, TIMES, WARM_UP_ROUNDS + ROUNDS)).slice(WARM_UP_ROUNDS));
}

export function mediansIn(costs: readonly Counters[]): Counters {
  const names = Object.keys(costs[0]!) as (keyof Counters)[];
  const medians = names.map((name) => [name, median(costs.map((cost) => cost[name]))]);
  return Object.fromEntries(medians) as Counters;
}
