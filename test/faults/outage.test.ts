/** Promise: outages end without loss: meanwhile, limits are counted by each node, and billable routes answer 503. */
import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cli, openCli } from "../cli/process.ts";
import { until } from "../until.ts";
import { type Load, lift, startLoad } from "./load.ts";
import { openPostgres, openRedis } from "./server-fixture.ts";

setDefaultTimeout(240_000); // a busy machine takes its time for a hundred answers

const fixture = await openPostgres();
const redis = await openRedis();
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli[Symbol.dispose]());

const firstKey = () => readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
const countOf = ({ statuses }: Load, status: string) => statuses.get(status) ?? 0;

/** Until so many more of a status came. */
async function more(load: Load, status: string, count: number): Promise<void> {
  const enough = countOf(load, status) + count;
  while (countOf(load, status) < enough) await Bun.sleep(10); // the test's own time limit ends it
}

const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).text();

test.skipIf(!redis)(
  `no request fails while Redis hangs, is killed and restarts under load${redis ? "" : " (skipped: redis-server is not installed)"}`,
  async () => {
    const server = await cli.serve({ REDIS_URL: redis!.url });
    const organizationId = await lift(cli);
    const load = startLoad(() => server.url, firstKey());
    await more(load, "200", 20);
    redis!.signal("SIGSTOP");
    await more(load, "200", 20);
    redis!.signal("SIGCONT");
    await more(load, "200", 20);
    redis!.signal("SIGKILL");
    await more(load, "200", 20);
    await redis!.restart();
    await more(load, "200", 20);
    expect([...load.statuses.keys()]).toEqual(["200"]);
    expect(await metricsOf(server.url)).toMatch(/^loquat_limit_store_failures_total [1-9]/m);
    await cli.run(["org", "set-limits", organizationId, "--requests", "1"]);
    await more(load, "429", 5);
    await load.stop();
    expect(await server.stop()).toBe(0);
  },
);

test("a Redis that does not answer at the start is logged once, and requests are answered", async () => {
  const server = await cli.serve({ REDIS_URL: "redis://127.0.0.1:1", LOG_FORMAT: "json" });
  expect(
    server
      .complained()
      .split("\n")
      .filter((line) => line.includes('"limit_store_unavailable"')),
  ).toEqual([expect.stringContaining("ECONNREFUSED")]);
  const load = startLoad(() => server.url, firstKey(), 1);
  await more(load, "200", 3);
  await load.stop();
  expect(server.complained().split('"limit_store_unavailable"').length).toBe(2);
  expect(await server.stop()).toBe(0);
});

test.skipIf(!fixture)(
  `a PostgreSQL outage under load gives 503, then all works and nothing is lost${fixture ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)"}`,
  async () => {
    const environment = { DATABASE_URL: fixture!.url };
    const server = await cli.serve(environment);
    await lift(cli, environment);
    const load = startLoad(() => server.url, firstKey());
    for (let outage = 0; outage < 3; outage++) {
      await more(load, "200", 15);
      fixture!.proxy.shut();
      await more(load, "503", 4);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      fixture!.proxy.open();
    }
    await more(load, "200", 15);
    await load.stop();
    expect([...load.statuses.keys()].sort()).toEqual(["200", "503"]);
    expect(await server.stop()).toBe(0);
    const { code } = await cli.run(["ledger", "verify"], environment);
    expect(code).toBe(0);
    const events = (await fixture!.query("select request_id from usage_event")) as { request_id: string }[];
    const charged = events.map(({ request_id }) => request_id);
    expect(new Set(charged).size).toBe(charged.length);
    expect(load.delivered.filter((id) => !charged.includes(id))).toEqual([]);
  },
);

const mounts = process.getuid?.() === 0 && Bun.which("mount") !== null;
test.skipIf(!mounts)(
  `a full disk gives 503 and a log entry, and all works when there is room${mounts ? "" : " (skipped: needs to mount a small disk)"}`,
  async () => {
    const disk = join(cli.folder, "data");
    mkdirSync(disk);
    expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]).exitCode).toBe(0);
    try {
      const server = await cli.serve();
      await lift(cli);
      const load = startLoad(() => server.url, firstKey());
      await more(load, "200", 10);
      fill(join(disk, "filler"));
      await more(load, "503", 3);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      await until(() => server.complained().includes("disk_full")); // the disk is looked at once a second
      rmSync(join(disk, "filler"));
      await more(load, "200", 10);
      await load.stop();
      expect([...load.statuses.keys()].sort()).toEqual(["200", "503"]);
      await server.stop();
      expect((await cli.run(["ledger", "verify"])).code).toBe(0);
    } finally {
      Bun.spawnSync(["umount", "-l", disk]);
    }
  },
);

/** Takes every byte there is. */
function fill(path: string): void {
  for (let sizeBytes = 1 << 20; sizeBytes >= 1; sizeBytes >>= 1) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(sizeBytes), { flag: "a" });
    } catch {
      // no room for this much: try less
    }
  }
}
