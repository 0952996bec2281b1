/** Promise: a deletion whose process is killed at any step is completed by the next one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Fixture, openFixture } from "../api/management/server-fixture.ts";
import { STORES } from "../api/management/stores.ts";
import { bundled } from "../bundled.ts";
import { deleteDue, type Orders } from "./killed-process.ts";
import { leftOf, openWholeTenant } from "./whole-tenant.ts";

const PROCESS = await bundled(join(import.meta.dir, "killed-process.ts"));
const LEASE_MS = 30_000;

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    fixture.parts.work.drain(); // the server leaves the work to the other process
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const due = () => ({
    environment: { ...store.environment, LOQUAT_DATA: fixture.parts.config.data.folder },
    nowMs: fixture.clock.now(),
  });
  /** Returns the signal that ended the process. */
  async function runKilled(before: number): Promise<unknown> {
    const orders: Orders = { ...due(), before };
    const child = Bun.spawn([process.execPath, PROCESS, JSON.stringify(orders)], { stderr: "inherit" });
    await child.exited;
    return child.signalCode;
  }

  test.each([1, 2, 4, 7, 10, 15, 20, 26, 32, 40])("killed before write %d", async (before) => {
    const tenant = await openWholeTenant(fixture, `Killed${before}x`);
    await fixture.parts.accounts.scheduleDeletion(tenant.organization, 0);
    expect(await runKilled(before)).toBe("SIGKILL");
    expect((await leftOf(fixture, tenant)).length).toBeGreaterThan(0);
    fixture.clock.pass(LEASE_MS);
    await deleteDue(due());
    expect(await leftOf(fixture, tenant)).toEqual([]);
    const { status } = (await fixture.parts.accounts.organization(tenant.organization))!;
    expect(status).toBe("deleted");
  });
});
