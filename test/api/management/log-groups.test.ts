/**
 * Promise: usage by status, voice, language, format and label, which is read from the request log, has the sums of the same range; and usage by
 * member is that of the keys that each created.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { usageRoutes } from "../../../src/api/management/schema/usage-routes.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { STORES } from "./stores.ts";

type Usage = ReplyOf<(typeof usageRoutes)["GET /api/organizations/:organization/usage"]>;

const HOUR = 3600;
const DAY = 24 * HOUR;

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  let who: Person;
  let organizationId: string;
  let span: { start: number; end: number };

  const now = () => Math.floor(fixture.clock.now() / 1000);
  const ask = (query: string) => who.ask(`GET /api/organizations/${organizationId}/usage?${query}`);
  const usage = async (query: string): Promise<Usage> => {
    const response = await ask(query);
    expect(response.status).toBe(200);
    return (await response.json()) as Usage;
  };

  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    ({ id: organizationId } = await fixture.parts.accounts.createOrganization("Grouped"));
    who = await fixture.person("member", { organizationId, role: "member" });
    const start = now() - (now() % HOUR);
    const log = async (fields: Parameters<Fixture["request"]>[0]) => {
      await fixture.request({ organizationId, keyId: "key_one", ...fields });
      fixture.clock.pass(HOUR * 1000);
    };
    await log({ charged: 660, label: "chapter 1", language: "en" });
    await log({
      charged: 440,
      language: "de",
      voice: "male-deep",
      responseFormat: "mp3",
      label: "chapter 1",
    });
    await log({ status: 400, errorCode: "invalid_voice", voice: null, characters: null, audioSeconds: null });
    await log({ status: 502, errorCode: "inference_unavailable", characters: null, audioSeconds: null });
    await log({ status: 499, keyId: "key_two", charged: 900, characters: 60 });
    span = { start, end: start + 5 * HOUR };
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  async function by(name: string, more = "") {
    const { data, totals } = await usage(`start=${span.start}&end=${span.end}&group_by=${name}${more}`);
    const groups: Record<string, number> = {};
    for (const row of data) groups[row.groups[name]!] = (groups[row.groups[name]!] ?? 0) + row.requests;
    return { totals, groups };
  }

  test.each([
    ["status", { 200: 2, 400: 1, 499: 1, 502: 1 }],
    ["voice", { "female-warm": 3, "male-deep": 1, "": 1 }],
    ["language", { en: 1, de: 1, "": 3 }],
    ["format", { pcm: 4, mp3: 1 }],
    ["label", { "chapter 1": 2, "": 3 }],
  ] as [string, Record<string, number>][])("by %s", async (name, groups) => {
    const { totals } = await usage(`start=${span.start}&end=${span.end}`);
    expect(totals).toMatchObject({ requests: 5, errors: 2, characters: 148, cost_micros: 2000 });
    for (const bucket of ["day", "hour", "minute"])
      expect(await by(name, `&bucket=${bucket}`)).toEqual({ totals, groups });
    expect((await by(name, "&key_id=key_two")).totals).toMatchObject({ requests: 1, cost_micros: 900 });
  });

  test("requests of a language are found, and what is no code is refused", async () => {
    const path = `GET /api/organizations/${organizationId}/requests`;
    const { data } = await who.get<{ data: object[] }>(`${path}?language=de`);
    expect(data).toMatchObject([{ language: "de", voice: "male-deep" }]);
    expect((await who.get<{ data: object[] }>(`${path}?language=de&key_id=key_two`)).data).toEqual([]);
    expect((await who.get<{ data: object[] }>(`${path}?language=de&status=200`)).data).toHaveLength(1);
    const refused = await errorOf(await who.ask(`${path}?language=German`));
    expect(refused).toMatchObject({ status: 422, code: "validation_error" });
  });

  test.each([
    "group_by=voice,key",
    "group_by=language,model",
    `group_by=status&bucket=minute&start=0&end=${6 * HOUR + 1}`,
    `group_by=status&start=0&end=${401 * DAY}`,
  ])("refuses %s", async (query) => {
    expect(await errorOf(await ask(query))).toMatchObject({ status: 422, code: "validation_error" });
  });

  test("of more than a hundred thousand requests are refused, whatever the filters", async () => {
    const { query, tables } = fixture.parts.database;
    const row = {
      ...{ organizationId, period: "day" as const, start: DAY, projectId: "proj_1", keyId: "key_one" },
      ...{ environment: "live" as const, model: "m", endpoint: "/v1/audio/speech", requests: 100_001 },
      ...{ errors: 0, characters: 1, audioSeconds: 0, costMicros: 0 },
    };
    await query.insert(tables.usageTotal).values(row);
    const asked = `group_by=status&key_id=key_two&start=${DAY}&end=${3 * DAY}`;
    expect(await errorOf(await ask(asked))).toMatchObject({ code: "validation_error", param: "start" });
    await query.delete(tables.usageTotal).where(eq(tables.usageTotal.start, DAY));
    expect((await usage(asked)).totals.requests).toBe(0);
  });

  test("by member counts the requests of the keys that each created", async () => {
    const project = (await fixture.parts.accounts.defaultProject(organizationId))!;
    const { id: mine } = await fixture.parts.accounts.createKey({
      ...{ projectId: project.id, name: "Mine", environment: "live", scopes: [], expiresAt: null },
      createdBy: who.id,
    });
    await fixture.request({ organizationId, keyId: mine });
    const { data } = await usage(`group_by=user&start=${span.start}&end=${now() + 1}`);
    const counted = Map.groupBy(data, ({ groups }) => groups.user!);
    const requestsOf = (user: string) => counted.get(user)!.reduce((sum, { requests }) => sum + requests, 0);
    expect([requestsOf(who.id), requestsOf("")]).toEqual([1, 5]);
  });
});
