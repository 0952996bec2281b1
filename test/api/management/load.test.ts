/** Promise: an operator reads what an organization was refused on each day, and its most requests at once; no one else does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import { newId } from "../../../src/ids.ts";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Load = ReplyOf<(typeof operatorRoutes)["GET /api/operator/organizations/:tenant/load"]>;

const DAY = 86_400;

let fixture: Fixture;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const routeOf = (id: string) => `GET /api/operator/organizations/${id}/load`;

test("thirty days until today, with what was refused and the most requests at once", async () => {
  const { id: organizationId } = await fixture.parts.accounts.createOrganization("Pressing");
  const empty = await operator.get<Load>(routeOf(organizationId));
  const now = Math.floor(fixture.clock.now() / 1000);
  expect(empty.data.length).toBe(30);
  expect(
    empty.data.every(({ refused, peak_concurrency }) => refused.length + peak_concurrency! === 0),
  ).toBeTrue();
  expect(empty.data.at(-1)).toMatchObject({ start: now - (now % DAY), end: now - (now % DAY) + DAY });
  for (const durationMs of [60_000, 60_000, 60_000]) await fixture.request({ organizationId, durationMs });
  for (const errorCode of ["rate_limit_exceeded", "rate_limit_exceeded", "concurrency_limit_exceeded"])
    await fixture.request({ organizationId, status: 429, errorCode });
  const { object, concurrency_limit, data } = await operator.get<Load>(routeOf(organizationId));
  expect({ object, isLimited: concurrency_limit > 0 }).toEqual({ object: "load", isLimited: true });
  expect(data.at(-1)).toMatchObject({
    refused: [
      { status: 429, error_code: "rate_limit_exceeded", requests: 2 },
      { status: 429, error_code: "concurrency_limit_exceeded", requests: 1 },
    ],
    peak_concurrency: 3,
  });
});

test("what the server itself refuses is there", async () => {
  const { organizationId } = fixture;
  const before = await operator.get<Load>(routeOf(organizationId));
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Twice." });
  await fixture.parts.accounts.setLimits(organizationId, { requestsPerMinute: 1 });
  const answers: number[] = [];
  for (let request = 0; request < 3; request++) {
    const response = await fixture.ask("/v1/audio/speech", { method: "POST", body });
    await response.arrayBuffer();
    answers.push(response.status);
  }
  expect(answers).toEqual([200, 429, 429]);
  const refusedOf = ({ data }: Load) => data.at(-1)!.refused.reduce((sum, { requests }) => sum + requests, 0);
  let after = before;
  await until(async () => {
    after = await operator.get<Load>(routeOf(organizationId));
    return refusedOf(after) - refusedOf(before) === 2 && after.data.at(-1)!.peak_concurrency! > 0;
  });
  expect(after.data.at(-1)!.refused.map(({ status }) => status)).toContain(429);
});

test("an organization that does not exist is not found", async () => {
  const unknown = newId("org", fixture.clock);
  expect(await errorOf(await operator.ask(routeOf(unknown)))).toMatchObject({
    status: 404,
    code: "not_found",
  });
});

test("is refused to people who are no operators", async () => {
  const { organizationId } = fixture;
  const owner = await fixture.person("owner", { organizationId, role: "owner" });
  const refusal = { status: 403, code: "operator_required" };
  expect(await errorOf(await owner.ask(routeOf(organizationId)))).toMatchObject(refusal);
});
