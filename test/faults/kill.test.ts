/** Promise: a server that is killed repeatedly has charged every complete response exactly once, and counted it toward the budget of its key. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { LEASE_MS } from "../../src/limits/limits.ts";
import { openSqliteLimits } from "../../src/limits/sqlite.ts";
import { openLog } from "../../src/log/log.ts";
import { type Cli, openCli } from "../cli/process.ts";
import { type Load, lift, startLoad } from "./load.ts";
import { type Fixture, openPostgres, openRedis } from "./server-fixture.ts";

const KILLS = 5;
const MINUTES_MS = 180_000;
const fixture = await openPostgres();
const redis = await openRedis();
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});
const unlessFixture =
  fixture && redis ? "" : " (skipped: needs PostgreSQL at 127.0.0.1:5432 and redis-server)";

const firstKey = (cli: Cli) => readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();

/** Until some more answers came, however busy the machine is, and then to any point of the next ones. */
async function pause({ delivered }: Load): Promise<void> {
  const enough = delivered.length + 12;
  while (delivered.length < enough) await Bun.sleep(5);
  await Bun.sleep(Math.random() * 250);
}

/** Every delivered answer has one event, and no request has two. */
function expectChargedOnce({ delivered }: Load, requestIds: string[]): void {
  const events = new Set(requestIds);
  expect(requestIds.length).toBe(events.size);
  expect(delivered.length).toBeGreaterThan(50);
  expect(delivered.filter((id) => !events.has(id))).toEqual([]);
}

async function expectVerified(cli: Cli, environment: Record<string, string> = {}): Promise<void> {
  const { code, out, err } = await cli.run(["ledger", "verify"], environment);
  expect({ code, err, out }).toMatchObject({ code: 0, err: "", out: expect.stringContaining("add up") });
}

async function killRepeatedly(cli: Cli, environment: Record<string, string> = {}): Promise<Load> {
  let server = await cli.serve(environment);
  await lift(cli, environment);
  const [{ id }] = JSON.parse((await cli.runInTurn(["keys", "list", "--json"], environment)).out).data;
  await cli.runInTurn(["keys", "set", id, "--budget", "100000/total"], environment); // counted, and verified at the end
  let url: string | null = server.url;
  const load = startLoad(() => url, firstKey(cli));
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(load);
    url = null;
    await server.stop("SIGKILL");
    server = await cli.serve(environment);
    url = server.url;
  }
  await load.stop();
  await server.stop();
  await expectVerified(cli, environment);
  return load;
}

test(
  "a server on SQLite killed repeatedly under load charges exactly, and frees its slots when their leases end",
  async () => {
    using cli = openCli();
    const load = await killRepeatedly(cli);
    const folder = join(cli.folder, "data");
    const { sqlite, tables, ...database } = openSqlite(folder);
    const rows = sqlite
      .select({ id: tables.usageEvent.requestId, organizationId: tables.usageEvent.organizationId })
      .from(tables.usageEvent)
      .all();
    await database[Symbol.asyncDispose]();
    const used = JSON.parse((await cli.runInTurn(["usage", "--json"])).out);
    expect(used.requests).toBe(rows.length);
    expectChargedOnce(
      load,
      rows.map(({ id }) => id),
    );
    await using limits = openSqliteLimits(
      folder,
      openLog("silent", () => {}),
    );
    const { organizationId } = rows[0]!;
    const now = Date.now() + LEASE_MS;
    const slot = { id: "next", max: 1 };
    expect(await limits.decide({ organizationId, now, take: [], slot })).toMatchObject({ refused: null });
  },
  MINUTES_MS,
);

const requestIds = async ({ query }: Fixture) =>
  ((await query("select request_id from usage_event")) as { request_id: string }[]).map(
    (row) => row.request_id,
  );

test.skipIf(unlessFixture !== "")(
  `a server on PostgreSQL killed repeatedly under load charges exactly${unlessFixture}`,
  async () => {
    using cli = openCli();
    const load = await killRepeatedly(cli, { DATABASE_URL: fixture!.url });
    expectChargedOnce(load, await requestIds(fixture!));
  },
  MINUTES_MS,
);

test.skipIf(unlessFixture !== "")(
  `one of two nodes on PostgreSQL and Redis is killed under load, and charges stay exact${unlessFixture}`,
  async () => {
    await fixture!.empty();
    using cli = openCli();
    const shared = { DATABASE_URL: fixture!.url, REDIS_URL: redis!.url };
    const steady = await cli.serve(shared);
    await lift(cli, shared);
    let mortal = await cli.serve(shared);
    const urls: (string | null)[] = [steady.url, mortal.url];
    let turn = 0;
    const load = startLoad(() => urls[turn++ % 2]!, firstKey(cli), 6);
    for (let kill = 0; kill < 3; kill++) {
      await pause(load);
      urls[1] = null;
      await mortal.stop("SIGKILL");
      mortal = await cli.serve(shared);
      urls[1] = mortal.url;
    }
    await load.stop();
    await Promise.all([steady.stop(), mortal.stop()]);
    await expectVerified(cli, shared);
    expectChargedOnce(load, await requestIds(fixture!));
  },
  MINUTES_MS,
);
