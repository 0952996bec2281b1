/**
 * This checkout against another one, such as an earlier commit with its packages installed, in turns:
 *
 *   BENCH_AGAINST=FOLDER npm run bench -- against
 *
 * `BENCH_GROUPS="speech memory"` measures some of the groups.
 */
import { median, type Row } from "../harness/row.ts";
import { type Checkout, HERE, otherIn } from "./checkout.ts";
import type { Group } from "./group.ts";
import { LIVE, MEMORY, RECORDING, START } from "./machine-groups.ts";
import { POSTGRES, SQLITE } from "./metered-groups.ts";
import { CATALOGUE, SPEECH } from "./request-groups.ts";

const GROUPS: Record<string, Group> = {
  speech: SPEECH,
  catalogue: CATALOGUE,
  sqlite: SQLITE,
  postgres: POSTGRES,
  start: START,
  memory: MEMORY,
  live: LIVE,
  recording: RECORDING,
};

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
    const [here, other] = rounds.map((values) => median(values.map((value) => value[index]!)));
    return [
      { ...figure, value: here! },
      { name: "  the other checkout", value: other!, unit: figure.unit },
    ];
  });
  for (const { name, value } of rows) process.stdout.write(`  (${name}: ${value.toPrecision(3)})\n`);
  return rows;
}
