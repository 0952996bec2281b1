/** Promise: whatever differs between Stripe, top-ups and credit is found, said, and mended where it can be. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { openCli } from "../cli/process.ts";
import { openTown, type Town } from "./billing-cluster.ts";

const DAYS = 7;

let town: Town;
let topUpId: string;
let paymentId: string;
beforeEach(async () => {
  town = await openTown(null);
  topUpId = await bought();
  paymentId = (await read(topUpId))!.paymentIntentId!;
});
afterEach(() => town[Symbol.asyncDispose]());

const read = (id: string) => town.node.billing.topUp(town.organizationId, id);

async function bought(): Promise<string> {
  const topUp = await town.buy();
  town.stripe.pay(topUp.checkoutSessionId);
  await town.stripe.settled();
  return topUp.id;
}

/** The command as an operator runs it. */
async function reconcile(...options: string[]) {
  using cli = openCli();
  const args = ["billing", "reconcile", "--days", String(DAYS), "--json", ...options];
  const { code, out, err } = await cli.run(args, town.environment);
  if (code > 1) throw new Error(err);
  return { code, found: (JSON.parse(out) as { data: Record<string, unknown>[] }).data };
}

async function expectMended(what: string, left: number): Promise<void> {
  const before = await reconcile();
  expect(before).toMatchObject({ code: 1, found: [{ what }] });
  expect(await reconcile("--repair")).toEqual({ code: 0, found: [] });
  expect(await reconcile("--repair")).toEqual({ code: 0, found: [] });
  expect(await town.left()).toBe(left);
}

const grantOf = (id: string, dollars: number) =>
  town.node.ledger.grant({
    id: id.replace("topup_", "grant_"),
    organizationId: town.organizationId,
    kind: "purchase",
    amountMicros: dollars * 1e6,
    createdAt: Math.floor(town.clock.now() / 1000),
    expiresAt: null,
    topUpId: id,
  });

test("where all is well it says so", async () => {
  town.stripe.refund(paymentId, { cents: 500 });
  const dispute = town.stripe.dispute(paymentId);
  town.stripe.closeDispute(dispute.id, "won");
  await town.buy(); // nobody paid it yet
  await town.stripe.settled();
  expect(await reconcile()).toEqual({ code: 0, found: [] });
});

test("paid, and not granted", async () => {
  town.stripe.hold();
  await bought();
  await expectMended("not_granted", 40);
});

test("paid, for a top-up that nobody knows", async () => {
  const { query, tables } = town.node.database;
  town.stripe.hold();
  const id = await bought();
  await query.delete(tables.topUp).where(eq(tables.topUp.id, id));
  await expectMended("unknown_top_up", 40);
  expect(await read(id)).toMatchObject({ status: "succeeded", amountMicros: 20_000_000 });
});

test("granted, and never paid", async () => {
  const { id } = await town.buy();
  await grantOf(id, 20);
  await expectMended("not_paid", 20);
  expect((await read(id))!.status).toBe("failed");
});

test("granted for a payment that Stripe does not know: said, and left alone", async () => {
  await grantOf("topup_of_another_account", 20);
  expect(await reconcile("--repair")).toMatchObject({
    code: 1,
    found: [{ what: "not_paid", payment_id: null }],
  });
  expect(await town.left()).toBe(40);
});

test.each([15, 25])("twenty paid, %d granted", async (dollars) => {
  town.stripe.hold();
  const topUp = await town.buy();
  await grantOf(topUp.id, dollars);
  town.stripe.pay(topUp.checkoutSessionId);
  await expectMended("amount_differs", 40);
});

test("refunded, disputed, and not taken back", async () => {
  town.stripe.hold();
  town.stripe.refund(paymentId, { cents: 700 });
  await expectMended("not_taken_back", 13);
  const other = await bought();
  await town.stripe.release();
  town.stripe.hold();
  const dispute = town.stripe.dispute((await read(other))!.paymentIntentId!);
  await expectMended("not_taken_back", 13);
  town.stripe.closeDispute(dispute.id, "won");
  await expectMended("not_returned", 33);
});

test("taken back, and never refunded", async () => {
  const { organizationId } = town;
  const grantId = topUpId.replace("topup_", "grant_");
  const taken = { grantId, kind: "refund" as const, amountMicros: 3_000_000, createdAt: 1 };
  await town.node.ledger.reverse({ id: "re_nobody", organizationId, ...taken });
  await expectMended("not_returned", 20);
});

test("a top-up that says otherwise", async () => {
  const { query, tables } = town.node.database;
  await query.update(tables.topUp).set({ status: "failed" }).where(eq(tables.topUp.id, topUpId));
  await expectMended("status_differs", 20);
  expect((await read(topUpId))!.status).toBe("succeeded");
});
