/** Promise: an operator sets what an organization pays; its members read it, and the audit log tells of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { billingRoutes } from "../../../src/api/management/schema/billing-routes.ts";
import type { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { priceRoutes } from "../../../src/api/management/schema/price-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Tenant = ReplyOf<(typeof operatorRoutes)["PATCH /api/operator/organizations/:tenant"]>;

let fixture: Fixture;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const open = async (name: string) => (await fixture.parts.accounts.createOrganization(name)).id;

test("sets a price factor, which is in the audit log and on the billing page", async () => {
  const id = await open("Reseller");
  const owner = await fixture.person("resold", { organizationId: id, role: "owner" });
  const route = `PATCH /api/operator/organizations/${id}`;
  const billing = async () =>
    owner.get<ReplyOf<(typeof billingRoutes)["GET /api/organizations/:organization/billing"]>>(
      `GET /api/organizations/${id}/billing`,
    );
  const listed = (await billing()).prices;
  expect(await operator.get<Tenant>(route, { price_factor: 1.2345 })).toMatchObject({
    price_factor: 1.2345,
    next_price_factor: null,
  });
  const { prices, price_factors } = await billing();
  expect(prices.length).toBeGreaterThan(1);
  for (const [index, price] of prices.entries())
    expect(price.unit_price_micros).toBe(Math.ceil((listed[index]!.unit_price_micros * 12_345) / 10_000));
  expect(price_factors).toMatchObject({ price_factor: 1.2345 });
  const later = Math.floor(Date.now() / 1000) + 86_400;
  const planned = await operator.get<Tenant>(route, { price_factor: 0, price_factor_from: later });
  expect(planned).toMatchObject({
    ...{ price_factor: 1.2345, price_factor_from: later, next_price_factor: 0 },
  });
  expect((await billing()).prices).toEqual(prices);
  const { query, tables } = fixture.parts.database;
  const events = await query.select().from(tables.auditEvent);
  const [first, second, ...more] = events.filter(
    ({ type, organizationId }) => type === "billing.price_factor.updated" && organizationId === id,
  );
  expect(more).toEqual([]);
  expect(JSON.parse(first!.changes)).toContainEqual({ field: "price_factor", before: 1, after: 1.2345 });
  expect(JSON.parse(second!.changes)).toContainEqual({
    field: "next_price_factor",
    before: null,
    after: 0,
  });
  await operator.get<Tenant>(route, { plan: "unmetered" });
  expect(await billing()).toMatchObject({ prices: listed, price_factors: null });
});

test("sets a price from a day on, which the billing page announces, and removes it", async () => {
  const id = await open("Informed");
  const owner = await fixture.person("informed", { organizationId: id, role: "owner" });
  await operator.get(`PATCH /api/operator/organizations/${id}`, { price_factor: 0.5 });
  const valid_from = Math.floor(Date.now() / 1000) + 86_400;
  const body = { model: "svc-stt1", unit_price_micros: 90_000_001, valid_from };
  const background = { background_unit_price_micros: 40_000_000 };
  expect(await operator.get<object>("PUT /api/operator/prices", { ...body, ...background })).toMatchObject({
    ...{ object: "price", ...body, ...background },
  });
  const priced = async () =>
    (
      await owner.get<ReplyOf<(typeof billingRoutes)["GET /api/organizations/:organization/billing"]>>(
        `GET /api/organizations/${id}/billing`,
      )
    ).prices.find(({ model }) => model === "svc-stt1")!;
  expect((await priced()).next).toEqual({
    ...{ unit_price_micros: 45_000_001, background_unit_price_micros: 20_000_000, valid_from },
  });
  const { data } =
    await operator.get<ReplyOf<(typeof priceRoutes)["GET /api/operator/prices"]>>("GET /api/operator/prices");
  expect(data.find(({ model }) => model === "svc-stt1")!.prices).toMatchObject([body]);
  await operator.ask("POST /api/operator/prices/remove", { model: "svc-stt1", valid_from });
  expect(await priced()).not.toHaveProperty("next");
  const again = await operator.ask("POST /api/operator/prices/remove", { model: "svc-stt1", valid_from });
  expect(again.status).toBe(404);
});

test.each<[what: string, body: object, field: string]>([
  ["an alias", { model: "tts-1" }, "model"],
  ["a price that is no number", { unit_price_micros: "1" }, "unit_price_micros"],
  ["a price of the past", { valid_from: 5 }, "valid_from"],
])("refuses to set %s, and stores nothing", async (_what, body, param) => {
  const asked = { model: "svc-tts1", unit_price_micros: 5, ...body };
  expect(await errorOf(await operator.ask("PUT /api/operator/prices", asked))).toMatchObject({
    ...{ status: 422, param },
  });
  expect(fixture.parts.prices.current()).toEqual([]);
});

test.each<[what: string, body: object, field: string]>([
  ["a negative price factor", { price_factor: -0.1 }, "price_factor"],
  ["a price factor above 10", { price_factor: 10.0001 }, "price_factor"],
  ["a price factor with five decimals", { price_factor: 0.12345 }, "price_factor"],
  ["a price factor of the past", { price_factor: 2, price_factor_from: 1 }, "price_factor_from"],
  [
    "a price factor after more than a year",
    { price_factor: 2, price_factor_from: 9_999_999_999 },
    "price_factor_from",
  ],
  ["a day without a price factor", { price_factor_from: 1_900_000_000 }, "price_factor_from"],
])("refuses %s, and changes nothing", async (_what, body, param) => {
  const path = `/api/operator/organizations/${await open("Unchanged")}`;
  const before = await operator.get<Tenant>(`GET ${path}`);
  expect(await errorOf(await operator.ask(`PATCH ${path}`, { plan: "unmetered", ...body }))).toMatchObject({
    ...{ status: 422, param },
  });
  expect(await operator.get<Tenant>(`GET ${path}`)).toEqual(before);
});
