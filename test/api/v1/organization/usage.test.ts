/** Promise: programs read what was used and what it cost, in whole buckets, and every page and grouping comes to the same sums. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Charge } from "../../../../src/ledger/booking/burn-down.ts";
import { type AdminFixture, openAdminFixture, stockClients } from "./admin-fixture.ts";

type Bucket = { results: Record<string, never>[] };
type Page = { has_more: boolean; next_page: string | null; data: Bucket[] };

const DAY = 86_400;
const USAGE = "GET /usage/audio_speeches";
const HEARD = "GET /usage/audio_transcriptions";
const COSTS = "GET /costs";

let server: AdminFixture;
let begun: number;
const keys: Record<string, string> = {};
const now = () => Math.floor(server.clock.now() / 1000);
const page = (route: string, query: string) => server.adminGet<Page>(`${route}?${query}`);

let deductedMicros = 0; // in two months, where one ends in these days
/** A random day and a half of three keys, whose charges are known. */
beforeAll(async () => {
  server = await openAdminFixture();
  const { accounts, ledger } = server.parts;
  begun = now() - (now() % DAY) + DAY;
  server.clock.pass((begun - now()) * 1000); // so that the first day is whole
  const projects = [(await accounts.defaultProject(server.organizationId))!.id];
  projects.push((await accounts.createProject(server.organizationId, "Second")).id);
  const made = { environment: "live", scopes: ["speech:create"], expiresAt: null } as const;
  const { id } = server.owner;
  for (const [name, createdBy] of Object.entries({ owner: id, line: null, more: id })) {
    const projectId = projects[name === "more" ? 1 : 0]!;
    keys[name] = (await accounts.createKey({ ...made, name, projectId, createdBy })).id;
    keys[`${name}Project`] = projectId;
  }
  for (let index = 0; index < 90; index++) {
    server.clock.pass((1 + (index % 7)) * 311_000);
    const key = ["owner", "line", "more"][index % 3]!;
    const speaks = index % 4 > 0;
    const status = [200, 200, 499, 429, 200][index % 5]!;
    const log = await server.request({
      ...{ keyId: keys[key]!, projectId: keys[`${key}Project`]!, status },
      ...{ model: speaks ? `svc-tts${1 + (index % 2)}` : "svc-stt1", characters: speaks ? index : null },
      endpoint: speaks ? "/v1/audio/speech" : "/v1/audio/transcriptions",
    });
    if (status === 429) continue;
    const { id, organizationId, projectId, keyId, environment, endpoint, createdAt } = log;
    const charge: Charge = {
      ...{ id: `${id}.0`, requestId: id, organizationId, projectId, keyId, environment, endpoint, createdAt },
      ...{ model: log.model!, plan: index % 6 === 0 ? "unmetered" : "prepaid", priceMicros: 15_000_000 },
      ...{ unit: speaks ? "character" : "second", quantity: index + 0.5 * Number(!speaks) },
      costMicros: 1 + index * 7,
    };
    await ledger.charge(charge, log);
    if (charge.plan === "prepaid") deductedMicros += charge.costMicros;
  }
  await server.request({ organizationId: server.other.id, charged: 5_000_000 });
});
afterAll(() => server[Symbol.asyncDispose]());

const sumOf = (pages: Bucket[], field: string): number =>
  pages.flatMap(({ results }) => results).reduce((sum, row) => sum + Number(row[field]), 0);

describe("sums", () => {
  test.each([
    [USAGE, "characters"],
    [HEARD, "seconds"],
  ])("of %s are the same in minutes, hours and days, and however grouped", async (route, unit) => {
    const groupings = [
      "",
      "project_id",
      "user_id",
      "api_key_id",
      "model",
      "endpoint,environment,user_id,model",
    ];
    const sums = new Set<string>();
    for (const [width, limit] of [
      ["1m", 1440],
      ["1h", 168],
      ["1d", 31],
    ] as const)
      for (const group of groupings) {
        const buckets = await everyPage(
          route,
          `start_time=${begun}&bucket_width=${width}&limit=${limit}&group_by=${group}`,
        );
        sums.add(JSON.stringify([sumOf(buckets, unit), sumOf(buckets, "num_model_requests")]));
      }
    expect(sums.size).toBe(1);
    const [amount, requests] = JSON.parse([...sums][0]!);
    const { audioSeconds, characters } = await server.parts.ledger.totals(server.organizationId);
    expect(amount).toBe(unit === "seconds" ? audioSeconds : characters);
    expect([amount > 100, requests > 9]).toEqual([true, true]);
  });

  test("of requests leave out those that were refused or left, as `loquat usage` does", async () => {
    const of = async (route: string) =>
      sumOf((await page(route, `start_time=${begun}`)).data, "num_model_requests");
    const { requests } = await server.parts.ledger.totals(server.organizationId);
    expect((await of(USAGE)) + (await of(HEARD))).toBe(requests);
    expect(requests).toBe(54); // of 90, a fifth was refused and a fifth was left
  });

  test("of costs are the ledger's, at list price and as deducted", async () => {
    const { costMicros } = await server.parts.ledger.totals(server.organizationId);
    const all = "line_item,user_id,project_id,api_key_id";
    const groupings = ["", "project_id", "user_id", "api_key_id", "line_item", all];
    for (const group of groupings) {
      const { data } = await page(COSTS, `start_time=${begun}&group_by=${group}`);
      const results = data.flatMap(({ results }) => results) as unknown as Record<
        string,
        { value: number }
      >[];
      const micros = (field: string) =>
        results.reduce((sum, row) => sum + Math.round(row[field]!.value * 1e6), 0);
      expect([micros("amount"), micros("deducted_amount")]).toEqual([costMicros, deductedMicros]);
    }
    expect(deductedMicros).toBeLessThan(costMicros);
  });
});

