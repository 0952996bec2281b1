/** Promise: probes are public; their details and the metrics are limited to this machine and private networks. */
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { neverShutDown } from "../../../src/api/middleware/shutdown.ts";
import { errorOf, openHarness } from "../../harness.ts";

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

test("private networks get readiness details and metrics, behind a proxy too", async () => {
  await using harness = await openHarness({ environment: { LOQUAT_PROXIES: "127.0.0.1" } });
  for (const address of ["10.1.2.3", "172.20.0.1", "192.168.1.9", "::1", "fd00::7"]) {
    expect((await harness.ask("/metrics", from(address))).status).toBe(200);
    const readiness = await (await harness.ask("/readyz", from(address))).json();
    expect(readiness).toMatchObject({ status: "ready", database: true, closing: false });
  }
  for (const address of ["203.0.113.7", "172.32.0.1", "2001:db8::1"]) {
    expect(await errorOf(await harness.ask("/metrics", from(address)))).toMatchObject({ status: 404 });
    const response = await harness.ask("/readyz", from(address));
    expect([response.status, await response.json()]).toEqual([200, { status: "ready", reasons: [] }]);
  }
});

test("a client behind an unknown proxy gets no details", async () => {
  await using harness = await openHarness();
  expect((await harness.ask("/metrics")).status).toBe(200);
  expect((await harness.ask("/metrics", from("127.0.0.1"))).status).toBe(404);
  expect(await (await harness.ask("/readyz", from("10.0.0.1"))).json()).toEqual({
    status: "ready",
    reasons: [],
  });
});

test("a server with a read-only data folder is not ready", async () => {
  await using harness = await openHarness();
  expect((await harness.ask("/readyz")).status).toBe(200);
  rmSync(harness.parts.config.data.folder, { recursive: true });
  harness.clock.pass(1000);
  const response = await harness.ask("/readyz");
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    status: "not_ready",
    reasons: ["database_unavailable"],
    database: false,
  });
});

test("the database is checked at most once per second", async () => {
  let looked = 0;
  await using harness = await openHarness();
  const { accounts } = harness.parts;
  const { answers } = accounts;
  accounts.answers = () => {
    looked++;
    return answers();
  };
  await Promise.all(Array.from({ length: 20 }, () => harness.ask("/readyz")));
  expect(looked).toBe(1);
  harness.clock.pass(1000);
  await harness.ask("/readyz");
  expect(looked).toBe(2);
});

test("a probe that was asked before the server drained is answered on a connection that closes", async () => {
  const draining = new AbortController();
  await using harness = await openHarness({ shutdown: neverShutDown({ draining: draining.signal }) });
  const { accounts } = harness.parts;
  accounts.answers = async () => {
    draining.abort();
    return true;
  };
  const response = await harness.ask("/readyz");
  expect([response.status, response.headers.get("connection")]).toEqual([503, "close"]);
  expect(await response.json()).toMatchObject({ reasons: ["draining"] });
});
