/** What alerts of a low balance must do on every database: go off once, by what lowers it, and again only once it was above. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openAccounts } from "../../../src/accounts/accounts.ts";
import type { AlertLetter } from "../../../src/alerts/alert-mail.ts";
import { handleBalanceAlerts } from "../../../src/alerts/balance-work.ts";
import { openWorkRows } from "../../../src/db/queries/work-rows.ts";
import type { Charge } from "../../../src/ledger/booking/burn-down.ts";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { openLog } from "../../../src/log/log.ts";
import { openWork } from "../../../src/work/work-queue.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, grantOf, requestFor } from "../ledger/charges.ts";
import { type AlertFixture, SIGNATURES } from "./alert-setting.ts";

const DOLLAR = 1_000_000;
const START = Date.UTC(2026, 10, 28, 12);
const DAY = 86_400;
let sequence = 0;

export function balanceAlertContract(name: string, prepare: () => Promise<AlertFixture>) {
  describe(`alerts of a low balance, ${name}`, () => {
    let fixture: AlertFixture;
    let node: Awaited<ReturnType<AlertFixture["open"]>>;
    let ledger: Ledger;
    let clock = heldClock(START);
    let org: string;
    beforeEach(async () => {
      clock = heldClock(START);
      fixture = await prepare();
      node = await fixture.open();
      ledger = openLedger(node.store, clock);
      org = (await openAccounts(node.database, clock).createOrganization("Acme")).id;
      await give(10);
      await ledger.setBalanceAlert(org, 5 * DOLLAR);
    });
    afterEach(async () => {
      await ledger[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const now = () => Math.floor(clock.now() / 1000);
    const give = (dollars: number, expiresAt: number | null = null) => {
      const id = `grant_${++sequence}`;
      const of = { id, organizationId: org, amountMicros: dollars * DOLLAR, createdAt: now(), expiresAt };
      return ledger.grant(grantOf({ ...of, kind: "adjustment" }));
    };
    const chargeFor = (dollars: number, parts: Partial<Charge> = {}): Charge =>
      chargeOf({
        ...{ organizationId: org, costMicros: Math.round(dollars * DOLLAR), createdAt: now() },
        ...parts,
      });
    async function spend(dollars: number, parts: Partial<Charge> = {}, on = ledger): Promise<Charge> {
      const charge = chargeFor(dollars, parts);
      await on.charge(charge, requestFor(charge));
      return charge;
    }
    const told = async () => {
      const rows = await node.database.query.select().from(node.database.tables.work);
      return rows
        .filter(({ kind }) => kind === "balance_alert")
        .map(({ payload }) => JSON.parse(payload) as { balanceMicros: number; thresholdMicros: number })
        .map(({ balanceMicros }) => balanceMicros / DOLLAR)
        .toSorted((one, other) => one - other);
    };

    test("it goes off with the charge that takes the balance below the amount, once", async () => {
      await spend(5);
      expect(await told()).toEqual([]);
      await spend(0.5);
      expect(await told()).toEqual([4.5]);
      await spend(1);
      await spend(20);
      expect(await told()).toEqual([4.5]);
      expect(differencesOf(await ledger.audit())).toEqual([]);
    });

    test("it is off unless it is set, and can be taken back", async () => {
      expect((await ledger.credit(org)).balanceAlertMicros).toBe(5 * DOLLAR);
      await ledger.setBalanceAlert(org, null);
      await spend(9);
      expect(await told()).toEqual([]);
      expect((await ledger.credit(org)).balanceAlertMicros).toBeNull();
    });

    test("it goes off again only once the balance was not below in between", async () => {
      await spend(6);
      await give(0.5);
      await spend(1);
      expect(await told()).toEqual([4]);
      await give(10);
      await spend(10);
      expect(await told()).toEqual([3.5, 4]);
    });

    test.each(["refund", "void"] as const)(
      "a %s lifts the balance, so that it goes off again",
      async (kind) => {
        const { id: chargeId, organizationId, requestId, ...rest } = await spend(6);
        const part = { chargeId, organizationId, requestId, quantity: 1, costMicros: 3 * DOLLAR };
        if (kind === "refund") await ledger.refund(part);
        else await ledger.cancel({ id: chargeId, organizationId, requestId, ...rest });
        await spend(kind === "refund" ? 2.5 : 5.5);
        expect(await told()).toEqual([4, 4.5]);
      },
    );

    test("what was below when it was set is told with the next charge, and what expired counts no more", async () => {
      await spend(6);
      await ledger.setBalanceAlert(org, 8 * DOLLAR);
      expect(await told()).toEqual([4]);
      await give(10, now() + DAY);
      await spend(1);
      expect(await told()).toEqual([4]);
      clock.pass((DAY + 1) * 1000);
      await spend(1);
      expect(await told()).toEqual([3, 4]);
    });

    test("credit that is taken back sets it off, and charges of an unmetered plan do not", async () => {
      await spend(100, { plan: "unmetered" });
      expect(await told()).toEqual([]);
      const [grant] = await ledger.grants(org);
      const of = { id: `rev_${++sequence}`, organizationId: org, grantId: grant!.id, createdAt: now() };
      await ledger.correct({ ...of, amountMicros: 7 * DOLLAR, reason: "twice", overdraft: false });
      expect(await told()).toEqual([3]);
    });

    test("four nodes that charge at once set it off once", async () => {
      const nodes = await Promise.all([1, 2, 3, 4].map(() => fixture.open()));
      const ledgers = nodes.map(({ store }) => openLedger(store, clock));
      await Promise.all(ledgers.flatMap((each) => Array.from({ length: 20 }, () => spend(0.1, {}, each))));
      expect((await told()).length).toBe(1);
      for (const each of ledgers) await each[Symbol.asyncDispose]();
      for (const each of nodes) await each[Symbol.asyncDispose]();
    });

    describe("what is told", () => {
      const OWNERS = [
        { id: "user_a", email: "ada@example.com" },
        { id: "user_b", email: "bob@example.com" },
      ];
      const opened = (mails: [string, AlertLetter][]) => {
        const log = openLog("debug", () => {});
        const running = openWork({ rows: openWorkRows(node.database), node: "node", clock, log });
        handleBalanceAlerts({
          ...{ database: node.database, ledger, work: running, clock, log, signatures: SIGNATURES },
          owners: async () => OWNERS,
          async send(to, letter) {
            mails.push([to, letter]);
            return "sent";
          },
        });
        return running;
      };
      const events = async () => {
        const rows = await node.database.query.select().from(node.database.tables.event);
        return rows.filter(({ type }) => type === "balance.low").map(({ data }) => JSON.parse(data));
      };

      test("owners get a mail with what is left, and webhooks one event", async () => {
        await spend(6);
        const mails: [string, AlertLetter][] = [];
        await using running = opened(mails);
        await running.run();
        expect(mails.map(([to]) => to).toSorted()).toEqual(OWNERS.map(({ email }) => email));
        expect(mails[0]![1]).toMatchObject({ subject: "Balance alert: $4.00 left", page: "billing" });
        expect(mails[0]![1].lines[0]).toBe(
          "Your organization has $4.00 of credit left. The alert was set at $5.00.",
        );
        expect(await events()).toEqual([{ balance_micros: 4 * DOLLAR, threshold_micros: 5 * DOLLAR }]);
      });

      test("no mail is sent where the balance is above again by then", async () => {
        await spend(6);
        await give(5);
        const mails: [string, AlertLetter][] = [];
        await using running = opened(mails);
        await running.run();
        expect([mails, (await events()).length]).toEqual([[], 1]);
      });
    });
  });
}