async function everyPage(route: string, query: string): Promise<Bucket[]> {
  const buckets: Bucket[] = [];
  for (let next = ""; ; ) {
    const { data, next_page, has_more } = await page(route, query + next);
    buckets.push(...data);
    expect(has_more).toBe(next_page !== null);
    if (next_page === null) return buckets;
    next = `&page=${encodeURIComponent(next_page)}`;
  }
}

describe("pages", () => {
  test("put together are the unpaged answer, also where time passes between them", async () => {
    const query = `start_time=${begun + 5}&bucket_width=1h&group_by=model`;
    const whole = await page(USAGE, `${query}&limit=168`);
    expect(whole).toMatchObject({ object: "page", has_more: false, next_page: null });
    expect(await everyPage(USAGE, `${query}&limit=1`)).toEqual(whole.data);
    const first = await page(USAGE, `${query}&limit=24`);
    server.clock.pass(3_600_000);
    const rest = await page(USAGE, `${query}&limit=168&page=${encodeURIComponent(first.next_page!)}`);
    expect([...first.data, ...rest.data]).toEqual(whole.data);
  });

  test("lie on whole buckets, and those without usage are empty", async () => {
    const { data } = await page(USAGE, `start_time=${begun - 2 * DAY + 5}&end_time=${begun - DAY + 1}`);
    expect(data).toEqual(
      [-2, -1].map((days) => ({
        ...{
          object: "bucket",
          start_time: begun + days * DAY,
          end_time: begun + (days + 1) * DAY,
          results: [],
        },
      })),
    );
  });

  test("of another query, of another organization or made up are refused", async () => {
    const query = `start_time=${begun}&bucket_width=1h`;
    const { next_page } = await page(USAGE, `${query}&limit=1`);
    const next = `page=${encodeURIComponent(next_page!)}`;
    for (const wrong of [
      `${query}&${next}&group_by=model`,
      `start_time=${begun + 1}&bucket_width=1h&${next}`,
      `start_time=${begun}&bucket_width=1m&${next}`,
      `${query}&page=x`,
      `${query}&page=${Buffer.from('[1,"0 9",""]').toString("base64url")}.x`,
    ])
      expect(await server.refused(`${USAGE}?${wrong}`)).toMatchObject({
        status: 400,
        code: "invalid_cursor",
      });
    expect(await server.refused(`${HEARD}?${query}&${next}`)).toMatchObject({ code: "invalid_cursor" });
    const others = await server.refused(`${USAGE}?${query}&${next}`, undefined, server.other.adminKey);
    expect(others).toMatchObject({ code: "invalid_cursor" });
  });
});

