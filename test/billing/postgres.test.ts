/** Promise: on PostgreSQL with several nodes, credit is bought, recharged and taken back exactly once. */
import { describe, expect, test } from "bun:test";
import { auditedPaymentsContract } from "../contract/billing/audited-payments.ts";
import { invoiceContract } from "../contract/billing/invoices.ts";
import { ownerMailContract } from "../contract/billing/owner-mail.ts";
import { rechargeContract } from "../contract/billing/recharge.ts";
import { reclaimContract } from "../contract/billing/reclaims.ts";
import { taxContract } from "../contract/billing/tax.ts";
import { topUpContract } from "../contract/billing/top-ups.ts";
import { voucherContract } from "../contract/billing/vouchers.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { until } from "../until.ts";
import { type BillingCluster, DOLLAR, openCluster } from "./billing-cluster.ts";
import { quietAccounts } from "./quiet-accounts.ts";
import { spend } from "./spending.ts";

async function prepare(settings: Record<string, string> = {}): Promise<BillingCluster> {
  const server = (await openPostgres())!;
  const cluster = await openCluster(server.url, settings);
  return {
    ...cluster,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const settled = async ({ node, organizationId }: BillingCluster, count: number) => {
  const all = await node.billing.topUps(organizationId);
  return all.length === count && all.every(({ status }) => status === "succeeded");
};

function otherNode() {
  test("notice within seconds that auto-recharge was switched on at another", async () => {
    await using cluster = await prepare();
    const other = await cluster.join();
    await other.billing.sweep(); // it has nobody to watch yet
    await cluster.recharge();
    await until(() => settled(cluster, 1));
    const { organizationId, clock } = cluster;
    const createdAt = Math.floor(clock.now() / 1000);
    await spend(other.ledger, { id: "req_there", organizationId, costMicros: 16 * DOLLAR, createdAt });
    await until(async () => {
      other.billing.charged(organizationId);
      return settled(cluster, 2);
    });
    expect(await cluster.left()).toBe(20);
  });
}

function severalNodes() {
  test("charge a card once when all see the balance fall", async () => {
    await using cluster = await prepare();
    await cluster.recharge();
    await until(() => settled(cluster, 1));
    const nodes = [cluster.node, await cluster.join(), await cluster.join()];
    await Promise.all(nodes.map(({ billing }) => billing.sweep())); // now they all know whom to watch
    for (let round = 2; round < 7; round++) {
      await cluster.spend(16);
      for (let turn = 0; turn < 10; turn++)
        for (const { billing } of nodes) billing.charged(cluster.organizationId);
      await until(() => settled(cluster, round));
      await Promise.all(nodes.map(({ billing }) => billing.sweep()));
      expect(cluster.stripe.all("payment_intent").length).toBe(round);
      expect(await cluster.left()).toBe(20);
    }
  });

  test("grant once when all get the same event and check at the same time", async () => {
    await using cluster = await prepare();
    const other = await cluster.join();
    cluster.stripe.hold();
    const topUp = await cluster.buy();
    cluster.stripe.pay(topUp.checkoutSessionId);
    const read = () => other.billing.topUp(cluster.organizationId, topUp.id);
    const events = cluster.stripe.events.flatMap((event) => [event, event, event]);
    const [statuses] = await Promise.all([
      Promise.all(events.map((event) => cluster.stripe.deliver(event))),
      ...Array.from({ length: 10 }, read),
    ]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await cluster.left()).toBe(20);
    const paymentId = (await read())!.paymentIntentId!;
    cluster.stripe.refund(paymentId, { cents: 100 });
    cluster.stripe.refund(paymentId, { cents: 200 });
    cluster.stripe.deliverTo(other.webhookUrl);
    await cluster.stripe.release((all) => all.toReversed());
    expect(await cluster.left()).toBe(17);
    expect((await read())!.refundedMicros).toBe(3_000_000);
  });
}

function firstChanges() {
  test("keep one account when an organization's first changes come at once", async () => {
    await using cluster = await prepare();
    const { accounts, database } = cluster.node;
    const billing = quietAccounts(database);
    for (let round = 0; round < 20; round++) {
      const { id } = await accounts.createOrganization("Acme");
      const change = { customerId: `cus_${round}` };
      const changed = await Promise.all(Array.from({ length: 10 }, () => billing.change(id, change)));
      for (const account of changed) expect(account).toMatchObject({ organizationId: id, ...change });
    }
  });
}

const reachable = await openPostgres();
await reachable?.[Symbol.asyncDispose]();
if (reachable) {
  for (const contract of [topUpContract, rechargeContract, ownerMailContract, reclaimContract, taxContract])
    contract("postgres", () => prepare());
  invoiceContract("postgres", prepare);
  auditedPaymentsContract("postgres", prepare);
  voucherContract("postgres", () => prepare());
  describe("several nodes on PostgreSQL", () => {
    severalNodes();
    otherNode();
    firstChanges();
  });
} else test.skip("billing in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
