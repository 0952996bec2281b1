/** Promise: an operator reads income, use and credit of the server by month, who used most, who is new, and what models did by day; no one else does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { businessRoutes } from "../../../src/api/management/schema/business-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

const ROUTE = "GET /api/operator/business";
type Business = ReplyOf<(typeof businessRoutes)[typeof ROUTE]>;

let fixture: Fixture;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const now = () => Math.floor(fixture.clock.now() / 1000);
const monthAt = (time: number) => new Date(time * 1000).toISOString().slice(0, 7);
/** The middle of the day before the current month. */
const lastMonth = () => Date.parse(`${monthAt(now())}-01`) / 1000 - 43_200;

test("twelve months, the organizations with most use and their growth, and new organizations", async () => {
  const { accounts, ledger } = fixture.parts;
  const before = await operator.get<Business>(ROUTE);
  const { id: growing } = await accounts.createOrganization("Growing");
  const { id: first } = await accounts.createOrganization("First use");
  const grant = { createdAt: now(), topUpId: null, expiresAt: null };
  await ledger.grant({
    ...{ ...grant, id: "grant_sold", organizationId: growing, kind: "purchase", amountMicros: 20_000_000 },
  });
  await operator.get(`POST /api/operator/organizations/${first}/credit`, { amount_micros: 7_000, days: 30 });
  const earlier = Date.parse(`${monthAt(lastMonth())}-01`) / 1000; // compared from the first day on
  await fixture.request({ organizationId: growing, charged: 400, createdAt: earlier });
  await fixture.request({ organizationId: growing, charged: 1_000 });
  await fixture.request({ organizationId: first, charged: 600 });
  const { months, most, newest, ...about } = await operator.get<Business>(ROUTE);
  expect(about).toMatchObject({ object: "business", month: monthAt(now()), sells: true });
  expect(about.end).toBeGreaterThanOrEqual(now());
  expect(months.map(({ month }) => month)).toEqual(before.months.map(({ month }) => month));
  expect(months.length).toBe(12);
  const grown = (field: keyof Omit<Business["months"][number], "month">, ago = 0) =>
    months.at(-1 - ago)![field] - before.months.at(-1 - ago)![field];
  expect([grown("income_micros"), grown("bought_micros")]).toEqual([20_000_000, 20_000_000]);
  expect([grown("given_micros"), grown("used_micros"), grown("cost_micros")]).toEqual([7_000, 1_600, 1_600]);
  expect([grown("new_organizations"), grown("used_micros", 1)]).toEqual([2, 400]);
  expect(most.filter(({ organization_id }) => [growing, first].includes(organization_id))).toEqual([
    {
      ...{ organization_id: growing, organization_name: "Growing", growth: 1.5 },
      ...{ cost_micros: 1_000, used_micros: 1_000, before_micros: 400 },
    },
    {
      ...{ organization_id: first, organization_name: "First use", growth: null },
      ...{ cost_micros: 600, used_micros: 600, before_micros: 0 },
    },
  ]);
  const today = now() - (now() % 86_400);
  const { load } = await operator.get<Business>(ROUTE);
  expect(load.find(({ start, model }) => start === today && model === "svc-tts1")).toMatchObject({
    ...{ requests: 2, characters: 88, audio_seconds: 0, tokens: 0 },
  });
  const names = newest.map(({ organization_name }) => organization_name);
  expect(names).toEqual(expect.arrayContaining(["Growing", "First use"]));
});

test("an earlier month is told as it ended, and months begin eleven before it", async () => {
  const month = monthAt(lastMonth());
  const { months, most, ...about } = await operator.get<Business>(`${ROUTE}?month=${month}`);
  expect(about).toMatchObject({ month, end: Date.parse(`${monthAt(now())}-01`) / 1000 });
  expect(about.compared_until).toBe(Date.parse(`${month}-01`) / 1000);
  expect(months.at(-1)).toMatchObject({ month, used_micros: 400, new_organizations: 0 });
  expect(most.map(({ cost_micros, growth }) => ({ cost_micros, growth }))).toEqual([
    { cost_micros: 400, growth: null },
  ]);
});

test("a month without anything is zeros, not an error", async () => {
  const { months, most, newest } = await operator.get<Business>(`${ROUTE}?month=2001-02`);
  expect(months[0]!.month).toBe("2000-03");
  expect(
    months.every(({ month: _month, ...sums }) => Object.values(sums).every((sum) => sum === 0)),
  ).toBeTrue();
  expect([most, newest]).toEqual([[], []]);
});

test.each(["2026-13", "2026-1", "202611", "2099-01", "", "1999-12"])("refuses %j", async (wrong) => {
  expect(await errorOf(await operator.ask(`${ROUTE}?month=${wrong}`))).toMatchObject({
    ...{ status: 422, code: "validation_error", param: "month" },
  });
});

test("is refused to people who are no operators", async () => {
  const owner = await fixture.person("owner", { organizationId: fixture.organizationId, role: "owner" });
  expect(await errorOf(await owner.ask(ROUTE))).toMatchObject({ status: 403, code: "operator_required" });
});
