/** Promise: usage with too many groups to read is refused with advice. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { usageRoutes } from "../../../src/api/management/schema/usage-routes.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Usage = ReplyOf<(typeof usageRoutes)["GET /api/organizations/:organization/usage"]>;

const DAY = 86_400;

let fixture: Fixture;
let who: Person;
beforeAll(async () => {
  fixture = await openFixture();
  who = await fixture.person("member", { organizationId: fixture.organizationId, role: "member" });
  const { query, tables } = fixture.parts.database;
  const start = Math.floor(fixture.clock.now() / 1000 / DAY) * DAY;
  const row = (index: number) => ({
    ...{ organizationId: fixture.organizationId, period: "day" as const, start, projectId: "proj_1" },
    ...{ keyId: `key_${index}`, environment: "live" as const, model: "m", endpoint: "/v1/audio/speech" },
    ...{ requests: 1, errors: 0, characters: 1, audioSeconds: 0, costMicros: 1 },
  });
  for (let offset = 0; offset <= 10_000; offset += 1000)
    await query
      .insert(tables.usageTotal)
      .values(Array.from({ length: Math.min(1000, 10_001 - offset) }, (_, more) => row(offset + more)));
});
afterAll(() => fixture[Symbol.asyncDispose]());

const route = (groups: string) =>
  `GET /api/organizations/${fixture.organizationId}/usage?bucket=day&group_by=${groups}`;

test("usage of more than ten thousand groups is refused, and fewer are returned", async () => {
  const refused = await errorOf(await who.ask(route("key")));
  expect(refused).toMatchObject({ status: 422, code: "validation_error", param: "group_by" });
  expect(refused.message).toContain("10000 rows");
  expect((await who.get<Usage>(route("model"))).totals.requests).toBe(10_001);
  const { query, tables } = fixture.parts.database;
  await query.delete(tables.usageTotal).where(eq(tables.usageTotal.keyId, "key_7"));
  expect((await who.get<Usage>(route("key"))).data.length).toBe(10_000);
});
