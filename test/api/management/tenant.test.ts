/** Promise: an operator opens one organization and sees what its members see of it, and nothing of another. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type TenantDetail = ReplyOf<(typeof operatorRoutes)["GET /api/operator/organizations/:tenant"]>;

let fixture: Fixture;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const open = async (name: string) => (await fixture.parts.accounts.createOrganization(name)).id;

test("opens an organization with its members, keys, credit, usage and latest requests, and no other's", async () => {
  const organizationId = await open("Opened");
  const owner = await fixture.person("opened", { organizationId, role: "owner" });
  await fixture.request({ organizationId, charged: 250 });
  await fixture.request({ organizationId: await open("Another"), charged: 1000 });
  const route = `GET /api/operator/organizations/${organizationId}`;
  const opened = await operator.get<TenantDetail>(route);
  expect(opened).toMatchObject({
    ...{ id: organizationId, name: "Opened", members: 1, keys: [], grants: [] },
    people: [{ id: owner.id, role: "owner", joined_at: expect.any(Number) }],
    usage: { totals: { requests: 1, cost_micros: 250 } },
    requests: [{ organization_id: organizationId, cost_micros: 250 }],
  });
  expect(JSON.stringify(opened)).not.toContain("secret");
});

test("suspends an organization: keys are refused, members are shown a banner, and nothing is deleted", async () => {
  const organizationId = await open("Paused");
  const { accounts } = fixture.parts;
  const projectId = (await accounts.defaultProject(organizationId))!.id;
  const of = { projectId, name: "a", environment: "live", expiresAt: null } as const;
  const { secret } = await accounts.createKey({ ...of, scopes: ["catalog:read"] });
  const member = await fixture.person("paused", { organizationId, role: "member" });
  const ask = () => fixture.ask("/v1/me", { headers: { authorization: `Bearer ${secret}` } });
  const banner = `GET /api/organizations/${organizationId}/banner`;
  const route = `PATCH /api/operator/organizations/${organizationId}`;
  expect((await ask()).status).toBe(200);
  expect(await operator.get(route, { status: "suspended" })).toMatchObject({ status: "suspended" });
  fixture.clock.pass(1000);
  expect(await errorOf(await ask())).toMatchObject({
    ...{ status: 403, type: "permission_error", code: "organization_suspended" },
    message: expect.stringContaining("Ask this server's operator"),
  });
  expect(await member.get(banner)).toMatchObject({ banner: "suspended" });
  expect(await operator.get<TenantDetail>(route.replace("PATCH", "GET"))).toMatchObject({
    ...{ status: "suspended", members: 1 },
    keys: [{ status: "active" }],
  });
  expect(await operator.get(route, { status: "active" })).toMatchObject({ status: "active" });
  fixture.clock.pass(1000);
  expect((await ask()).status).toBe(200);
  expect(await member.get(banner)).toMatchObject({ banner: "out_of_credits" });
});

test("does not suspend the first organization, and changes nothing else of it in that request", async () => {
  const route = `PATCH /api/operator/organizations/${fixture.organizationId}`;
  const body = { status: "suspended", plan: "unmetered" };
  expect(await errorOf(await operator.ask(route, body))).toMatchObject({
    ...{ status: 409, code: "first_organization" },
  });
  expect(await fixture.parts.accounts.organization(fixture.organizationId)).toMatchObject({
    ...{ status: "active", plan: "prepaid" },
  });
});
