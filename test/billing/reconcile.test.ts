/** Promise: every difference between Stripe, top-ups and credit is found, reported, and corrected where possible. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { openCli } from "../cli/process.ts";
import { type BillingCluster, openCluster } from "./billing-cluster.ts";

const DAYS = 7;

let cluster: BillingCluster;
let topUpId: string;
let paymentId: string;
beforeEach(async () => {
  cluster = await openCluster(null);
  topUpId = await bought();
  paymentId = (await read(topUpId))!.paymentIntentId!;
});
afterEach(() => cluster[Symbol.asyncDispose]());

const read = (id: string) => cluster.node.billing.topUp(cluster.organizationId, id);

async function bought(): Promise<string> {
  const topUp = await cluster.buy();
  cluster.stripe.pay(topUp.checkoutSessionId);
  await cluster.stripe.settled();
  return topUp.id;
}

/** The command as an operator runs it. */
async function reconcile(...options: string[]) {
  using cli = openCli();
  const args = ["billing", "reconcile", "--days", String(DAYS), "--json", ...options];
  const { code, out, err } = await cli.run(args, cluster.environment);
  if (code > 1) throw new Error(err);
  return { code, found: (JSON.parse(out) as { data: Record<string, unknown>[] }).data };
}

async function expectMended(what: string, left: number): Promise<void> {
  const before = await reconcile();
  expect(before).toMatchObject({ code: 1, found: [{ what }] });
  expect(await reconcile("--repair")).toEqual({ code: 0, found: [] });
  expect(await reconcile("--repair")).toEqual({ code: 0, found: [] });
  expect(await cluster.left()).toBe(left);
}

const grantOf = (id: string, dollars: number) =>
  cluster.node.ledger.grant({
    id: id.replace("topup_", "grant_"),
    organizationId: cluster.organizationId,
    kind: "purchase",
    amountMicros: dollars * 1e6,
    createdAt: Math.floor(cluster.clock.now() / 1000),
    expiresAt: null,
    topUpId: id,
  });

test("a report without differences says so", async () => {
  cluster.stripe.refund(paymentId, { cents: 500 });
  const dispute = cluster.stripe.dispute(paymentId);
  cluster.stripe.closeDispute(dispute.id, "won");
  await cluster.buy(); // it is not paid yet
  await cluster.stripe.settled();
  expect(await reconcile()).toEqual({ code: 0, found: [] });
});

test("a payment without its grant is granted", async () => {
  cluster.stripe.hold();
  await bought();
  await expectMended("not_granted", 40);
});

test("a payment for an unknown top-up is reported", async () => {
  const { query, tables } = cluster.node.database;
  cluster.stripe.hold();
  const id = await bought();
  await query.delete(tables.topUp).where(eq(tables.topUp.id, id));
  await expectMended("unknown_top_up", 40);
  expect(await read(id)).toMatchObject({ status: "succeeded", amountMicros: 20_000_000 });
});

test("a grant without its payment is reported", async () => {
  const { id } = await cluster.buy();
  await grantOf(id, 20);
  await expectMended("not_paid", 20);
  expect((await read(id))!.status).toBe("failed");
});

test("a grant for a payment unknown to Stripe is reported and left unchanged", async () => {
  await grantOf("topup_of_another_account", 20);
  expect(await reconcile("--repair")).toMatchObject({
    code: 1,
    found: [{ what: "not_paid", payment_id: null }],
  });
  expect(await cluster.left()).toBe(40);
});

test.each([15, 25])("twenty payments with %d grants are reconciled", async (dollars) => {
  cluster.stripe.hold();
  const topUp = await cluster.buy();
  await grantOf(topUp.id, dollars);
  cluster.stripe.pay(topUp.checkoutSessionId);
  await expectMended("amount_differs", 40);
});

test("a refund and a dispute that were not taken back are taken back", async () => {
  cluster.stripe.hold();
  cluster.stripe.refund(paymentId, { cents: 700 });
  await expectMended("not_taken_back", 13);
  const other = await bought();
  await cluster.stripe.release();
  cluster.stripe.hold();
  const dispute = cluster.stripe.dispute((await read(other))!.paymentIntentId!);
  await expectMended("not_taken_back", 13);
  cluster.stripe.closeDispute(dispute.id, "won");
  await expectMended("not_returned", 33);
});

test("credit taken back without a refund is reported", async () => {
  const { organizationId } = cluster;
  const grantId = topUpId.replace("topup_", "grant_");
  const taken = { grantId, kind: "refund" as const, amountMicros: 3_000_000, createdAt: 1 };
  await cluster.node.ledger.reverse({ id: "re_nobody", organizationId, ...taken });
  await expectMended("not_returned", 20);
});

test("a top-up with a different amount is reported", async () => {
  const { query, tables } = cluster.node.database;
  await query.update(tables.topUp).set({ status: "failed" }).where(eq(tables.topUp.id, topUpId));
  await expectMended("status_differs", 20);
  expect((await read(topUpId))!.status).toBe("succeeded");
});
