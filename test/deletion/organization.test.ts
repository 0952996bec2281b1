/** Promise: an organization is deleted seven days after its owner asked for it, whole and alone, unless they undo it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { getTableColumns, type Table } from "drizzle-orm";
import * as postgresTables from "../../src/db/postgres/tables.ts";
import * as sqliteTables from "../../src/db/sqlite/tables.ts";
import { TENANT_ROWS } from "../../src/deletion/tenant-rows.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { type Fixture, openFixture } from "../api/management/server-fixture.ts";
import { STORES } from "../api/management/stores.ts";
import { errorOf } from "../harness.ts";
import type { Thing } from "../stripe/object-store.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";
import {
  leftOf,
  openWholeTenant,
  rowsOf,
  storedObjects,
  tablesOf,
  type WholeTenant,
} from "./whole-tenant.ts";

const DAY_MS = 86_400_000;

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let stripe: StripeServer;
  let fixture: Fixture;
  beforeAll(async () => {
    const webhookSecret = "whsec_of_the_tests";
    stripe = await openStripe({ webhookSecret });
    store = await openStore();
    fixture = await openFixture({
      environment: {
        ...store.environment,
        STRIPE_SECRET_KEY: stripe.key,
        STRIPE_WEBHOOK_SECRET: webhookSecret,
        STRIPE_API_URL: stripe.url,
      },
    });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await stripe[Symbol.asyncDispose]();
  });

  const models = (key: string) => fixture.ask("/v1/models", { headers: { authorization: `Bearer ${key}` } });
  const refusalOf = async (response: Promise<Response>) => {
    const { status, code } = await errorOf(await response);
    return `${status} ${code}`;
  };
  const pathOf = ({ organization }: WholeTenant) => `/api/organizations/${organization}/delete`;
  const asked = (tenant: WholeTenant) =>
    tenant.users.owner.get(`POST ${pathOf(tenant)}`, { name: `${tenant.name} Incorporated` });
  const status = async ({ organization }: WholeTenant) =>
    (await fixture.parts.accounts.organization(organization))?.status;
  async function saveCard({ organization: organizationId, users }: WholeTenant) {
    const { billing } = fixture.parts;
    await billing.startCardSetup({ organizationId, email: users.owner.email });
    const { setupSessionId } = await billing.account(organizationId);
    expect(stripe.pay(setupSessionId!)).toBeNull();
    fixture.clock.pass(1000);
    expect((await billing.account(organizationId)).paymentMethodId).not.toBeNull();
  }

  async function pass(ms: number) {
    fixture.clock.pass(ms);
    await fixture.parts.work.run();
  }

  test("is refused to others than owners, without the name, and for the first organization", async () => {
    const tenant = await openWholeTenant(fixture, "Refusing");
    const { owner, admin } = tenant.users;
    const name = "Refusing Incorporated";
    expect(await refusalOf(admin.ask(`POST ${pathOf(tenant)}`, { name }))).toBe("403 owner_required");
    expect(await refusalOf(owner.ask(`POST ${pathOf(tenant)}`, {}))).toBe("422 validation_error");
    expect(await refusalOf(owner.ask(`POST ${pathOf(tenant)}`, { name: "refusing" }))).toBe(
      "422 validation_error",
    );
    const operator = await fixture.operator("operator");
    const first = `POST /api/operator/organizations/${fixture.organizationId}/delete`;
    expect(await refusalOf(operator.ask(first, { name: "Default" }))).toBe("409 first_organization");
    expect(await status(tenant)).toBe("active");
    expect((await models(tenant.key)).status).toBe(200);
  });

  test("suspends at once, and is undone until it is due", async () => {
    const tenant = await openWholeTenant(fixture, "Undone");
    const dueAt = Math.floor(fixture.clock.now() / 1000) + 7 * 86_400;
    expect(await asked(tenant)).toMatchObject({ status: "suspended", delete_at: dueAt });
    expect(await refusalOf(models(tenant.key))).toBe("403 organization_suspended");
    fixture.clock.pass(1000);
    expect(await asked(tenant)).toMatchObject({ delete_at: dueAt }); // asking again does not put it off
    await pass(6 * DAY_MS);
    const kept = await tenant.users.owner.get(`POST ${pathOf(tenant)}/undo`);
    expect(kept).toMatchObject({ status: "active", delete_at: null });
    await pass(2 * DAY_MS);
    expect((await models(tenant.key)).status).toBe(200);
    expect(await status(tenant)).toBe("active");
  });

  test("does not resume what an operator has suspended when it is undone", async () => {
    const tenant = await openWholeTenant(fixture, "Suspended");
    await fixture.parts.accounts.setStatus(tenant.organization, "suspended");
    await asked(tenant);
    const kept = await tenant.users.owner.get(`POST ${pathOf(tenant)}/undo`);
    expect(kept).toMatchObject({ status: "suspended", delete_at: null });
    expect(await refusalOf(models(tenant.key))).toBe("403 organization_suspended");
  });

  test("leaves nothing of it, and everything of others as it was", async () => {
    const tenant = await openWholeTenant(fixture, "Zanzibar");
    const other = await openWholeTenant(fixture, "Otherwise");
    await pass(60_000);
    const others = await rowsOf(fixture, other);
    const objects = await storedObjects(fixture);
    expect((await leftOf(fixture, tenant)).length).toBeGreaterThan(20);
    await asked(tenant);
    await pass(7 * DAY_MS - 1000);
    expect(await status(tenant)).toBe("active");
    await pass(1000);
    expect(await leftOf(fixture, tenant)).toEqual([]);
    expect(await tablesOf(fixture, tenant)).toEqual([
      ...["auditEvent", "billingAccount", "creditAccount", "creditGrant", "event", "organization", "project"],
      ...["topUp", "usageEvent", "usageTotal", "work"],
    ]);
    expect(await fixture.parts.accounts.organization(tenant.organization)).toMatchObject({
      ...{ name: "deleted", status: "deleted" },
    });
    if (objects > 0) expect(await storedObjects(fixture)).toBe(objects - 1);
    expect(await rowsOf(fixture, other)).toEqual(others);
    expect(differencesOf(await fixture.parts.ledger.audit())).toEqual([]);
    expect((await models(other.key)).status).toBe(200);
    expect(await refusalOf(models(tenant.key))).toBe("401 invalid_api_key");
    await pass(25 * 3_600_000);
    expect(await tablesOf(fixture, tenant)).not.toContain("work");
  });

  test("is done at once for operators, and never undone after that", async () => {
    const tenant = await openWholeTenant(fixture, "Atonce");
    await saveCard(tenant);
    const operator = await fixture.operator("another");
    const path = `/api/operator/organizations/${tenant.organization}`;
    const body = { name: "Atonce Incorporated", now: true };
    await operator.get(`POST ${path}/delete`, body);
    await pass(0);
    expect(await leftOf(fixture, tenant)).toEqual([]);
    expect(stripe.all<Thing & { customer: string | null }>("payment_method")).toMatchObject([
      { customer: null },
    ]);
    expect(await refusalOf(operator.ask(`POST ${path}/delete/undo`))).toBe("409 organization_deleted");
    const again = { ...body, name: "deleted" };
    expect(await refusalOf(operator.ask(`POST ${path}/delete`, again))).toBe("409 organization_deleted");
    const resumed = operator.ask(`PATCH ${path}`, { status: "active" });
    expect(await refusalOf(resumed)).toBe("409 organization_deleted");
    const { data } = await operator.get<{ data: { id: string; status: string }[] }>(
      "GET /api/operator/organizations",
    );
    expect(data.find(({ id }) => id === tenant.organization)).toMatchObject({ status: "deleted" });
  });

  test("removes what a request left that was still running, a day later", async () => {
    const tenant = await openWholeTenant(fixture, "Running");
    await fixture.parts.accounts.scheduleDeletion(tenant.organization, 0);
    await pass(0);
    const of = { organizationId: tenant.organization, projectId: tenant.ids.project!, userAgent: "Running" };
    await fixture.parts.ledger.log(await fixture.request({ ...of, status: 500 }));
    expect((await leftOf(fixture, tenant)).length).toBeGreaterThan(0);
    await pass(25 * 3_600_000);
    expect(await leftOf(fixture, tenant)).toEqual([]);
  });
});

test("every table of both databases is named, and those that name an organization have a treatment", () => {
  const named = Object.keys(TENANT_ROWS);
  expect(Object.keys(sqliteTables).filter((name) => !named.includes(name))).toEqual([]);
  const only = Object.keys(postgresTables).filter((name) => !named.includes(name));
  expect(only).toEqual(["limitLevel"]); // which `deleteTenantRows` deletes
  const kept = Object.entries(sqliteTables)
    .filter(([, table]) => Object.keys(getTableColumns(table as Table)).includes("organizationId"))
    .map(([name]) => name)
    .filter((name) => "kept" in TENANT_ROWS[name as keyof typeof TENANT_ROWS]);
  expect(kept.sort()).toEqual([
    ...["budgetPeriod", "creditAccount", "creditGrant", "creditReversal", "installation"],
    ...["usageEvent", "usageTotal"],
  ]);
});
