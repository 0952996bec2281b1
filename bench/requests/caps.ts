/**
 * What budgets and limits of a key and its project cost a request: a server whose keys have both against one whose keys have
 * none, in turns, with an engine that responds immediately.
 */
import { withDatabase } from "../harness/postgres.ts";
import { median, type Row } from "../harness/row.ts";
import { ONE, REDIS, ROUNDS, start } from "./metered.ts";

export async function benchCaps(): Promise<Row[]> {
  return [
    ...(await ratio("SQLite", {})),
    ...(await withDatabase((url) => ratio("PostgreSQL and Redis", { DATABASE_URL: url, REDIS_URL: REDIS }))),
  ];
}

async function ratio(stores: string, environment: Record<string, string>): Promise<Row[]> {
  await using capped = await start({ ...ONE, capped: true }, environment);
  await using plain = await start(ONE, environment);
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [ours, theirs] = [await capped.saturation(), await plain.saturation()];
    if (round > 0) ratios.push(ours / theirs); // before that, what is hot is compiled
  }
  const row: Row = {
    ...{ name: `${stores}: saturation with budgets and limits of key and project, ratio`, unit: "x" },
    ...{ value: median(ratios), target: "at least 0.95" },
  };
  return [row];
}
