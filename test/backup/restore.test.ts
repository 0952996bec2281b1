/** Promise: a backup that was made under load, restored elsewhere, has every request that was answered before it. */
import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type Cli, MAIN, openCli } from "../cli/process.ts";
import { startLoad } from "../faults/load.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { until } from "../until.ts";

setDefaultTimeout(240_000);

const server = await openPostgres("restore");
afterAll(() => server?.[Symbol.asyncDispose]());

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli[Symbol.dispose]());

const unmetered = { LOQUAT_PLAN: "unmetered" };
const firstKey = () => readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();

/** Makes a backup while requests are answered; returns those that were answered before. */
async function underLoad(environment: Record<string, string>, back: () => Promise<void>): Promise<string[]> {
  const running = await cli.serve(environment);
  const load = startLoad(() => running.url, firstKey());
  await until(() => load.delivered.length >= 20);
  const before = [...load.delivered];
  await back();
  const during = load.delivered.length;
  await until(() => load.delivered.length >= during + 5);
  await load.stop();
  await running.stop();
  return before;
}

const chargedIn = (file: string): string[] => {
  const database = new Sqlite(file, { readonly: true });
  const rows = database.prepare("select request_id as id from usage_event").all() as { id: string }[];
  database.close();
  return rows.map(({ id }) => id);
};

test("on SQLite, with backup and restore", async () => {
  const file = join(cli.folder, "backup.tar.gz");
  const answered = await underLoad(unmetered, async () => {
    expect(await cli.run(["backup", file])).toMatchObject({ code: 0, out: "" });
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await cli.run(["restore", file])).err).toContain("there is a database in");

  const elsewhere = { ...unmetered, LOQUAT_DATA: join(cli.folder, "restored") };
  const restored = await cli.run(["restore", file], elsewhere);
  expect(restored).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/adds? up/) });
  const charged = chargedIn(join(cli.folder, "restored/loquat.db"));
  expect(answered.filter((id) => !charged.includes(id))).toEqual([]);
  expect((await cli.run(["ledger", "verify"], elsewhere)).code).toBe(0);
  const next = await cli.serve(elsewhere);
  const me = await fetch(`${next.url}/v1/me`, { headers: { authorization: `Bearer ${firstKey()}` } });
  expect(me.status).toBe(200);
  expect(await next.stop()).toBe(0);
});

test("a backup of a newer schema, or whose ledger does not add up, is not restored", async () => {
  const running = await cli.serve(unmetered);
  await running.stop();
  const [data, file] = [join(cli.folder, "data"), join(cli.folder, "backup.tar.gz")];
  const elsewhere = { LOQUAT_DATA: join(cli.folder, "restored") };
  const change = (sql: string) => {
    const database = new Sqlite(join(data, "loquat.db"));
    database.exec(sql);
    database.close();
  };
  change(
    "insert into credit_grant select 'grant_odd', id, 'adjustment', 100, 0, 99, 1, null, null, null from organization",
  );
  expect((await cli.run(["backup", file])).code).toBe(0);
  const odd = await cli.run(["restore", file], elsewhere);
  expect(odd).toMatchObject({ code: 1, out: "", err: expect.stringContaining("does not add up") });

  change("insert into __drizzle_migrations (hash, created_at) values ('newer', 4102444800000)");
  expect((await cli.run(["backup", file])).code).toBe(0);
  for (const command of [["restore", file], ["serve"], ["keys", "list"]]) {
    const { code, err } = await cli.run(command, command[0] === "restore" ? elsewhere : {});
    expect(err).toContain("its schema, of 2100-01-01, is newer than this version of Loquat, which knows 0");
    expect(code).toBe(1);
  }
});

test("standard output and input carry a backup; without a database there is none", async () => {
  expect(await cli.run(["backup", "-"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("no database"),
  });
  const running = await cli.serve(unmetered);
  await running.stop();
  const both = `"$0" "$1" backup - | LOQUAT_DATA=restored "$0" "$1" restore -`;
  const child = Bun.spawn(["sh", "-c", both, process.execPath, MAIN], {
    cwd: cli.folder,
    env: { PATH: Bun.env.PATH, LOQUAT_DATA: "data" },
    stdout: "pipe",
  });
  expect(await child.stdout.text()).toContain("restored  restored, as of");
  expect(await child.exited).toBe(0);
});

const tools = server !== null && Bun.which("pg_dump") !== null && Bun.which("pg_restore") !== null;
test.skipIf(!tools)(
  `on PostgreSQL, with pg_dump and pg_restore${tools ? "" : " (skipped: needs PostgreSQL at 127.0.0.1:5432 and pg_dump)"}`,
  async () => {
    const environment = { ...unmetered, DATABASE_URL: server!.url };
    const file = join(cli.folder, "loquat.dump");
    const answered = await underLoad(environment, async () => {
      expect(await Bun.spawn(["pg_dump", "--format=custom", `--file=${file}`, server!.url]).exited).toBe(0);
    });
    expect((await cli.run(["backup", "x"], environment)).err).toContain("pg_dump");
    await server!.query("drop schema public cascade; drop schema drizzle cascade; create schema public");
    const restoring = [
      "pg_restore",
      "--no-owner",
      "--exit-on-error",
      `--dbname=${server!.url}`,
      "--clean",
      "--if-exists",
    ];
    expect(await Bun.spawn([...restoring, file]).exited).toBe(0);
    expect((await cli.run(["ledger", "verify"], environment)).code).toBe(0);
    const rows = (await server!.query("select request_id as id from usage_event")) as { id: string }[];
    const charged = new Set(rows.map(({ id }) => id));
    expect(answered.filter((id) => !charged.has(id))).toEqual([]);
    await server!.query(
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 4102444800000)",
    );
    expect((await cli.run(["keys", "list"], environment)).err).toContain(
      "is newer than this version of Loquat",
    );
  },
);
