/**
 * This checkout against another one, such as an earlier commit with its packages installed, in turns:
 *
 *   BENCH_AGAINST=FOLDER npm run bench -- against
 *
 * `BENCH_GROUPS="speech memory"` measures some of the groups. "Times as good" is the median of the rounds' ratios: above one
 * means that this checkout is better.
 */
import { median, type Row } from "../harness/row.ts";
import { type Checkout, HERE, otherIn } from "./checkout.ts";
import type { Group } from "./group.ts";
import { LIVE, MEMORY, RECORDING, START } from "./machine-groups.ts";
import { POSTGRES, SQLITE } from "./metered-groups.ts";
import { CATALOGUE, SPEECH } from "./request-groups.ts";
import { POSTGRES_STORES, SQLITE_STORES } from "./store-groups.ts";

const GROUPS: Record<string, Group> = {
  speech: SPEECH,
  catalogue: CATALOGUE,
  "sqlite-stores": SQLITE_STORES,
  "postgres-stores": POSTGRES_STORES,
  sqlite: SQLITE,
  postgres: POSTGRES,
  start: START,
  memory: MEMORY,
  live: LIVE,
  recording: RECORDING,
};

const LESS_IS_BETTER = new Set(["ms", "s", "MiB", "%"]);
const AS_GOOD = "at least 0.95";

export async function benchAgainst(): Promise<Row[]> {
  const folder = Bun.env.BENCH_AGAINST;
  if (!folder) throw new Error("BENCH_AGAINST must name the folder of another checkout");
  const named = Bun.env.BENCH_GROUPS?.split(" ");
  const rows: Row[] = [];
  for (const [name, group] of Object.entries(GROUPS))
    if (named?.includes(name) ?? true) rows.push(...(await compare(group, HERE, otherIn(folder))));
  return rows;
}

async function compare(group: Group, ...checkouts: [Checkout, Checkout]): Promise<Row[]> {
  const probes = [await group.open(checkouts[0]), await group.open(checkouts[1])];
  const rounds: number[][][] = probes.map(() => []);
  try {
    for (let round = 0; round < group.rounds; round++)
      for (const [index, probe] of probes.entries()) rounds[index]!.push(await probe.measure());
  } finally {
    for (const probe of probes) await probe.close();
  }
  const rows = group.figures.flatMap((figure, index) => {
    const [here, other] = rounds.map((values) => values.map((value) => value[index]!));
    const ratios = here!.map((value, round) => value / other![round]!);
    const ratio = median(LESS_IS_BETTER.has(figure.unit) ? ratios.map((value) => 1 / value) : ratios);
    return [
      { ...figure, value: median(here!) },
      { name: "  the other checkout", value: median(other!), unit: figure.unit },
      { name: "  times as good", value: ratio, unit: "x", target: AS_GOOD },
    ];
  });
  for (const { name, value } of rows) process.stdout.write(`  (${name}: ${value.toPrecision(3)})\n`);
  return rows;
}
