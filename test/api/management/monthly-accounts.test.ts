/** Promise: an operator reads what became of everybody's credit in a month, with the tax of payments; nothing else is one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { statementRoutes } from "../../../src/api/management/schema/statement-routes.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

const ROUTE = "GET /api/operator/accounts";
type Accounts = ReplyOf<(typeof statementRoutes)[typeof ROUTE]>;

let fixture: Fixture;
let operator: Person;
let month: string;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
  month = new Date(fixture.clock.now()).toISOString().slice(0, 7);
});
afterAll(() => fixture[Symbol.asyncDispose]());

test("bought, given and used credit of each organization, with names, tax and totals", async () => {
  const { accounts, ledger, database } = fixture.parts;
  const { id: organizationId } = await accounts.createOrganization("Reseller");
  const createdAt = Math.floor(fixture.clock.now() / 1000);
  const topUp = { id: "topup_taxed", kind: "top_up", status: "succeeded", amountMicros: 20_000_000 } as const;
  await database.query.insert(database.tables.topUp).values({
    ...{ ...topUp, organizationId, taxMicros: 3_800_000, totalMicros: 23_800_000, refundedMicros: 0 },
    ...{ createdAt, settledAt: createdAt },
  });
  const grant = { organizationId, createdAt, expiresAt: null };
  await ledger.grant({
    ...{ ...grant, id: "grant_bought", kind: "purchase", topUpId: topUp.id, amountMicros: 20_000_000 },
  });
  await operator.get(`POST /api/operator/organizations/${organizationId}/credit`, {
    ...{ amount_micros: 1_000, days: 30 }, // used first
  });
  await fixture.request({ organizationId, charged: 250 });
  const { data, totals, ...about } = await operator.get<Accounts>(`${ROUTE}?month=${month}`);
  expect(about).toMatchObject({ object: "accounts", month, start: Date.parse(`${month}-01`) / 1000 });
  const row = data.find(({ organization_id }) => organization_id === organizationId);
  expect(row).toMatchObject({
    organization_name: "Reseller",
    ...{ opening_bought_micros: 0, bought_micros: 20_000_000, tax_micros: 3_800_000, given_micros: 1_000 },
    ...{ used_given_micros: 250, closing_bought_micros: 20_000_000, closing_given_micros: 750 },
  });
  expect(totals.bought_micros).toBe(data.reduce((sum, { bought_micros }) => sum + bought_micros, 0));
  const creditOf = await ledger.credits();
  for (const one of data)
    expect({
      balanceMicros: one.closing_bought_micros + one.closing_given_micros,
      overdraftMicros: one.closing_overdraft_micros,
    }).toEqual({
      balanceMicros: creditOf(one.organization_id).balanceMicros,
      overdraftMicros: creditOf(one.organization_id).overdraftMicros,
    });
  expect((await operator.get<Accounts>(ROUTE)).data).toEqual(data);
});

test("a month in which there was nothing yet has no row of an organization", async () => {
  const { id } = await fixture.parts.accounts.createOrganization("Later");
  await operator.get(`POST /api/operator/organizations/${id}/credit`, { amount_micros: 1_000 });
  const { data } = await operator.get<Accounts>(`${ROUTE}?month=2020-02`);
  expect(data.map(({ organization_id }) => organization_id)).not.toContain(id);
});

test.each(["2026-13", "2026-1", "202611", "2099-01", "", "1999-12"])("refuses %j", async (wrong) => {
  expect(await errorOf(await operator.ask(`${ROUTE}?month=${wrong}`))).toMatchObject({
    ...{ status: 422, code: "validation_error", param: "month" },
  });
});

test("is refused to who is no operator", async () => {
  const owner = await fixture.person("owner", { organizationId: fixture.organizationId, role: "owner" });
  expect(await errorOf(await owner.ask(ROUTE))).toMatchObject({ status: 403, code: "operator_required" });
});
