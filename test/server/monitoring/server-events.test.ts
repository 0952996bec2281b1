/** Promise: packages and upstreams raise what has become of them, once for what was asked and once for each change. */
import { expect, test } from "bun:test";
import { raisingPackages, watchUpstreams } from "../../../src/server/monitoring/server-events.ts";
import type { ServerStatus } from "../../../src/upstreams/upstream.ts";
import { openHarness } from "../../harness.ts";
import { until } from "../../until.ts";

test("packages and upstreams are told once by several nodes", async () => {
  await using harness = await openHarness();
  const { database, clock, log } = harness.parts;
  const told = async () =>
    (await database.query.select().from(database.tables.event))
      .filter(({ organizationId }) => organizationId === null)
      .map(({ type, data }) => `${type} ${data}`)
      .toSorted();
  const asked = { name: "kitten-nano", version: "1", variant: null, askedMs: 1_795_000_000_000 };
  for (const raise of [1, 2].map(() => raisingPackages({ database, clock, log }))) {
    raise("package.failed", asked);
    raise("package.installed", asked);
  }
  const data = JSON.stringify({ package: "kitten-nano", version: "1", variant: null });
  const packages = [`package.failed ${data}`, `package.installed ${data}`];
  await until(async () => (await told()).length === packages.length);

  let state: Pick<ServerStatus, "state" | "succeeded"> = { state: "up", succeeded: 1 };
  const set = { list: () => [{ definition: { name: "far" } }] } as never;
  const servers = () => [state as ServerStatus];
  await using _one = watchUpstreams({ set, servers }, { database, clock, log });
  await using _other = watchUpstreams({ set, servers }, { database, clock, log });
  state = { state: "out", succeeded: 1 };
  const far = JSON.stringify({ upstream: "far" });
  await until(async () => (await told()).includes(`upstream.out ${far}`));
  harness.clock.pass(1000);
  state = { state: "up", succeeded: 2 };
  await until(async () => (await told()).includes(`upstream.up ${far}`));
  expect(await told()).toEqual([...packages, `upstream.out ${far}`, `upstream.up ${far}`]);
});
