/** Promise: servers that share a database know of each other, and one with an embedded database is alone. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Cluster, openCluster } from "../../src/cluster/cluster.ts";
import { readReport } from "../../src/cluster/node.ts";
import { readConfig } from "../../src/config/config.ts";
import { openPostgres as openDatabase } from "../../src/db/open-postgres.ts";
import { openNodeRows } from "../../src/db/queries/node-rows.ts";
import { seenNodes } from "../../src/db/seen-nodes.ts";
import { openLog } from "../../src/log/log.ts";
import { raisingNodes } from "../../src/server/monitoring/server-events.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { quietFor, until } from "../until.ts";

const server = await openPostgres();
const database = server && (await openDatabase(server.url));
const unlessPostgres = server ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)";
afterAll(async () => {
  await database?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const logged: string[] = [];
const log = openLog("debug", (line) => logged.push(JSON.parse(line).event));
const running: Cluster[] = [];
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster[Symbol.asyncDispose]();
});

const open = (id: string, { aheadMs = 0, isAlone = false } = {}) => {
  const cluster = openCluster({
    id,
    rows: isAlone ? null : openNodeRows(database!),
    report: () => ({ ...readReport({}), liveSessions: 3 }),
    skew: { ms: 0 },
    clock: { now: () => Date.now() + aheadMs },
    log,
  });
  running.push(cluster);
  return cluster;
};

const join = (cluster: Cluster, draining = new AbortController().signal) =>
  cluster.join({ address: "http://10.0.0.1:8080", draining });

describe.skipIf(!server)(`on PostgreSQL${unlessPostgres}`, () => {
  test("nodes see each other within seconds, and one that leaves at once no more", async () => {
    const [one, other] = [open("one"), open("other")];
    await join(one);
    await join(other);
    expect(other.nodes()).toMatchObject([
      { id: "one", address: "http://10.0.0.1:8080", draining: false, report: { liveSessions: 3 } },
      { id: "other", ageMs: 0 },
    ]);
    await until(() => one.nodes().length === 2);
    await other[Symbol.asyncDispose]();
    await until(() => one.nodes().length === 1);
  });

  test("a node that comes, is lost and comes again raises it, each once by several nodes", async () => {
    const raise = raisingNodes({ now: Date.now });
    const rows = openNodeRows(database!, raise);
    const { query, tables } = database!;
    const beat = () =>
      rows.beat({
        ...{ id: "flaky", version: "1", startedMs: 1, address: "", draining: false, nowMs: Date.now() },
        report: readReport({}),
      });
    const told = async () => (await query.select().from(tables.event)).map(({ type }) => type).toSorted();
    await Promise.all([beat(), beat()]);
    await beat();
    expect(await told()).toEqual(["node.joined"]);
    await query.update(tables.node).set({ seenMs: 0 }).where(eq(tables.node.id, "flaky"));
    await Promise.all([rows.seen(), rows.seen(), rows.seen()]);
    expect(await told()).toEqual(["node.joined", "node.lost"]);
    await beat();
    expect(await told()).toEqual(["node.joined", "node.joined", "node.lost"]);
    await rows.leave({ id: "flaky", startedMs: 1 });
    await rows.seen();
    expect((await told()).length).toBe(3);
  });

  test("a node that drains says so before its next report is due", async () => {
    const [one, other] = [open("one"), open("other")];
    const draining = new AbortController();
    await join(one, draining.signal);
    draining.abort();
    await join(other); // in the same turn: within milliseconds
    await until(() => other.nodes()[0]!.draining);
  });

  test.each([40_000, -40_000])(
    "a clock that is %d ms ahead is logged once, and the node is seen",
    async (aheadMs) => {
      logged.length = 0;
      const [one, apart] = [open("one"), open("apart", { aheadMs })];
      await join(one);
      await join(apart);
      await until(() =>
        one.nodes().some(({ id, skewMs }) => id === "apart" && Math.abs(skewMs - aheadMs) < 2000),
      );
      await quietFor(2500); // another report
      expect(one.nodes().map(({ id }) => id)).toEqual(["apart", "one"]);
      expect(logged).toEqual(["clock_apart"]);
    },
  );

  test("a node that was not seen for ten seconds is forgotten", async () => {
    await join(open("one"));
    await server!.query("update node set seen_ms = seen_ms - 10000");
    const other = open("other");
    await join(other);
    expect(other.nodes().map(({ id }) => id)).toEqual(["other"]);
  });

  test("clocks are compared with that of the database", async () => {
    await join(open("late", { aheadMs: -40_000 }));
    const right = open("right");
    await join(right);
    const [late] = right.nodes();
    expect(late!.skewMs).toBeWithin(-42_000, -38_000);
    expect(late!.ageMs).toBeWithin(0, 2000);
    const seen = await seenNodes(server!.url, () => Date.now() + 60_000);
    expect(seen.skewMs).toBeWithin(58_000, 62_000);
    expect(seen.nodes.map(({ id }) => id)).toEqual(["late", "right"]);
  });

  test("of two processes with one name, the later one is seen, and the other one warns once", async () => {
    const name = open("twin");
    await server!.query(
      `insert into node (id, address, version, started_ms, seen_ms, skew_ms, draining, report)
       values ('twin', 'http://10.0.0.2', '9', ${Date.now() + 60_000}, ${Date.now()}, 0, false, '{}')`,
    );
    logged.length = 0;
    await join(name);
    expect(logged).toEqual(["node_name_taken"]);
    const other = open("witness");
    await join(other);
    expect(other.nodes().find(({ id }) => id === "twin")).toMatchObject({
      version: "9",
      report: { engines: [] },
    });
    await server!.query("delete from node where id = 'twin'");
  });

  test("an outage of the database leaves the nodes that were seen last", async () => {
    const far = await openDatabase(server!.url);
    const one = openCluster({
      id: "one",
      rows: openNodeRows(far),
      report: () => readReport({}),
      skew: { ms: 0 },
      clock: Date,
      log,
    });
    running.push(one);
    await join(open("other"));
    await join(one);
    server!.proxy.shut();
    await quietFor(2500); // past the next report
    expect(one.nodes().map(({ id }) => id)).toEqual(["one", "other"]);
    server!.proxy.open();
    await far[Symbol.asyncDispose]();
  });
});

test("a server with an embedded database is alone", async () => {
  const alone = open("alone", { isAlone: true });
  await join(alone);
  expect(alone.nodes()).toMatchObject([{ id: "alone", skewMs: 0, address: "http://10.0.0.1:8080" }]);
});

test("a name is configured, or is the same for the life of a process", () => {
  expect(readConfig({ LOQUAT_NODE: "eu-1.a" }).node).toBe("eu-1.a");
  expect(readConfig({}).node).toMatch(/^[0-9a-z]{5,6}$/);
  expect(readConfig({}).node).toBe(readConfig({}).node);
  expect(() => readConfig({ LOQUAT_NODE: "a b" })).toThrow("LOQUAT_NODE");
});
