/** What every ledger store tells of all organizations by month: it is what the statements and the checked sums say. */
import { describe, expect, test } from "bun:test";
import { openAccounts } from "../../../src/accounts/accounts.ts";
import type { Database } from "../../../src/db/database.ts";
import type { NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import { openLedger } from "../../../src/ledger/ledger.ts";
import { totalOf } from "../../../src/ledger/statement.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { heldClock } from "../../harness.ts";
import { randomOf } from "../../ledger/simulation/workload.ts";
import type { AlertFixture } from "../alerts/alert-setting.ts";
import { chargeOf, grantOf, requestFor } from "./charges.ts";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 5);

type Prepare = () => Promise<AlertFixture>;

async function opened(prepare: Prepare) {
  const clock = heldClock(START);
  const fixture = await prepare();
  const node = await fixture.open();
  const ledger = openLedger(node.store, clock);
  const accounts = openAccounts(node.database, clock);
  let ids = 0;
  const now = () => Math.floor(clock.now() / 1000);
  return {
    ...{ clock, ledger, now, database: node.database as Database },
    newOrganization: async (name: string) => (await accounts.createOrganization(name)).id,
    give: (organizationId: string, amountMicros: number, parts: Partial<NewGrant> = {}) =>
      ledger.grant(
        grantOf({ id: `grant_${++ids}`, organizationId, amountMicros, createdAt: now(), ...parts }),
      ),
    async spend(organizationId: string, costMicros: number, plan: "prepaid" | "unmetered" = "prepaid") {
      const charge = chargeOf({ id: `req_${++ids}.0`, organizationId, costMicros, plan, createdAt: now() });
      await ledger.charge(charge, requestFor(charge));
      return charge;
    },
    reversed: (organizationId: string, grantId: string, amountMicros: number) =>
      ledger.reverse({
        ...{ id: `rev_${++ids}`, kind: "refund", organizationId, grantId, amountMicros, createdAt: now() },
      }),
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

export function businessContract(name: string, prepare: Prepare) {
  describe(`business, ${name}`, () => {
    test("months have what was bought, refunded, given, lost, used and taxed", async () => {
      await using on = await opened(prepare);
      const [one, other] = [await on.newOrganization("One"), await on.newOrganization("Other")];
      const bought = await on.give(one, 100);
      await on.give(other, 50, { kind: "voucher", expiresAt: on.now() + 40 * 86_400 });
      const { topUp } = on.database.tables;
      await on.database.query.insert(topUp).values({
        ...{ id: "topup_1", organizationId: one, kind: "top_up", status: "succeeded", amountMicros: 100 },
        ...{ taxMicros: 19, refundedMicros: 0, createdAt: on.now(), settledAt: on.now() },
      });
      await on.spend(one, 20);
      await on.spend(other, 7, "unmetered");
      on.clock.pass(45 * DAY_MS);
      const { id: grantId } = (await on.ledger.grants(one))[0]!;
      await on.reversed(one, grantId, 30);
      await on.spend(one, 5);
      expect(bought).toBeDefined();
      const { months, most, end, comparedUntil } = await on.ledger.business(202602);
      expect(months.length).toBe(12);
      expect(months.slice(-3)).toMatchObject([
        { month: 202512, income: 0, used: 0 },
        {
          month: 202601,
          income: 100,
          bought: 100,
          refunded: 0,
          given: 50,
          tax: 19,
          used: 20,
          cost: 27,
          expired: 0,
        },
        {
          month: 202602,
          income: -30,
          bought: 0,
          refunded: 30,
          given: 0,
          tax: 0,
          used: 5,
          cost: 5,
          expired: 50,
        },
      ]);
      expect(most).toEqual([{ organizationId: one, usedMicros: 5, costMicros: 5, beforeMicros: 20 }]);
      const of = { model: expect.any(String), requests: 1, tokens: 0 };
      const { start, ...day } = (await on.ledger.business(202602)).load[0]!;
      expect(day).toMatchObject(of);
      expect(start % 86_400).toBe(0);
      expect(end).toBe(on.now() + 1);
      expect(comparedUntil).toBe(Date.UTC(2026, 0, 20) / 1000);
      expect((await on.ledger.business(202601)).most.map(({ costMicros }) => costMicros)).toEqual([20, 7]);
    });

    test("the twenty that used most are told, most first", async () => {
      await using on = await opened(prepare);
      for (let each = 1; each <= 22; each++) {
        const id = await on.newOrganization(`Number ${each}`);
        await on.spend(id, each, each % 2 ? "unmetered" : "prepaid");
      }
      const { most } = await on.ledger.business(202601);
      expect(most.map(({ costMicros }) => costMicros)).toEqual(
        Array.from({ length: 20 }, (_, rank) => 22 - rank),
      );
    });

    test("random months agree with the statements, and with the sums that ledger verify checks", async () => {
      for (const seed of [1, 2, 3, 4]) {
        await using on = await opened(prepare);
        const random = randomOf(seed);
        const organizations = [await on.newOrganization("A"), await on.newOrganization("B")];
        const charges: Awaited<ReturnType<typeof on.spend>>[] = [];
        for (let step = 0; step < 60; step++) {
          on.clock.pass(random.below(3 * DAY_MS));
          const owner = random.oneOf(organizations);
          if (random.chance(0.25)) {
            const kind = random.oneOf(["purchase", "adjustment"] as const);
            const expiresAt = random.chance(0.5) ? on.now() + random.below(50 * 86_400) : null;
            await on.give(owner, 1 + random.below(1000), { kind, expiresAt });
          } else if (random.chance(0.85)) {
            const plan = random.chance(0.2) ? "unmetered" : "prepaid";
            charges.push(await on.spend(owner, random.below(200), plan));
          } else if (charges.length > 0) await on.ledger.cancel(charges.pop()!);
        }
        const last = new Date(on.clock.now());
        const month = last.getUTCFullYear() * 100 + last.getUTCMonth() + 1;
        const { months } = await on.ledger.business(month);
        for (const { month: each, ...sums } of months) {
          const total = totalOf(await on.ledger.statements(each));
          const { bought, given, tax } = total;
          expect({ each, ...sums }).toMatchObject({
            ...{ each, bought, given, tax, expired: total.expired_bought + total.expired_given },
            used: total.used_bought + total.used_given + total.used_overdraft,
          });
        }
        expect(differencesOf(await on.ledger.audit())).toEqual([]);
        const { query, tables } = on.database;
        const rows = (await query.select().from(tables.usageTotal)).filter(({ period }) => period === "day");
        const cost = rows.reduce((sum, { costMicros }) => sum + costMicros, 0);
        expect(months.reduce((sum, month) => sum + month.cost, 0)).toBe(cost);
      }
    });
  });
}
