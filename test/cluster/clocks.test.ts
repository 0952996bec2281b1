/**
 * Promise: two nodes whose clocks are 40 seconds apart share limits and nodes, charge each answer once, and one of them says so
 * in its log.
 */
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openCli } from "../cli/process.ts";
import { lift, startLoad } from "../faults/load.ts";
import { openPostgres, openRedis } from "../faults/server-fixture.ts";
import { quietFor } from "../until.ts";
import { expectExactLimit } from "./exact-limit.ts";

const MINUTES_MS = 240_000;
const AHEAD_SECONDS = 40;
const LIBRARIES = ["x86_64", "aarch64"].map(
  (name) => `/usr/lib/${name}-linux-gnu/faketime/libfaketimeMT.so.1`,
);
const library = LIBRARIES.find(existsSync) ?? null;
const database = library === null ? null : await openPostgres();
const redis = database && (await openRedis());
const unless = redis ? "" : " (skipped: no libfaketime, redis-server or PostgreSQL)";

afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

test.skipIf(redis === null)(
  `a node whose clock is ${AHEAD_SECONDS} seconds ahead is one of the nodes${unless}`,
  async () => {
    await database!.empty();
    using cli = openCli();
    const shared = { DATABASE_URL: database!.url, REDIS_URL: redis!.url };
    const ahead = { LD_PRELOAD: library!, FAKETIME: `+${AHEAD_SECONDS}`, LOQUAT_NODE: "ahead" };
    const nodes = [
      await cli.serve({ ...shared, LOQUAT_NODE: "right" }),
      await cli.serve({ ...shared, ...ahead }),
    ];
    const organizationId = await lift(cli, shared);
    const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
    let turn = 0;
    const load = startLoad(() => nodes[turn++ % 2]!.url, key);
    await quietFor(12_000); // a node that was not seen for ten seconds is forgotten
    await load.stop();
    expect([...load.statuses.keys()]).toEqual(["200"]);
    const warnings = nodes.map(({ complained }) =>
      complained()
        .split("\n")
        .filter((line) => line.includes('"clock_apart"')),
    );
    expect(warnings.map(({ length }) => length)).toEqual([0, 1]);
    const { aheadSeconds } = JSON.parse(warnings[1]![0]!);
    expect(aheadSeconds).toBeWithin(AHEAD_SECONDS - 4, AHEAD_SECONDS + 1); // the answer of the database takes its time
    for (const { url } of nodes)
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^loquat_nodes 2$/m);

    const urls = nodes.map(({ url }) => url);
    const admitted = await expectExactLimit(cli, { organizationId, key, urls, environment: shared });
    await Promise.all(nodes.map((node) => node.stop()));
    const sql = "select request_id as id from usage_event where quantity > 0";
    const charges = (await database!.query(sql)) as { id: string }[];
    expect(charges.length).toBe(load.delivered.length + admitted);
    expect(new Set(charges.map(({ id }) => id)).size).toBe(charges.length);
    const { code, out } = await cli.run(["ledger", "verify"], shared);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("add up") });
  },
  MINUTES_MS,
);
