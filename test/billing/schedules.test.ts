/** Promise: a card is never charged for a refund, nor twice for one cause, in any order of events. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { readConfig } from "../../src/config/config.ts";
import type { SqliteDatabase } from "../../src/db/open-sqlite.ts";
import { openStorage } from "../../src/server/storage.ts";
import { FUZZ_TIMEOUT_MS, fuzz } from "../fuzz/random.ts";
import { heldClock } from "../harness.ts";
import { openSchedule } from "./schedule.ts";
import type { Fixture } from "./watch.ts";

let folder: string;
let fixture: Fixture;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-schedules-"));
  const clock = heldClock();
  const storage = await openStorage(readConfig({ LOQUAT_DATA: folder }), { clock });
  (storage.database as SqliteDatabase).sqlite.run(sql`pragma synchronous = off`); // there is no power failure here
  const { id: organizationId } = await storage.accounts.createOrganization("Acme");
  fixture = { storage, organizationId, clock };
});
afterAll(async () => {
  await fixture.storage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test(
  "no card is charged twice in random orders of spending, purchases, refunds, disputes, webhooks, reconcile jobs, page visits and crashes",
  async () => {
    const count = await fuzz(async (chance) => {
      const schedule = await openSchedule(fixture, chance);
      await schedule.switchOn();
      for (let left = 6 + chance.below(12); left > 0; left--) {
        await schedule.deeds[chance.pick(Object.keys(schedule.deeds))]!();
        await schedule.steps(chance.below(20));
      }
      await schedule.settle();
      expect(await schedule.check()).toEqual([]);
    });
    expect(count).toBeGreaterThan(0);
  },
  FUZZ_TIMEOUT_MS,
);
