/** Bodies of routes that take what is as it is now, such as a code that was not redeemed, or that change what is. */
import type { Fixture } from "./server-fixture.ts";
import { bodyOf, type ROUTES, type Tenancy } from "./tenancy.ts";

/** A voucher code that can be redeemed once. */
async function newCode({ parts }: Fixture): Promise<string> {
  const [voucher] = await parts.vouchers.create({
    amountMicros: 1_000_000,
    count: 1,
    days: null,
    createdBy: null,
  });
  return voucher!.code;
}

export async function currentBodyOf(
  fixture: Fixture,
  { organization }: Tenancy,
  [name, route]: (typeof ROUTES)[number],
): Promise<unknown> {
  if (name === "PATCH /api/operator/organizations/:tenant")
    return { limit_overrides: { requests_per_minute: 90 }, monthly_spending_limit_micros: 7_000_000 };
  if (name.endsWith("billing/codes")) return { code: await newCode(fixture) };
  if (name === "POST /api/operator/prices/remove") {
    const set = { model: "svc-tts2", micros: 1, backgroundMicros: null, validFrom: null };
    const { model, validFrom: valid_from } = await fixture.parts.prices.set(set);
    return { model, valid_from };
  }
  if (name.endsWith("/delete"))
    return { name: (await fixture.parts.accounts.organization(organization))!.name };
  if (name.endsWith("/speech")) return {};
  return bodyOf(name, route);
}
