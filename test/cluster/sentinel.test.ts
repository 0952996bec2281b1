/**
 * Promise: two nodes whose Redis is named by sentinels answer every request while the primary is killed, and count together
 * again at the replica that takes its place.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { LOAN_MS } from "../../src/limits/bucket.ts";
import { openCli } from "../cli/process.ts";
import { lift, startLoad } from "../faults/load.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { freePort } from "../free-port.ts";
import { takes, until } from "../until.ts";
import { expectExactLimit } from "./exact-limit.ts";

const MINUTES_MS = 240_000;
const SENTINELS = 3;
const HOST = "127.0.0.1";
const binary = Bun.which("redis-server");
const database = binary === null ? null : await openPostgres();

/** A primary, a replica, and sentinels that promote it half a second after the primary is gone. */
async function openRedisGroup() {
  const folder = mkdtempSync(join(tmpdir(), "loquat-sentinel-"));
  const children: Bun.Subprocess[] = [];
  const start = (lines: string[], ...options: string[]) => {
    const port = freePort();
    const path = join(folder, `${port}.conf`);
    writeFileSync(path, [`port ${port}`, `bind ${HOST}`, `dir ${folder}`, ...lines].join("\n"));
    const child = Bun.spawn([binary!, path, ...options], { stdout: "ignore", stderr: "ignore" });
    children.push(child);
    return { port, child };
  };
  const primary = start(['save ""']);
  await until(async () => (await roleOf(primary.port)) === "master");
  const replica = start(['save ""', `replicaof ${HOST} ${primary.port}`]);
  const watching = [
    `sentinel monitor limits ${HOST} ${primary.port} 2`,
    "sentinel down-after-milliseconds limits 500",
    "sentinel failover-timeout limits 5000",
  ];
  const sentinels = Array.from({ length: SENTINELS }, () => start(watching, "--sentinel").port);
  for (const port of sentinels)
    await until(
      async () => (await known(port, "sentinels")) === SENTINELS - 1 && (await known(port, "replicas")) === 1,
    );
  return {
    url: `redis+sentinel://${sentinels.map((port) => `${HOST}:${port}`).join(",")}/limits`,
    primary,
    replica,
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(children.map(({ exited }) => exited));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask<T>(port: number, question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis({
    host: HOST,
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

/** Null while it cannot be reached. */
const roleOf = (port: number) =>
  ask(port, async (redis) => ((await redis.role()) as unknown[])[0] as string).catch(() => null);
const known = (port: number, what: "sentinels" | "replicas") =>
  ask(port, async (redis) => ((await redis.call("sentinel", what, "limits")) as unknown[]).length).catch(
    () => null,
  );

/** By its log: the store of limits answered after each outage. */
function countsTogether({ complained }: { complained: () => string }): boolean {
  const count = (event: string) => complained().split(`"${event}"`).length;
  return count("limit_store_available") >= count("limit_store_unavailable");
}

afterAll(() => database?.[Symbol.asyncDispose]());

test.skipIf(database === null)(
  `limits follow the primary that sentinels name${database ? "" : " (skipped: no redis-server or no PostgreSQL)"}`,
  async () => {
    await database!.empty();
    await using group = await openRedisGroup();
    using cli = openCli();
    const shared = { DATABASE_URL: database!.url, REDIS_URL: group.url };
    const nodes = [await cli.serve(shared), await cli.serve(shared)];
    const organizationId = await lift(cli, shared);
    const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
    let turn = 0;
    const load = startLoad(() => nodes[turn++ % 2]!.url, key);
    const more = async (count: number) => {
      const enough = load.delivered.length + count;
      await until(async () => load.delivered.length >= enough);
    };
    await more(50);
    expect(await ask(group.primary.port, (redis) => redis.keys("loquat:*:requests"))).toHaveLength(1);
    group.primary.child.kill("SIGKILL");
    await until(async () => (await roleOf(group.replica.port)) === "master");
    await more(50);
    await until(() => nodes.every(countsTogether));
    await load.stop();
    expect([...load.statuses.keys()]).toEqual(["200"]);

    const urls = nodes.map(({ url }) => url);
    await takes(LOAN_MS); // points that a node held when the primary ended are lent until then
    await expectExactLimit(cli, { organizationId, key, urls, environment: shared });
    await Promise.all(nodes.map((node) => node.stop()));
    const { code, out } = await cli.run(["ledger", "verify"], shared);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("add up") });
  },
  MINUTES_MS,
);
