/** Promise: a repeated request of an operator gives credit once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Tenant = ReplyOf<(typeof operatorRoutes)["POST /api/operator/organizations/:tenant/credit"]>;

let fixture: Fixture;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const open = async (name: string) => (await fixture.parts.accounts.createOrganization(name)).id;

test("credit with the same idempotency key is given once; another amount with that key is refused", async () => {
  const id = await open("Clicked twice");
  const route = `POST /api/operator/organizations/${id}/credit`;
  const body = { amount_micros: 3_000_000, days: 2, idempotency_key: "one dialog" };
  const answers = await Promise.all(Array.from({ length: 5 }, () => operator.ask(route, body)));
  for (const answer of answers)
    expect([answer.status, await answer.json()]).toMatchObject([201, { balance_micros: 3_000_000 }]);
  for (const other of [{ amount_micros: 3_000_001 }, { days: 3 }, { days: null }]) {
    const answer = await operator.ask(route, { ...body, ...other });
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(await errorOf(answer)).toMatchObject({
      ...{ status: 409, type: "conflict", code: "idempotency_key_reused", param: "idempotency_key" },
    });
  }
  expect(await fixture.parts.ledger.grants(id)).toHaveLength(1);
  expect(await operator.get<Tenant>(route, { ...body, idempotency_key: "another" })).toMatchObject({
    balance_micros: 6_000_000,
  });
  const elsewhere = `POST /api/operator/organizations/${await open("Other")}/credit`;
  expect(await operator.get<Tenant>(elsewhere, body)).toMatchObject({ balance_micros: 3_000_000 });
});
