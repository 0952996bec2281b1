/**
 * The dashboard's reads for an organization with a million requests and as many charges, on both databases: the median
 * and the maximum of several calls each.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "../../src/db/open-postgres.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { type Ledger, openLedger, type RequestQuery, type UsageQuery } from "../../src/ledger/ledger.ts";
import { openPostgresStore } from "../../src/ledger/postgres.ts";
import { openSqliteStore, openSqliteWriter } from "../../src/ledger/sqlite.ts";
import type { Store } from "../../src/ledger/store.ts";
import { withDatabase } from "../harness/postgres.ts";
import { median, type Row, timed } from "../harness/row.ts";
import { END, fill, idOf, OWNER, RARE_KEY, REQUESTS } from "./dashboard-data.ts";

const TIMES = 15;
const DAY = 86_400;

const everything: RequestQuery = {
  organizationId: OWNER,
  start: null,
  end: null,
  filters: {},
  status: null,
  errorCode: null,
  ...{ idPrefix: null, endUser: null, label: null, language: null },
  before: null,
  limit: 50,
};

const page = (parts: Partial<RequestQuery>) => (ledger: Ledger) =>
  ledger.requestPage({ ...everything, ...parts });

const usage = (bucket: UsageQuery["bucket"], days: number, parts: Partial<UsageQuery> = {}) => {
  const query = { organizationId: OWNER, bucket, start: END - days * DAY, end: END, filters: {} };
  return (ledger: Ledger) => ledger.usage({ ...query, groupBy: [], ...parts });
};

const MIDDLE = idOf(REQUESTS / 2);

/** Each read, and how many rows it answers at least. */
const READS: Record<string, [read: (ledger: Ledger) => Promise<unknown>, least: number]> = {
  "usage of 30 days by key": [usage("day", 30, { groupBy: ["key"] }), 600],
  "usage of 31 days by hour": [usage("hour", 31), 744],
  "usage of 31 days by hour, by key": [usage("hour", 31, { groupBy: ["key"] }), 10_000], // the most that is read
  "usage of 400 days, one model": [usage("day", 400, { filters: { model: "model-1" } }), 90],
  "usage of 90 days by day": [usage("day", 90), 90],
  "usage of 90 days by day, by key": [usage("day", 90, { groupBy: ["key"] }), 90 * 19],
  "usage of 90 days by day, by key, model and project": [
    usage("day", 90, { groupBy: ["key", "model", "project"] }),
    90 * 19,
  ],
  "monthly accounts of the first of three months": [(ledger) => ledger.statements(202601), 1],
  "newest requests": [page({}), 50],
  "next page": [page({ before: MIDDLE }), 50],
  "a day's requests of a key": [
    page({ start: END - 40 * DAY, end: END - 39 * DAY, filters: { key: "key_3" } }),
    50,
  ],
  "requests of a rare key": [page({ filters: { key: RARE_KEY } }), 50],
  "requests of a rare key, next page": [page({ filters: { key: RARE_KEY }, before: MIDDLE }), 40],
  "requests of no key": [page({ filters: { key: "key_nobody" } }), 0],
  "requests of a pair that never met": [page({ filters: { key: RARE_KEY, project: "proj_bench" } }), 0],
  "faults (5xx)": [page({ status: "5xx" }), 50],
  "refusals (4xx) of a rare key": [page({ status: "4xx", filters: { key: RARE_KEY } }), 0],
  "refusals (4xx) of a key": [page({ status: "4xx", filters: { key: "key_3" } }), 50],
  "a rare status of a key": [page({ status: "503", filters: { key: "key_3" } }), 0],
  "faults of a model that has none": [page({ status: "5xx", filters: { model: "model-1" } }), 0],
  "a status that is rare": [page({ status: "503" }), 2],
  "a status that never was": [page({ status: "302" }), 0],
  "an error code that is rare": [page({ errorCode: "engine_busy" }), 2],
  "what succeeded": [page({ status: "200" }), 50],
  "by the beginning of an id": [page({ idPrefix: MIDDLE.slice(0, 10) }), 1],
  "a request": [(ledger) => ledger.request(OWNER, MIDDLE).then((row) => [row]), 1],
  "recent faults of all": [(ledger) => ledger.recentErrors(50), 50],
  totals: [(ledger) => ledger.totals(OWNER).then((totals) => [totals]), 1],
  credit: [(ledger) => ledger.credit(OWNER).then((credit) => [credit]), 1],
  grants: [(ledger) => ledger.grants(OWNER), 1],
};

/** In milliseconds. */
function targetOf(what: string): number {
  if (what.startsWith("usage of 90 days")) return 200;
  return what.startsWith("monthly accounts") ? 2000 : 300;
}

export async function benchDashboard(): Promise<Row[]> {
  return [...(await onSqlite()), ...(await withDatabase(onPostgres))];
}

async function onSqlite(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  try {
    await using database = openSqlite(folder);
    await fill(database);
    const write = openSqliteWriter(database.sqlite);
    return await measure(
      "SQLite",
      openSqliteStore(database, async (writes) => write(writes).outcomes),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function onPostgres(url: string): Promise<Row[]> {
  await using database = await openPostgres(url);
  await fill(database);
  return await measure("PostgreSQL", openPostgresStore(database));
}

async function measure(name: string, store: Store): Promise<Row[]> {
  await using ledger = openLedger(store, { now: () => END * 1000 });
  await ledger.grant({
    id: "grant_bench",
    organizationId: OWNER,
    kind: "adjustment",
    amountMicros: 1e12,
    createdAt: 0,
    expiresAt: null,
    topUpId: null,
  });
  const rows: Row[] = [];
  for (const [what, [read, least]] of Object.entries(READS)) {
    const requests = (await read(ledger)) as unknown[];
    if (requests.length < least) throw new Error(`${what}: ${requests.length} rows, not ${least}`);
    const took: number[] = [];
    for (let turn = 0; turn < TIMES; turn++) took.push(await timed(() => read(ledger)));
    rows.push({ name: `${name}: ${what}, p50`, value: median(took), unit: "ms" });
    rows.push({
      name: `${name}: ${what}, worst`,
      value: Math.max(...took),
      unit: "ms",
      target: `at most ${targetOf(what)}`,
    });
  }
  return rows;
}
