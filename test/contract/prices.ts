/** What prices must do on every database: those that were set are kept, checked, followed by every node, and leave events. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openAudit } from "../../src/audit/audit-events.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Database } from "../../src/db/database.ts";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import type { PriceList } from "../../src/models/live-catalogue.ts";
import { readManifests } from "../../src/models/manifest.ts";
import { openPriceAdmin } from "../../src/models/price-admin.ts";
import { openPrices } from "../../src/server/live-prices.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const { folder } = readConfig({}).models;
const catalogue = buildCatalogue(readManifests(folder), (engine) => ["flite", "sphinx"].includes(engine));

export function priceContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, prices`, () => {
    const clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    let fixture: AccountFixture;
    let database: Database;
    let list: PriceList;
    beforeEach(async () => {
      fixture = await prepare();
      database = await fixture.open();
      list = await node();
    });
    afterEach(async () => {
      await database[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const node = () => openPrices({ database, audit: openAudit(database, clock) });
    const admin = () => openPriceAdmin({ list, catalogue, clock });
    const asked = { model: "svc-tts1", micros: 9_000_000, backgroundMicros: null, validFrom: null };
    const events = async () =>
      (await database.query.select().from(database.tables.auditEvent)).map(
        ({ type, resourceId, organizationId }) => [type, resourceId, organizationId],
      );

    test("a price is in force at once, at the next start, and on other nodes once they look", async () => {
      const other = await node();
      const before = other.current();
      const set = await admin().set(asked);
      expect(set).toMatchObject({ validFrom: now(), createdAt: now(), micros: 9_000_000 });
      expect(list.current()).toEqual([set]);
      expect(other.current()).toBe(before);
      await other.refresh();
      expect(other.current()).toEqual([set]);
      const read = other.current();
      await other.refresh();
      expect(other.current()).toBe(read);
      expect((await node()).current()).toEqual([set]);
    });

    test("another price from the same second on replaces it, a later one does not", async () => {
      await admin().set(asked);
      const replaced = await admin().set({ ...asked, micros: 1, backgroundMicros: 2 });
      const later = await admin().set({ ...asked, validFrom: now() + 60 });
      expect(list.current()).toEqual([replaced, later]);
      expect(await admin().remove(later)).toBe(true);
      expect(await admin().remove(later)).toBe(false);
      expect(list.current()).toEqual([replaced]);
      expect(await events()).toEqual([
        ["price.updated", "svc-tts1", null],
        ["price.updated", "svc-tts1", null],
        ["price.updated", "svc-tts1", null],
        ["price.deleted", "svc-tts1", null],
      ]);
    });

    test.each<[what: string, fields: object, field: string]>([
      ["a model that the catalogue does not have", { model: "svc-tts99" }, "model"],
      ["a negative price", { micros: -1 }, "unit_price_micros"],
      ["half a micro", { micros: 0.5 }, "unit_price_micros"],
      ["a price above $10,000", { micros: 10_000_000_001 }, "unit_price_micros"],
      ["a negative price in the background", { backgroundMicros: -1 }, "background_unit_price_micros"],
      ["a price of the past", { validFrom: 1 }, "valid_from"],
      ["a price after more than a year", { validFrom: 99_999_999_999 }, "valid_from"],
    ])("refuses %s, and stores nothing", async (_what, fields, field) => {
      expect(admin().set({ ...asked, ...fields })).rejects.toMatchObject({
        details: [expect.objectContaining({ field })],
      });
      expect((await node()).current()).toEqual([]);
      expect(await events()).toEqual([]);
    });
  });
}
