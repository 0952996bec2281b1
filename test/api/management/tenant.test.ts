/** Promise: an operator opens one organization and sees what its members see of it, and nothing of another. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
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
