/** What owners are told of auto-recharge on every database: each transition once, whatever the mail server does. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type BillingCluster, OWNERS } from "../../billing/billing-cluster.ts";
import { until } from "../../until.ts";

const MINUTE_MS = 60_000;
const DECLINED = "A payment for auto-recharge was declined";
const SWITCHED_OFF = "Auto-recharge was switched off";

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
    const sent = () => cluster.node.mails.map(({ to, subject }) => [to, subject]);
    const toAll = (...subjects: string[]) =>
      subjects.flatMap((subject) => OWNERS.map((to): [string, string] => [to, subject]));

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
      expect(await account()).toMatchObject({ notice: null, rechargeEnabled: false });
    });

    test("a new series of declines is told again", async () => {
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      await cluster.recharge("authentication");
      await failures(1);
      await until(async () => (await account()).notice !== null);
      await sweep();
      expect(sent()).toEqual(toAll(DECLINED, DECLINED));
      expect(cluster.node.mails.at(-1)!.text).toContain("the bank wants the cardholder to confirm");
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
      expect(await account()).toMatchObject({
        notice: "declined",
        noticeAttempts: 1,
        noticeSentTo: "user_0",
      });
      node.refused.clear();
      clock.pass(MINUTE_MS);
      await sweep();
      await sweep();
      expect(sent()).toEqual(toAll(DECLINED));
      expect(await account()).toMatchObject({ notice: null });
      expect(node.logged.filter((line) => line.includes("notice_failed")).length).toBe(1);
      expect(node.logged.join()).not.toMatch(/@example\.com/);
    });

    test("a mail that is never taken is given up after 12 attempts", async () => {
      const { node } = cluster;
      for (const owner of OWNERS) node.refused.add(owner);
      await cluster.recharge();
      await until(async () => (await cluster.left()) === 20);
      cluster.stripe.refund(cluster.stripe.all("payment_intent")[0]!.id);
      await cluster.stripe.settled();
      await sweep();
      for (let attempt = 1; attempt <= 15; attempt++) await later(181);
      expect(node.logged.filter((line) => line.includes("notice_failed")).length).toBe(11);
      expect(node.logged.filter((line) => line.includes("notice_given_up")).length).toBe(1);
      expect(await account()).toMatchObject({ notice: null, noticeAttempts: 0 });
    });

    test("an owner whose address the mail server refuses for good is tried once, and the other is told", async () => {
      const { node } = cluster;
      node.unknown.add(OWNERS[1]!);
      await cluster.recharge("declinedLater");
      await failures(1);
      await sweep();
      expect(sent()).toEqual([[OWNERS[0]!, DECLINED]]);
      expect(await account()).toMatchObject({ notice: null });
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
      node.refused.clear();
      await later();
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
      const { node, organizationId, clock } = cluster;
      await cluster.recharge("declinedLater");
      await failures(1);
      const { billingAccount } = node.database.tables;
      const leaseEnd = Math.floor(clock.now() / 1000) + 300;
      await node.database.query.update(billingAccount).set({ noticeAttempts: 1, noticeNotBefore: leaseEnd });
      await later(4);
      expect(sent()).toEqual([]);
      await later(2);
      expect(sent()).toEqual(toAll(DECLINED));
      expect(await node.billing.account(organizationId)).toMatchObject({ notice: null });
    });
  });
}

/** As in Stripe's own pages. */
async function detachedAtStripe({ stripe }: BillingCluster, cardId: string): Promise<void> {
  const path = `${stripe.url}/v1/payment_methods/${cardId}/detach`;
  const headers = { authorization: `Bearer ${stripe.key}` };
  await fetch(path, { method: "POST", headers });
  await stripe.settled();
}
