/** Promise: PostgreSQL restored to a moment has every request that was answered before it, and a ledger that adds up. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { type Cli, openCli } from "../cli/process.ts";
import { startLoad } from "../faults/load.ts";
import { until } from "../until.ts";
import { configure, initialize, makeFolder, postgresPrograms, run, start } from "./own-postgres.ts";

setDefaultTimeout(240_000);

const hasPostgres = postgresPrograms() !== null;
const unlessInstalled = hasPostgres ? "" : " (skipped: needs PostgreSQL's server programs)";

let cli: Cli;
let folder: string;
beforeEach(() => {
  cli = openCli();
  folder = makeFolder(join(tmpdir(), `loquat-point-in-time-${process.pid}`));
});
afterEach(() => {
  cli[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** An SQL expression's value, as text. */
async function textOf(url: string, expression: string): Promise<string> {
  const [row] = await query<{ value: string }>(url, `select (${expression})::text as value`);
  return row!.value;
}

const chargedIn = async (url: string) =>
  (await query<{ id: string }>(url, "select request_id as id from usage_event")).map(({ id }) => id);

test.skipIf(!hasPostgres)(`on PostgreSQL, from its archived log${unlessInstalled}`, async () => {
  const [data, base, archive] = ["data", "base", "archive"].map((name) => makeFolder(join(folder, name)));
  await initialize(data!, [
    "wal_level = replica",
    "archive_mode = on",
    `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  ]);
  let moment = "";
  let [before, after]: string[][] = [[], []];
  {
    await using postgres = await start(data!);
    const server = await cli.serve({ LOQUAT_PLAN: "unmetered", DATABASE_URL: postgres.url });
    const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
    const load = startLoad(() => server.url, key);
    const more = async (count: number) => {
      const enough = load.delivered.length + count;
      await until(() => load.delivered.length >= enough);
    };
    await more(5);
    await run("pg_basebackup", "--pgdata", base!, "--dbname", postgres.url, "--checkpoint=fast");
    await more(20);
    before = [...load.delivered];
    moment = await textOf(postgres.url, "clock_timestamp()");
    await more(20);
    await load.stop();
    after = load.delivered.slice(-5);
    await server.stop();
    const last = await textOf(postgres.url, "pg_walfile_name(pg_switch_wal())");
    const archived = `select 1 from pg_stat_archiver where last_archived_wal >= '${last}'`;
    await until(async () => (await query(postgres.url, archived)).length !== 0);
  }
  configure(base!, [
    "archive_mode = off",
    `restore_command = 'cp ${archive}/%f %p'`,
    `recovery_target_time = '${moment}'`,
    "recovery_target_action = promote",
  ]);
  writeFileSync(join(base!, "recovery.signal"), "");
  await using restored = await start(base!);
  const promoted = () => query(restored.url, "select 1 where not pg_is_in_recovery()");
  await until(async () => (await promoted()).length > 0);
  const charged = new Set(await chargedIn(restored.url));
  expect(before.filter((id) => !charged.has(id))).toEqual([]);
  expect(after.filter((id) => charged.has(id))).toEqual([]);
  const environment = { DATABASE_URL: restored.url };
  expect((await cli.run(["ledger", "verify"], environment)).code).toBe(0);
  const server = await cli.serve(environment);
  expect(await server.stop()).toBe(0);
});
