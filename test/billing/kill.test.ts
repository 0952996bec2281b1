/** Promise: a server that is killed between a charge and its grant charges once and grants once. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openBilling } from "../../src/billing/billing.ts";
import { openPayments } from "../../src/billing/stripe.ts";
import { systemClock } from "../../src/clock.ts";
import { readConfig } from "../../src/config/config.ts";
import { openLog } from "../../src/log/log.ts";
import { firstStart, openStorage } from "../../src/server/storage.ts";
import { openCli } from "../cli/process.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";
import { until } from "../until.ts";
import { DOLLAR } from "./billing-cluster.ts";

const SECRET = "whsec_of_the_tests";
const MINUTES_MS = 180_000;

type Settings = Record<string, string>;

/** An organization with the starting five dollars, a key, and a card that is charged below them. */
async function prepare(environment: Settings, stripe: StripeServer) {
  const config = readConfig(environment);
  await using storage = await openStorage(config);
  const { organizationId, key } = (await firstStart(storage, "prepaid"))!;
  const origin = () => "http://localhost";
  const shared = { ...storage, origin, clock: systemClock, log: openLog("silent", () => {}) };
  await using billing = openBilling({ ...shared, payments: openPayments(config.stripe!) });
  const { url } = await billing.startCardSetup({ organizationId, email: "owner@example.com" });
  stripe.pay(url.split("/").at(-1)!);
  await billing.account(organizationId);
  const amounts = { thresholdMicros: 5 * DOLLAR, targetMicros: 20 * DOLLAR };
  await billing.setRecharge(organizationId, { enabled: true, ...amounts });
  const buyer = { organizationId, userId: "user_1", email: "owner@example.com" };
  await billing.startTopUp({ ...buyer, amountMicros: 10 * DOLLAR });
  return { organizationId, secret: key.secret };
}

async function purchasesIn(environment: Settings, organizationId: string) {
  await using storage = await openStorage(readConfig(environment));
  return (await storage.ledger.grants(organizationId)).filter(({ kind }) => kind === "purchase");
}

test.each([
  ["a card charge", "POST /v1/payment_intents", {}],
  ["the payment of an invoice", "POST /v1/invoices/*/pay", { STRIPE_INVOICES: "1" }],
] as const)(
  "a server killed during %s, a search for it and an event charges and grants once",
  async (_what, charge, settings) => {
    using cli = openCli();
    await using stripe = await openStripe({ webhookSecret: SECRET });
    const environment = {
      LOQUAT_DATA: join(cli.folder, "data"),
      STRIPE_SECRET_KEY: stripe.key,
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_URL: stripe.url,
      ...settings,
    };
    const { organizationId, secret } = await prepare(environment, stripe);
    const hangsAt = async (call: string) => {
      const before = stripe.hung();
      stripe.fail(call, "hang");
      return () => until(() => stripe.hung() > before);
    };
    stripe.hold();

    let server = await cli.serve(environment);
    let hung = await hangsAt(charge);
    const spoken = await fetch(`${server.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on." }),
    });
    expect(spoken.status).toBe(200);
    await hung();
    await server.stop("SIGKILL");
    expect(stripe.all("payment_intent").length).toBe(1);
    expect(await purchasesIn(environment, organizationId)).toEqual([]);

    hung = await hangsAt("GET /v1/payment_intents");
    server = await cli.serve(environment);
    await hung();
    await server.stop("SIGKILL");
    server = await cli.serve(environment);
    await until(async () => (await purchasesIn(environment, organizationId)).length === 1);

    stripe.deliverTo(`${server.url}/api/billing/stripe-webhook`);
    const page = stripe.all("checkout.session").at(-1)!;
    hung = await hangsAt("GET /v1/payment_intents/*");
    stripe.pay(page.id);
    void stripe.release();
    await hung();
    await server.stop("SIGKILL");
    server = await cli.serve(environment);
    stripe.deliverTo(`${server.url}/api/billing/stripe-webhook`);
    for (const event of stripe.events) expect(await stripe.deliver(event)).toBe(200);
    expect(await server.stop()).toBe(0);

    const purchases = await purchasesIn(environment, organizationId);
    expect(purchases.map(({ amountMicros }) => amountMicros).sort()).toEqual([10 * DOLLAR, 15_010_000]);
    expect(stripe.all("payment_intent").length).toBe(2);
    const verified = await cli.run(["ledger", "verify"], environment);
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining("add up") });
    const reconciled = await cli.run(["billing", "reconcile"], environment);
    expect(reconciled).toMatchObject({ code: 0, err: "" });
  },
  MINUTES_MS,
);
