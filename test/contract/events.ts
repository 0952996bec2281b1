/** What events must do on every database: they are written with their cause or not at all, and deleted in bounded batches. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../../src/db/database.ts";
import { openEventRows, raisedBy } from "../../src/db/queries/event-rows.ts";
import { openRaising } from "../../src/events/raising.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

export function eventContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`events, ${store}`, () => {
    let fixture: AccountFixture;
    let database: Database;
    const clock = heldClock();
    const raise = openRaising(clock, [
      ({ id }) => [{ id: `${id}_call`, kind: "call", dueMs: clock.now(), payload: "{}" }],
    ]);
    const failed = (data = {}) => raise({ type: "payment.failed", organizationId: "org_1", data });
    beforeEach(async () => {
      fixture = await prepare();
      database = await fixture.open();
      const named = { id: "org_1", name: "Acme", status: "active" as const, createdAt: 1 };
      await database.query.insert(database.tables.organization).values(named);
    });
    afterEach(async () => {
      await database[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const events = () => database.query.select().from(database.tables.event);
    const work = () => database.query.select().from(database.tables.work);
    const renaming = (from: string) => {
      const { organization } = database.tables;
      return database.query.update(organization).set({ name: "Other" }).where(eq(organization.name, from));
    };

    test("an event and its work are written where their cause changes a row, once", async () => {
      const raised = failed({ top_up_id: "topup_1" });
      const attempt = () => database.ifChanged(renaming("Acme"), raisedBy(database, raised));
      expect([await attempt(), await attempt()]).toEqual([true, false]);
      expect(await events()).toEqual([raised.event]);
      expect(raised.event).toMatchObject({ projectId: null, data: '{"top_up_id":"topup_1"}' });
      expect((await work()).map(({ id }) => id)).toEqual([`${raised.event.id}_call`]);
    });

    test("an event may depend on what its cause left", async () => {
      const isNamed = (name: string) => sql`exists (select 1 from organization where name = ${name})`;
      const [raised, other] = [failed(), failed()];
      await database.ifChanged(renaming("Acme"), [
        ...raisedBy(database, raised, isNamed("Other")),
        ...raisedBy(database, other, isNamed("Acme")),
      ]);
      expect(await events()).toEqual([raised.event]);
      expect((await work()).length).toBe(1);
    });

    test("neither cause nor event is written where one of them fails", async () => {
      const raised = failed();
      const twice = [...raisedBy(database, raised), ...raisedBy(database, raised)];
      await expect(database.ifChanged(renaming("Acme"), twice)).rejects.toThrow();
      expect([await events(), await work()]).toEqual([[], []]);
      expect(await database.ifChanged(renaming("Acme"), [])).toBe(true);
    });

    test("old events are deleted a thousand at a time, the oldest first", async () => {
      const { query, tables } = database;
      const { event } = failed();
      const all = Array.from({ length: 1500 }, (_, at) => ({ ...event, id: `evt_${at}`, createdAt: at }));
      for (let from = 0; from < all.length; from += 500)
        await query.insert(tables.event).values(all.slice(from, from + 500));
      const { forget } = openEventRows(database);
      expect(await forget(1400)).toBe(true);
      expect((await events()).map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)[0]).toBe(1000);
      expect(await forget(1400)).toBe(false);
      expect((await events()).length).toBe(100);
    });

    test("data beyond 4 KB is refused", () => {
      expect(() => failed({ text: "x".repeat(4096) })).toThrow("too long");
    });
  });
}
