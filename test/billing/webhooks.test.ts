/**
 * Promise: when a refund switches auto-recharge off, the organization's owners get a mail, and no other member does.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openFixture } from "../api/management/server-fixture.ts";
import { openStripe } from "../stripe/server.ts";
import { until } from "../until.ts";
import { DOLLAR } from "./billing-cluster.ts";

const SECRET = "whsec_of_the_tests";

test("owners with a verified address get one mail when a refund switches auto-recharge off", async () => {
  await using stripe = await openStripe({ webhookSecret: SECRET });
  const environment = {
    STRIPE_SECRET_KEY: stripe.key,
    STRIPE_WEBHOOK_SECRET: SECRET,
    STRIPE_API_URL: stripe.url,
  };
  await using fixture = await openFixture({ environment });
  const { accounts, billing, config } = fixture.parts;
  stripe.deliverTo(`${fixture.url}/api/billing/stripe-webhook`);
  const { id: organizationId } = await accounts.createOrganization("Acme");
  await fixture.person("owner", { organizationId, role: "owner" });
  await fixture.person("admin", { organizationId, role: "admin" });
  const [owner] = await accounts.ownersOf(organizationId);
  const { email } = owner!;

  const { url } = await billing.startCardSetup({ organizationId, email });
  stripe.pay(url.split("/").at(-1)!);
  await stripe.settled();
  await billing.account(organizationId);
  const amounts = { thresholdMicros: 5 * DOLLAR, targetMicros: 20 * DOLLAR };
  await billing.setRecharge(organizationId, { enabled: true, ...amounts });
  const payments = () =>
    stripe.all<{ id: string; object: string; created: number; status: string }>("payment_intent");
  await until(() => payments()[0]?.status === "succeeded");
  await stripe.settled();
  stripe.refund(payments()[0]!.id, { cents: 500 });
  stripe.refund(payments()[0]!.id);
  await stripe.settled();

  await Promise.all([billing.sweep(), billing.sweep()]);
  const folder = join(config.data.folder, "mail");
  const letters = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(letters().length).toBe(1);
  expect(letters()[0]).toStartWith(`To: ${email}\nSubject: Auto-recharge was switched off\n`);
  expect(letters()[0]).toContain(`/orgs/${organizationId}/billing`);
});