describe("parameters", () => {
  test("lists are read in three spellings", async () => {
    const asked = [
      `project_ids=${keys.ownerProject},${keys.moreProject}&group_by=project_id,model`,
      `project_ids=${keys.ownerProject}&project_ids=${keys.moreProject}&group_by=project_id&group_by=model`,
      `project_ids[]=${keys.ownerProject}&project_ids[]=${keys.moreProject}&group_by[]=project_id&group_by[]=model`,
    ];
    const answers = await Promise.all(asked.map((query) => page(USAGE, `start_time=${begun}&${query}`)));
    expect(answers[0]!.data.flatMap(({ results }) => results).length).toBeGreaterThan(2);
    for (const answer of answers) expect(answer).toEqual(answers[0]!);
  });

  test("filters leave out the rest, and ids are those that were asked for", async () => {
    const of = async (query: string, route = USAGE) =>
      (await page(route, `start_time=${begun}&${query}`)).data.flatMap(({ results }) => results);
    const byUser = await of("group_by=user_id&limit=1");
    expect(byUser.map((row) => row.user_id).sort()).toEqual([null, server.owner.id].sort() as never[]);
    expect(await of(`user_ids=${server.owner.id}&limit=1`)).toMatchObject([
      { ...byUser.find(({ user_id }) => user_id !== null)!, user_id: null },
    ]);
    expect((await of(`api_key_ids=${keys.line}&group_by=api_key_id,model&limit=1`))[0]).toMatchObject({
      ...{ object: "organization.usage.audio_speeches.result", api_key_id: keys.line, project_id: null },
    });
    expect(await of("models=svc-tts9")).toEqual([]);
    const items = encodeURIComponent("svc-tts1, characters");
    const costs = await of(`line_items[]=${items}&group_by[]=line_item&limit=1`, COSTS);
    expect(costs).toMatchObject([
      { line_item: "svc-tts1, characters", quantity_unit: "characters", api_source: null, user_id: null },
    ]);
    const both = encodeURIComponent("svc-tts1, characters,svc-stt1, seconds");
    const units = await of(`line_items=${both}&group_by=line_item&limit=1`, COSTS);
    expect(units.map((row) => row.quantity_unit).sort()).toEqual([
      "characters",
      "duration_seconds",
    ] as never[]);
  });

  test.each([
    ["", "start_time"],
    ["start_time=x", "start_time"],
    ["start_time=-1", "start_time"],
    ["start_time=9999999999", "start_time"],
    ["start_time=5&end_time=5", "end_time"],
    ["start_time=5&bucket_width=1w", "bucket_width"],
    ["start_time=5&limit=32", "limit"],
    ["start_time=5&limit=0", "limit"],
    ["start_time=5&bucket_width=1h&limit=169", "limit"],
    ["start_time=5&bucket_width=1m", "start_time"],
    ["start_time=5&group_by=api_source", "group_by.0"],
    ["start_time=5&models=%00", "models.0"],
    [`start_time=5&models=${"m,".repeat(101)}`, "models"],
  ])("%p is refused", async (query, field) => {
    const error = await server.refused(`${USAGE}?${query}`);
    expect(error).toMatchObject({ status: 422, code: "validation_error" });
    expect((error as unknown as { details: object[] }).details).toMatchObject([{ field }]);
  });

  test.each(["bucket_width=1h", "limit=181", "group_by=model", "line_items=svc-tts1"])(
    "costs refuse %s",
    async (query) => {
      const error = await server.refused(`${COSTS}?start_time=5&${query}`);
      expect(error).toMatchObject({ status: 422, code: "validation_error" });
    },
  );

  test("minutes are read back to ninety days, and older ones by the hour", async () => {
    const oldest = now() - 90 * DAY;
    expect(await server.refused(`${USAGE}?start_time=${oldest - 60}&bucket_width=1m`)).toMatchObject({
      ...{ status: 422, param: "start_time" },
    });
    expect((await page(USAGE, `start_time=${oldest}&bucket_width=1m`)).data).toHaveLength(60);
    expect((await page(USAGE, `start_time=${oldest - 60}&bucket_width=1h`)).data).toHaveLength(24);
  });
});

test("more than ten thousand results are refused, with what to do", async () => {
  const { query, tables } = server.parts.database;
  const start = begun - 10 * DAY;
  const row = (index: number) => ({
    ...{ organizationId: server.organizationId, period: "day" as const, start, projectId: "proj_1" },
    ...{ keyId: `key_${index}`, environment: "live" as const, model: "m", endpoint: "/v1/audio/speech" },
    ...{ requests: 1, errors: 0, characters: 1, audioSeconds: 0, costMicros: 1 },
  });
  for (let offset = 0; offset <= 10_000; offset += 1000)
    await query
      .insert(tables.usageTotal)
      .values(Array.from({ length: 1000 }, (_, more) => row(offset + more)));
  for (const route of [USAGE, COSTS]) {
    const error = await server.refused(`${route}?start_time=${start}&group_by=api_key_id`);
    expect(error).toMatchObject({ status: 422, param: "group_by" });
    expect((await page(route, `start_time=${start}`)).data[0]!.results).toHaveLength(1);
  }
});

test("stock clients read everything that exporters ask for", async () => {
  const start_time = begun;
  for (const [, { admin }] of await stockClients(server.url, server.adminKey)) {
    const { usage } = admin.organization;
    const speeches = await usage.audioSpeeches({ start_time, group_by: ["project_id", "model"], limit: 1 });
    expect(speeches.data[0]!.results[0]).toMatchObject({
      ...{ object: "organization.usage.audio_speeches.result", api_key_id: null, user_id: null },
    });
    expect(speeches.next_page).not.toBeNull();
    const heard = await usage.audioTranscriptions({ start_time, bucket_width: "1h", models: ["svc-stt1"] });
    expect(heard.data.length).toBe(24);
    const costs = await usage.costs({
      start_time,
      group_by: ["line_item"],
      project_ids: [keys.ownerProject!],
    });
    expect(costs.data[0]!.results[0]).toMatchObject({ amount: { currency: "usd" }, api_source: null });
    const empty = { data: [], has_more: false, next_page: null };
    const others = ["completions", "embeddings", "moderations", "images", "vectorStores"] as const;
    const more = ["codeInterpreterSessions", "fileSearchCalls", "webSearchCalls"] as const;
    for (const name of [...others, ...more])
      if (usage[name]) expect(await usage[name]({ start_time })).toMatchObject(empty);
  }
});
