/**
 * What a budget, limits and a list of models cost a request: keys that have them against a key that has none, at one server, in
 * turns, with an engine that responds immediately. Processor time is that of the server with all its threads, at 32 callers;
 * statements and commands are those of its databases.
 */
import { mediansOf } from "../cost/cost.ts";
import { speechOf } from "../cost/kinds.ts";
import { withDatabase } from "../harness/postgres.ts";
import { cpuNanoseconds } from "../harness/process.ts";
import { median, type Row } from "../harness/row.ts";
import { post } from "../harness/wire.ts";
import type { Capped } from "./instant.ts";
import { BODY, ONE, REDIS, start } from "./metered.ts";

/** Of the organizations of the server, each with a key. */
const CAPPED: Capped[] = ["nothing", "key", "both"];
const NAMES = { nothing: "without caps", key: "with caps of its key", both: "with caps of key and project" };
/** Short and many, so that other work on the machine meets all of them. */
const ROUNDS = 41;
const WARM_UP_ROUNDS = 8;
const ROUND_MS = 500;

export async function* benchCaps(): AsyncGenerator<Row> {
  yield* await processorTime("SQLite", {});
  yield* await withDatabase((url) =>
    processorTime("PostgreSQL and Redis", { DATABASE_URL: url, REDIS_URL: REDIS }),
  );
  yield* await withDatabase((url) =>
    counted("PostgreSQL and Redis", { DATABASE_URL: url, REDIS_URL: REDIS }),
  );
}

async function processorTime(stores: string, environment: Record<string, string>): Promise<Row[]> {
  await using server = await start({ ...ONE, organizations: CAPPED.length, capped: CAPPED }, environment);
  const requests = server.keys.map((key) => post("/v1/audio/speech", key, BODY));
  const microseconds: number[][] = CAPPED.map(() => []);
  const rates: number[][] = CAPPED.map(() => []);
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
    for (const turn of CAPPED.keys()) {
      const at = (turn + round) % CAPPED.length; // none is always behind the same
      const before = cpuNanoseconds(server.pid);
      const perSecond = await server.saturation(() => requests[at]!, ROUND_MS);
      const used = (cpuNanoseconds(server.pid) - before) / 1000;
      if (round < WARM_UP_ROUNDS) continue;
      microseconds[at]!.push(used / ((perSecond * ROUND_MS) / 1000));
      rates[at]!.push(perSecond);
    }
  return CAPPED.flatMap((capped, at): Row[] => {
    const [name, own] = [`${stores}: processor time of a request ${NAMES[capped]}`, microseconds[at]!];
    const row = { name, value: median(own), unit: "µs" };
    if (at === 0) return [row];
    const ratio = median(own) / median(microseconds[0]!);
    const saturation = median(rates[at]!) / median(rates[0]!);
    return [
      row,
      { name: "  to one without, ratio", value: ratio, unit: "x", target: "at most 1.05" },
      { name: "  saturation, ratio", value: saturation, unit: "x", target: "at least 0.95" },
    ];
  });
}

/** More than without caps, in whole ones: what the server asks by the second is counted with them. */
async function counted(stores: string, environment: Record<string, string>): Promise<Row[]> {
  const of = (capped: Capped) => mediansOf(speechOf({ options: { ...ONE, capped: [capped] } }), environment);
  const plain = await of("nothing");
  const rows: Row[] = [];
  for (const capped of CAPPED.slice(1)) {
    const { statements, commands } = await of(capped);
    const more = { statements: statements - plain.statements, commands: commands - plain.commands };
    for (const unit of ["statements", "commands"] as const)
      rows.push({
        name: `${stores}: ${unit} more of a request ${NAMES[capped]}`,
        ...{ value: Math.max(0, Math.round(more[unit])), unit, target: "at most 0" },
      });
  }
  return rows;
}
