/** Promise: programs read the request log of their organization, page by page or as one CSV file, with the filters of the dashboard. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { errorOf } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { type AdminFixture, openAdminFixture } from "./admin-fixture.ts";

type Row = { id: string; object: string; status: number; cost_micros: number; end_user: string | null };
type List = { object: string; data: Row[]; first_id: string | null; last_id: string; has_more: boolean };

const REQUESTS = 230; // more than a page of an export

let server: AdminFixture;
let project: string;
const list = (query: string, key?: string) => server.adminGet<List>(`GET /requests?${query}`, undefined, key);

beforeAll(async () => {
  server = await openAdminFixture();
  ({ id: project } = await server.parts.accounts.createProject(server.organizationId, "Second"));
  for (let count = 4; count < REQUESTS; count++) await server.request({});
  await server.request({ charged: 660 });
  await server.request({ endUser: "ada" });
  await server.request({ status: 400, errorCode: "invalid_voice" });
  await server.request({ status: 502, errorCode: "inference_unavailable", projectId: project });
  await server.request({ organizationId: server.other.id });
});
afterAll(() => server[Symbol.asyncDispose]());

const csv = (query = "", { key = server.adminKey, signal = new AbortController().signal } = {}) =>
  fetch(`${server.url}/v1/organization/requests?${query}`, {
    headers: { authorization: `Bearer ${key}`, accept: "text/csv" },
    signal,
  });

test("every page goes on behind the one before, the newest first, until all were given once", async () => {
  const ids: string[] = [];
  for (let after = ""; ; ) {
    const page = await list(`limit=100${after}`);
    expect(page).toMatchObject({ object: "list", first_id: page.data[0]!.id, last_id: page.data.at(-1)!.id });
    ids.push(...page.data.map(({ id }) => id));
    server.clock.pass(1000);
    if (ids.length === 100) await server.request({}); // a newer one moves nothing
    if (!page.has_more) break;
    after = `&after=${page.last_id}`;
  }
  expect(new Set(ids).size).toBe(REQUESTS);
  expect(ids).toEqual(ids.toSorted().reverse());
  expect((await list("")).data).toHaveLength(20);
});

test("a record is the one of the dashboard", async () => {
  const [row] = (await list("end_user=ada")).data;
  const shown = await server.owner.ask(`GET /api/requests/${row!.id}`);
  expect(row).toEqual((await shown.json()) as Row);
});

test.each([
  ["status=4xx", 1],
  ["status=502", 1],
  ["error_code=invalid_voice", 1],
  ["end_user=ada", 1],
  ["end_user=bob", 0],
  ["endpoint=/v1/realtime", 0],
  ["start=0&end=1", 0],
])("the filter %s gives %i", async (query, count) => {
  expect((await list(query)).data).toHaveLength(count);
});

test("ids of the project and the beginning of an id filter, too", async () => {
  const [row] = (await list(`project_id=${project}`)).data;
  expect(row).toMatchObject({ status: 502 });
  expect((await list(`id=${row!.id}`)).data).toEqual([row!]);
});

test("as CSV every request is in one file, and filters decide of it", async () => {
  const response = await csv();
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="requests.csv"');
  const [head, ...lines] = (await response.text()).trimEnd().split("\r\n");
  expect(head).toStartWith('"id","time","created_at"');
  expect(new Set(lines).size).toBe(REQUESTS + 1);
  const failed = await (await csv("status=5xx")).text();
  expect(failed).toContain('"Second"');
  const after = /req_\w{24}/.exec(lines[99]!)![0];
  expect((await (await csv(`after=${after}`)).text()).trimEnd().split("\r\n").slice(1)).toEqual(
    lines.slice(100),
  );
});

test("an organization has one export at once; it ends with its file, and when its client leaves", async () => {
  const { ledger } = server.parts;
  const { requestPage } = ledger;
  const reading = Promise.withResolvers<void>();
  let readers = 0;
  ledger.requestPage = async (asked) => {
    readers++;
    await reading.promise;
    return requestPage(asked);
  };
  const leaves = new AbortController();
  const left = csv("", { signal: leaves.signal }).catch(() => null);
  const kept = csv("", { key: server.other.adminKey });
  await until(() => readers === 2);
  expect(await errorOf(await csv())).toMatchObject({ status: 429, code: "concurrency_limit_exceeded" });
  leaves.abort();
  expect(await left).toBe(null);
  ledger.requestPage = requestPage;
  await until(async () => (await csv()).status === 200);
  reading.resolve();
  expect(await (await kept).text()).toContain("req_");
  expect((await csv("", { key: server.other.adminKey })).status).toBe(200);
});

test.each([
  ["after=req_1", 422, "validation_error"],
  ["limit=101", 422, "validation_error"],
  ["status=6xx", 422, "validation_error"],
  ["start=-1", 422, "validation_error"],
  ["project_id=%00", 422, "validation_error"],
])("the query %s is refused", async (query, status, code) => {
  expect(await server.refused(`GET /requests?${query}`)).toMatchObject({ status, code });
});

test("a key without the scope is refused, and one of another organization sees its own requests alone", async () => {
  const { secret } = await server.newAdminKey({ scopes: ["organization:read"] });
  expect(await server.refused("GET /requests", undefined, secret)).toMatchObject({
    ...{ status: 403, code: "insufficient_scope" },
  });
  expect((await list("", server.other.adminKey)).data).toHaveLength(1);
  expect((await list(`project_id=${project}`, server.other.adminKey)).data).toEqual([]);
});
