/** What owners are told of auto-recharge on every database: each transition once, whatever the mail server does. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ne } from "drizzle-orm";
import { type BillingCluster, OWNERS } from "../../billing/billing-cluster.ts";
import { until } from "../../until.ts";

const MINUTE_MS = 60_000;
const DECLINED = "A payment for auto-recharge was declined";
const SWITCHED_OFF = "Auto-recharge was switched off";
const LOW = "The credit is almost used up";
const EXPIRES = "The card for auto-recharge expires soon";

export function ownerMailContract(store: string, prepare: () => Promise<BillingCluster>) {
  describe(`mail to owners, ${store}`, () => {
    let cluster: BillingCluster;
    beforeEach(async () => {
      cluster = await prepare();
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const account = () => cluster.node.billing.account(cluster.organizationId);
    const sweep = () => cluster.node.billing.sweep();
    /** Passes the time until the card is charged again. */
    const later = async (minutes = 15) => {
      cluster.clock.pass(minutes * MINUTE_MS);
      await sweep();
    };
    const failures = (count: number) => until(async () => (await account()).rechargeFailures === count);
    const work = () => cluster.node.database.query.select().from(cluster.node.database.tables.work);
    const stored = async () => JSON.stringify(await work());
    const raised = async () => {
      const { query, tables } = cluster.node.database;
      const others = ne(tables.event.type, "organization.created");
      const events = await query.select().from(tables.event).where(others).orderBy(tables.event.id);
      return events.map(({ type, data }): [string, object] => [type, JSON.parse(data)]);
    };
    const sent = () => cluster.node.mails.map(({ to, subject }) => [to, subject]).toSorted();
    /** In order, as the mails of one event leave at once. */
    const toAll = (...subjects: string[]) =>
      subjects.flatMap((subject) => OWNERS.map((to): [string, string] => [to, subject])).toSorted();

    test("each owner gets a mail at the first decline and one at the third, and no other", async () => {
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      expect(sent()).toEqual(toAll(DECLINED));
      const { text } = cluster.node.mails[0]!;
      expect(text).toContain(
        "could not charge $20.00 to the card visa ending in 0341: the payment was declined.",
      );
      expect(text).toContain("$0.00 of credit left");
      expect(await raised()).toEqual([
        ["payment.failed", expect.objectContaining({ amount_micros: 20_000_000 })],
      ]);
      await later();
      await failures(2);
      await sweep();
      expect(sent()).toEqual(toAll(DECLINED));
      await later();
      await failures(3);
      await sweep();
      expect(sent()).toEqual(toAll(DECLINED, SWITCHED_OFF));
      await cluster.stripe.settled();
      for (const event of cluster.stripe.events) await cluster.stripe.deliver(event); // what is told again is no news
      for (const event of cluster.stripe.events) await cluster.stripe.deliver(event);
      await later();
      expect(sent()).toEqual(toAll(DECLINED, SWITCHED_OFF));
      expect(await account()).toMatchObject({ notice: null, rechargeEnabled: false, lowBalanceDue: false });
      expect((await raised()).map(([type]) => type)).toEqual(["payment.failed", "auto_recharge.disabled"]);
      expect(await work()).toEqual([]);
    });

    test("a new series of declines is told again", async () => {
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      await cluster.recharge("authentication");
      await failures(1);
      await until(async () => (await raised()).length === 2);
      await sweep();
      expect(sent()).toEqual(toAll(DECLINED, DECLINED));
      const { text, confirm } = cluster.node.mails.at(-1)!;
      expect(text).toContain("the bank wants the cardholder to confirm");
      const page = cluster.stripe
        .all<{ id: string; object: string; created: number; mode: string }>("checkout.session")
        .find(({ id }) => confirm!.endsWith(id));
      expect(page).toMatchObject({ mode: "setup" }); // Stripe's page, on which the cardholder confirms a card
      expect(cluster.node.mails[0]!.confirm).toBeNull();
    });

    test("a low balance is told by no mail", async () => {
      await cluster.buy();
      cluster.stripe.pay(cluster.stripe.all("checkout.session").at(-1)!.id);
      await cluster.stripe.settled();
      await cluster.spend(19.5);
      await later();
      await cluster.spend(2);
      await later();
      expect(sent()).toEqual([]);
    });

    test("a mail that was not taken is tried again, with growing pauses, and to no other owner", async () => {
      const { node, clock } = cluster;
      node.refused.add(OWNERS[1]!);
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      expect(sent()).toEqual([[OWNERS[0]!, DECLINED]]);
      await sweep();
      expect(await work()).toMatchObject([{ kind: "owner_mail", attempts: 1 }]);
      expect(await stored()).not.toMatch(/@example\.com/);
      node.refused.clear();
      clock.pass(MINUTE_MS);
      await sweep();
      await sweep();
      expect(sent()).toEqual(toAll(DECLINED));
      expect(await work()).toEqual([]);
      expect(node.logged.filter((line) => line.includes("notice_failed")).length).toBe(1);
      expect(node.logged.join()).not.toMatch(/@example\.com/);
    });

    test("a mail that is never taken is given up after five attempts within a day", async () => {
      const { node } = cluster;
      for (const owner of OWNERS) node.refused.add(owner);
      await cluster.recharge();
      await until(async () => (await cluster.left()) === 20);
      cluster.stripe.refund(cluster.stripe.all("payment_intent")[0]!.id);
      await cluster.stripe.settled();
      await sweep();
      for (const minutes of [1, 15, 120, 1200, 1440]) await later(minutes);
      expect(node.logged.filter((line) => line.includes("notice_failed")).length).toBe(8); // of two owners
      expect(node.logged.filter((line) => line.includes("notice_given_up")).length).toBe(2);
      expect(await work()).toEqual([]);
    });

    test("an owner whose address the mail server refuses for good is tried once, and the other is told", async () => {
      const { node } = cluster;
      node.unknown.add(OWNERS[1]!);
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      expect(sent()).toEqual([[OWNERS[0]!, DECLINED]]);
      expect(await work()).toEqual([]);
      expect(node.logged.filter((line) => line.includes("notice_given_up")).length).toBe(1);
    });

    test("while the mail server is away, only the last of what happened is kept to be told", async () => {
      const { node } = cluster;
      for (const owner of OWNERS) node.refused.add(owner);
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      for (const count of [2, 3]) {
        await later();
        await failures(count);
      }
      await sweep();
      node.refused.clear();
      await later(120);
      expect(sent()).toEqual(toAll(SWITCHED_OFF));
      expect(node.mails[0]!.text).toContain("Three payments in a row were declined. The last one was $20.00");
    });

    test("a decline is not told once another payment succeeded or an owner changed the card", async () => {
      const { node } = cluster;
      for (const owner of OWNERS) node.refused.add(owner);
      await cluster.recharge("declinedLater");
      await failures(1);
      await cluster.recharge();
      await until(async () => (await cluster.left()) === 20);
      node.refused.clear();
      await later();
      expect(sent()).toEqual([]);
    });

    test("a card that vanishes at Stripe is told, one that an owner removes is not", async () => {
      await cluster.recharge();
      await until(async () => (await cluster.left()) === 20);
      await cluster.node.billing.forgetCard(cluster.organizationId);
      await cluster.stripe.settled();
      await later();
      expect(sent()).toEqual([]);
      await cluster.recharge();
      const { customerId } = await account();
      const cards = cluster.stripe.all<{ id: string; object: string; created: number; customer: unknown }>(
        "payment_method",
      );
      const card = cards.find(({ customer }) => customer === customerId)!;
      await detachedAtStripe(cluster, card.id);
      await later();
      expect(await account()).toMatchObject({ rechargeEnabled: false, paymentMethodId: null });
      expect(sent()).toEqual(toAll(SWITCHED_OFF));
    });

    test("of several nodes exactly one tells", async () => {
      const nodes = [cluster.node, await cluster.join(), await cluster.join()];
      const all = () => nodes.flatMap(({ mails }) => mails.map(({ to, subject }) => [to, subject]));
      await cluster.recharge("declinedLater");
      for (const count of [1, 2, 3]) {
        await failures(count);
        await Promise.all(nodes.flatMap(({ billing }) => [billing.sweep(), billing.sweep()]));
        cluster.clock.pass(15 * MINUTE_MS);
        if (count < 3) await sweep();
      }
      expect(all().toSorted()).toEqual(toAll(DECLINED, SWITCHED_OFF).toSorted());
    });

    test("what a killed node had claimed is told by another once its lease is over", async () => {
      const { node, clock } = cluster;
      for (const owner of OWNERS) node.refused.add(owner);
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      const { query, tables } = node.database;
      const leaseUntilMs = clock.now() + 5 * MINUTE_MS;
      await query.update(tables.work).set({ leaseNode: "killed", leaseUntilMs, dueMs: 0 });
      node.refused.clear();
      await later(4);
      expect(sent()).toEqual([]);
      await later(2);
      expect(sent()).toEqual(toAll(DECLINED));
    });

    test("what a node of an earlier version left to be told is told once its lease is over", async () => {
      const { node, clock } = cluster;
      await cluster.recharge();
      await until(async () => (await cluster.left()) === 20);
      const { query, tables } = node.database;
      const noticeNotBefore = Math.floor(clock.now() / 1000) + 60;
      const left = {
        rechargeEnabled: false,
        notice: "refunded" as const,
        noticeAttempts: 1,
        noticeNotBefore,
      };
      await query.update(tables.billingAccount).set(left);
      await sweep();
      expect(sent()).toEqual([]);
      await later(1);
      await later(1);
      expect(sent()).toEqual(toAll(SWITCHED_OFF));
      expect(await account()).toMatchObject({ notice: null, noticeAttempts: 0 });
    });

    test("after a switch-off by declines, owners are told once that less than a dollar is left", async () => {
      const { node } = cluster;
      await cluster.buy();
      cluster.stripe.pay(cluster.stripe.all("checkout.session").at(-1)!.id);
      await cluster.stripe.settled();
      await until(async () => (await cluster.left()) === 20);
      await cluster.recharge("declinedLater");
      await cluster.spend(17); // leaves three dollars
      for (const count of [1, 2, 3]) {
        await failures(count);
        await later();
      }
      expect(sent()).toEqual(toAll(DECLINED, SWITCHED_OFF));
      expect(node.mails[0]!.text).toContain(
        "$3.00 of credit left. It lasts about 1 day at the rate of the last 7 days.",
      );
      const lasts = /It lasts (about 1 day|less than a day)/;
      expect(node.mails.at(-1)!.text).toMatch(lasts);
      await cluster.spend(1.99);
      await later();
      expect(sent()).toEqual(toAll(DECLINED, SWITCHED_OFF));
      await cluster.spend(0.5);
      for (let turn = 0; turn < 3; turn++) await later();
      expect(sent()).toEqual(toAll(DECLINED, SWITCHED_OFF, LOW));
      expect(node.mails.at(-1)!.text).toContain("$0.51 of credit left");
    });

    test("owners are told once of a card that expires next month, and again of the next one", async () => {
      const day = new Date(cluster.clock.now());
      cluster.clock.pass(day.setUTCMonth(day.getUTCMonth() + 1, 15) - cluster.clock.now()); // mid-month
      await cluster.recharge();
      await until(async () => (await cluster.left()) === 20);
      const { query, tables } = cluster.node.database;
      const inMonths = (months: number) => {
        const date = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months));
        return { cardExpMonth: date.getUTCMonth() + 1, cardExpYear: date.getUTCFullYear() };
      };
      await query.update(tables.billingAccount).set(inMonths(2));
      await later();
      expect(sent()).toEqual([]);
      await query.update(tables.billingAccount).set(inMonths(1));
      for (let turn = 0; turn < 3; turn++) await later();
      expect(sent()).toEqual(toAll(EXPIRES));
      await query.update(tables.billingAccount).set(inMonths(0));
      for (let turn = 0; turn < 3; turn++) await later();
      expect(sent()).toEqual(toAll(EXPIRES, EXPIRES));
    });
  });
}

/** As in Stripe's own pages. */
async function detachedAtStripe({ stripe }: BillingCluster, cardId: string): Promise<void> {
  const path = `${stripe.url}/v1/payment_methods/${cardId}/detach`;
  await fetch(path, { method: "POST", headers: { authorization: `Bearer ${stripe.key}` } });
  await stripe.settled();
}
