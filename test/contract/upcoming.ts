/** What events of time must do on every database: what is granted and what expires is raised once, whichever node looks. */
import { beforeEach, describe, expect, test } from "bun:test";
import { asc } from "drizzle-orm";
import { openAccounts } from "../../src/accounts/accounts.ts";
import type { Database } from "../../src/db/database.ts";
import { openUpcoming } from "../../src/events/upcoming.ts";
import { openLog } from "../../src/log/log.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";
import { twoOrganizations } from "./two-organizations.ts";

const DAY_MS = 86_400_000;

export function upcomingContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`events of time, ${store}`, () => {
    const clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    let database: Database;
    let mine: string;
    twoOrganizations(prepare, clock, (two) => {
      ({ database, mine } = two);
    });
    let logged: string[];
    beforeEach(() => {
      logged = [];
    });
    const open = () => openUpcoming({ database, clock, log: openLog("debug", (line) => logged.push(line)) });

    async function grant(
      id: string,
      parts: { kind?: "purchase" | "adjustment"; leftMicros?: number; days?: number } = {},
    ) {
      const { kind = "adjustment", leftMicros = 5_000_000, days } = parts;
      await database.query.insert(database.tables.creditGrant).values({
        ...{ id, organizationId: mine, kind, amountMicros: 5_000_000, settledMicros: 0 },
        ...{ remainingMicros: leftMicros, createdAt: now(), topUpId: null, reason: null },
        expiresAt: days === undefined ? null : now() + days * 86_400,
      });
    }
    async function key(days: number): Promise<string> {
      const accounts = openAccounts(database, clock);
      const { id: projectId } = (await accounts.defaultProject(mine))!;
      const made = { projectId, name: "k", environment: "live", scopes: [] } as const;
      return (await accounts.createKey({ ...made, expiresAt: now() + days * 86_400 })).id;
    }
    const raised = async (type: string) => {
      const { event } = database.tables;
      const rows = await database.query.select().from(event).orderBy(asc(event.createdAt), asc(event.id));
      return rows.filter((row) => row.type === type).map(({ data }) => JSON.parse(data) as object);
    };

    test("credit that is granted is raised once, unless it was bought", async () => {
      await grant("grant_one");
      await grant("grant_bought", { kind: "purchase" });
      await using first = open();
      await using second = open();
      await Promise.all([first.run(), second.run()]);
      await first.run();
      expect(await raised("credit.granted")).toEqual([
        { id: "grant_one", kind: "adjustment", amount_micros: 5_000_000, expires_at: null },
      ]);
      await grant("grant_two");
      clock.pass(1000);
      await second.run();
      expect((await raised("credit.granted")).length).toBe(2);
      expect(logged).toEqual([]);
    });

    test("a price that changes is raised for each prepaid organization, 14 days before or when it is set", async () => {
      const accounts = openAccounts(database, clock);
      const { query, tables } = database;
      const organizations = (await accounts.listOrganizations()).filter(({ plan }) => plan === "prepaid");
      await accounts.setPriceFactor(mine, 20_000, null);
      const later = { backgroundMicros: null, createdAt: now() };
      await query.insert(tables.price).values([
        { ...later, model: "at-once", validFrom: now(), micros: 1 },
        { ...later, model: "soon", validFrom: now() + 5 * 86_400, micros: 10 },
        { ...later, model: "far", validFrom: now() + 16 * 86_400, micros: 100 },
      ]);
      await using upcoming = open();
      const told = async () =>
        Map.groupBy((await raised("price.changing")) as { model: string }[], ({ model }) => model);
      await upcoming.run();
      await upcoming.run();
      expect([...(await told()).keys()]).toEqual(["soon"]);
      expect((await told()).get("soon")).toHaveLength(organizations.length);
      clock.pass(DAY_MS);
      await upcoming.run();
      expect((await told()).has("far")).toBe(false);
      clock.pass(DAY_MS);
      await upcoming.run();
      await upcoming.run();
      expect((await told()).get("far")).toHaveLength(organizations.length);
      expect((await told()).get("far")).toContainEqual(
        expect.objectContaining({ unit_price_micros: 200, valid_from: later.createdAt + 16 * 86_400 }),
      );
      clock.pass(20 * DAY_MS);
      await upcoming.run();
      expect([...(await told()).keys()].sort()).toEqual(["far", "soon"]);
    });

    test("credit of a dollar or more that expires is raised 14 days and 3 days before", async () => {
      await grant("grant_soon", { days: 20 });
      await grant("grant_spent", { days: 20, leftMicros: 999_999 });
      await grant("grant_late", { days: 10 });
      await using upcoming = open();
      let firstDay: number | null = null;
      for (let day = 0; day <= 20; day++) {
        await upcoming.run();
        await upcoming.run();
        if ((await raised("credit.expiring")).length > 0) firstDay ??= day;
        clock.pass(DAY_MS);
      }
      expect(await raised("credit.expiring")).toMatchObject([
        { id: "grant_soon", days: 14, remaining_micros: 5_000_000 },
        { id: "grant_late", days: 3 },
        { id: "grant_soon", days: 3 },
      ]);
      expect(firstDay).toBe(6);
    });

    test("a key that expires is raised twice, a revoked one is not", async () => {
      const id = await key(20);
      const gone = await key(20);
      await openAccounts(database, clock).revokeKey(gone);
      await using upcoming = open();
      for (let day = 0; day <= 20; day++) {
        await upcoming.run();
        clock.pass(DAY_MS);
      }
      expect(await raised("api_key.expiring")).toMatchObject([
        { id, days: 14 },
        { id, days: 3 },
      ]);
    });

    test("what came while no node ran for half a day is raised", async () => {
      await grant("grant_soon", { days: 14.25 });
      clock.pass(DAY_MS / 2);
      await using upcoming = open();
      await upcoming.run();
      expect(await raised("credit.expiring")).toMatchObject([{ id: "grant_soon", days: 14 }]);
      expect((await raised("credit.granted")).length).toBe(1);
    });
  });
}
