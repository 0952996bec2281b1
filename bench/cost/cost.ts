/**
 * What a request costs the thread that serves, counted over 1,000 of each kind once what is hot is compiled: objects and
 * bytes of its heap, statements of the database, commands of Redis. The figures repeat within a few percent, whatever else
 * the machine does, so their ceilings are near.
 *
 * `BENCH_AGAINST=FOLDER` adds what speech costs in another checkout, such as an earlier commit with its packages installed.
 */
import { otherIn } from "../against/checkout.ts";
import { withDatabase } from "../harness/postgres.ts";
import { median, type Row } from "../harness/row.ts";
import { REDIS } from "../requests/metered.ts";
import type { Counters } from "./counters.ts";
import { costOf, KINDS, type Kind, speechOf } from "./kinds.ts";

const TIMES = 1000;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 3;

export async function* benchCost(): AsyncGenerator<Row> {
  for (const kind of KINDS) {
    const { objects, bytes } = await mediansOf(kind.open, {});
    const { ceiling } = kind;
    yield { name: kind.name, value: objects, unit: "objects", target: `at most ${ceiling.objects}` };
    yield { name: "  on the heap", value: bytes / 1000, unit: "kB", target: `at most ${ceiling.kilobytes}` };
  }
  const folder = Bun.env.BENCH_AGAINST;
  if (folder) {
    const { objects, bytes } = await mediansOf(speechOf({ script: otherIn(folder).instant as string }), {});
    yield { name: "speech, the other checkout", value: objects, unit: "objects" };
    yield { name: "  on the heap", value: bytes / 1000, unit: "kB" };
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
  const costs = (await costOf(subject, TIMES, WARM_UP_ROUNDS + ROUNDS)).slice(WARM_UP_ROUNDS);
  const of = (name: keyof Counters) => median(costs.map((cost) => cost[name]));
  return {
    objects: of("objects"),
    bytes: of("bytes"),
    statements: of("statements"),
    commands: of("commands"),
  };
}
