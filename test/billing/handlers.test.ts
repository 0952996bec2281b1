/** Promise: billing routes match their schemas, make the documented refusals, and reveal no other organization. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import type { Session } from "../../src/accounts/principal.ts";
import { billingHandlers } from "../../src/api/management/handlers/billing-handlers.ts";
import { billingRoutes } from "../../src/api/management/schema/billing-routes.ts";
import type { Route } from "../../src/api/management/schema/route.ts";
import { openPublicOrigin } from "../../src/api/middleware/public-origin.ts";
import { openAudit } from "../../src/audit/audit-events.ts";
import { readConfig } from "../../src/config/config.ts";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import { readManifests } from "../../src/models/manifest.ts";
import { type BillingCluster, openCluster } from "./billing-cluster.ts";

type Path = keyof typeof billingRoutes;
const AT = "/api/organizations/:organization/billing";

let cluster: BillingCluster;
let ask: (path: Path, input?: { ids?: object; body?: object }) => Promise<Record<string, unknown>>;
beforeAll(async () => {
  cluster = await openCluster(null);
  const { accounts, billing, ledger } = cluster.node;
  const config = readConfig({});
  const catalogue = buildCatalogue(readManifests(config.models.folder), () => true);
  const address = openPublicOrigin(config.http);
  const brain = { model: "brain", price_input_micros: 100_000, price_output_micros: 400_000 };
  const upstreams = {
    set: { languageModels: () => [{ entry: brain }, { entry: { model: "free" } }] },
  } as never;
  const { clock } = cluster;
  const audit = openAudit(cluster.node.database, clock);
  const alertRecipients = { ofBalance: async () => [] } as never;
  const read = { accounts, billing, ledger, catalogue, upstreams, address, clock, audit, alertRecipients };
  const handlers = billingHandlers(read);
  const session = { user: { id: "user_1", email: "owner@example.com" } } as Session;
  const caller = { session, role: "owner", organizationId: cluster.organizationId, query: {} };
  ask = async (path, { ids = {}, body } = {}) => {
    const route = billingRoutes[path] as Route;
    const reply = (await handlers[path]({ ...caller, ids, body } as never)) as Record<string, unknown>;
    if (route.reply) expect([...Compile(route.reply).Errors(reply)]).toEqual([]);
    return reply;
  };
});
afterAll(() => cluster[Symbol.asyncDispose]());

const banner = async () => (await ask("GET /api/organizations/:organization/banner")).banner;
const listed = async (path: Path) => (await ask(path)).data as Record<string, unknown>[];

test("a new customer pays a top-up and gets its invoice and receipt", async () => {
  expect(await ask(`GET ${AT}`)).toMatchObject({
    banner: "out_of_credits",
    tier: "free",
    payment_method: null,
    payments: true,
    prices: expect.arrayContaining([
      expect.objectContaining({
        model: "svc-tts1",
        unit: "character",
        unit_price_micros: expect.any(Number),
      }),
      expect.objectContaining({
        ...{ model: "svc-stt1", unit: "second", background_unit_price_micros: expect.any(Number) },
      }),
      { model: "brain", name: "brain", unit: "input_token", unit_price_micros: 100_000 },
      { model: "brain", name: "brain", unit: "output_token", unit_price_micros: 400_000 },
    ]),
  });
  const { prices } = (await ask(`GET ${AT}`)) as { prices: { model: string }[] };
  expect(prices.filter(({ model }) => model === "free")).toEqual([]);
  const topUp = await ask(`POST ${AT}/top-ups`, { body: { amount_micros: 5_000_000 } });
  expect(topUp).toMatchObject({ status: "pending", checkout_url: expect.stringContaining("/c/pay/") });
  cluster.stripe.pay(cluster.stripe.all("checkout.session").at(-1)!.id);
  await cluster.stripe.settled();
  const paid = { status: "succeeded", checkout_url: null };
  expect(await ask(`GET ${AT}/top-ups/:topUp`, { ids: { topUp: topUp.id } })).toMatchObject(paid);
  const [invoice] = await listed(`GET ${AT}/invoices`);
  expect(invoice).toMatchObject({ status: "paid", amount_micros: 5_000_000, refunded_micros: 0 });
  expect(invoice!.number).toMatch(/^\d{4}-[0-9A-Z]{10}$/);
  const ids = { invoice: invoice!.id };
  expect(await ask(`GET ${AT}/invoices/:invoice`, { ids })).toEqual(invoice!);
  expect((await ask(`GET ${AT}/invoices/:invoice/receipt`, { ids })).url).toContain("/receipts/ch_");
  expect(await ask(`GET ${AT}`)).toMatchObject({ banner: "none", tier: "paid" });
});

test("the banner follows the balance and the month", async () => {
  await cluster.spend(4.5);
  expect(await banner()).toBe("low_balance");
  const limit = (micros: number | null) =>
    ask(`PUT ${AT}/spending-limit`, { body: { monthly_spending_limit_micros: micros } });
  expect(await limit(4_500_000)).toMatchObject({ monthly_spending_limit_micros: 4_500_000 });
  expect(await banner()).toBe("spending_limit");
  await limit(null);
  await cluster.spend(1);
  expect(await banner()).toBe("out_of_credits");
});

test("grants are listed in the order of spending, then the ended ones", async () => {
  const now = Math.floor(cluster.clock.now() / 1000);
  const add = (id: string, expiresAt: number | null) =>
    cluster.node.ledger.grant({
      ...{ id, organizationId: cluster.organizationId, kind: "adjustment", amountMicros: 1e6 },
      ...{ createdAt: now, expiresAt, topUpId: null },
    });
  await add("grant_for_ever", null);
  await add("grant_soon_over", now + 10);
  await add("grant_next_year", now + 1e7);
  const ids = (await listed(`GET ${AT}/grants`)).map(({ id }) => id);
  expect(ids.slice(0, 3)).toEqual(["grant_soon_over", "grant_next_year", "grant_for_ever"]);
  cluster.clock.pass(10_000);
  const later = await listed(`GET ${AT}/grants`);
  expect(later.map(({ id, status }) => [id, status]).slice(0, 3)).toEqual([
    ["grant_next_year", "active"],
    ["grant_for_ever", "active"],
    ["grant_soon_over", "expired"],
  ]);
});

test("a card can be saved and auto-recharge switched on", async () => {
  const on = { enabled: true, threshold_micros: 0, target_micros: 5_000_000 };
  await expect(ask(`PUT ${AT}/auto-recharge`, { body: on })).rejects.toMatchObject({
    code: "no_payment_method",
  });
  const { url } = await ask(`POST ${AT}/payment-method/setup`);
  cluster.stripe.pay((url as string).split("/").at(-1)!);
  await cluster.stripe.settled();
  expect(await ask(`GET ${AT}`)).toMatchObject({ payment_method: { last4: "4242" } });
  expect(await ask(`PUT ${AT}/auto-recharge`, { body: on })).toMatchObject({ enabled: true, problem: null });
  await ask(`DELETE ${AT}/payment-method`);
  expect(await ask(`GET ${AT}/auto-recharge`)).toMatchObject({ ...on, enabled: false });
  expect(await ask(`GET ${AT}`)).toMatchObject({ payment_method: null });
});

test("top-ups and documents of another organization are not found", async () => {
  const foreign = await cluster.node.accounts.createOrganization("Other");
  const whose = { organizationId: foreign.id, userId: "user_2", email: "other@example.com" };
  const { id } = await cluster.node.billing.startTopUp({ ...whose, amountMicros: 5_000_000 });
  const missing = { code: "not_found" };
  await expect(ask(`GET ${AT}/top-ups/:topUp`, { ids: { topUp: id } })).rejects.toMatchObject(missing);
  const invoice = id.replace("topup_", "invc_");
  await expect(ask(`GET ${AT}/invoices/:invoice`, { ids: { invoice } })).rejects.toMatchObject(missing);
  expect((await listed(`GET ${AT}/top-ups`)).length).toBe(1);
});

test("billing details are read and replaced, and a payment without an invoice keeps its own number", async () => {
  const none = { company: null, email: null, purchase_order: null, tax_id: null, address: null };
  const place = { line1: "1 Main St", line2: null, city: "Bonn", postal_code: "53111", state: null };
  const details = {
    ...{ company: "Acme", email: "bills@acme.example", purchase_order: "PO 7" },
    ...{ tax_id: { type: "eu_vat", value: "DE123456789" }, address: { ...place, country: "DE" } },
  };
  expect(await ask(`GET ${AT}/details`)).toMatchObject({ object: "billing_details", tax_id: null });
  expect(await ask(`PUT ${AT}/details`, { body: details })).toMatchObject(details);
  expect(await ask(`GET ${AT}/details`)).toMatchObject(details);
  expect(await ask(`PUT ${AT}/details`, { body: none })).toMatchObject({ company: null, address: null });
  const [invoice] = await listed(`GET ${AT}/invoices`);
  expect(invoice).toMatchObject({ invoice_id: null, invoice_number: null, credit_notes: [], tax_micros: 0 });
  expect(invoice!.total_micros).toBe(invoice!.amount_micros as number);
});
