/** Promise: the request log is downloaded as the filters say, in full, by members of the organization alone. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

let fixture: Fixture;
let member: Person;
let organization: string;
let project: string;

/** One more than two pages of the log. */
const REQUESTS = 401;

beforeAll(async () => {
  fixture = await openFixture();
  const { accounts } = fixture.parts;
  ({ id: organization } = await accounts.createOrganization("Full"));
  ({ id: project } = await accounts.createProject(organization, "Second"));
  member = await fixture.person("member", { organizationId: organization, role: "member" });
  const request = (fields: object) => fixture.request({ organizationId: organization, ...fields });
  for (let count = 3; count < REQUESTS; count++) await request({});
  await request({ charged: 660 });
  await request({ status: 400, errorCode: "invalid_voice" });
  await request({ status: 502, errorCode: "inference_unavailable", projectId: project });
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
});

const ask = (of: string, query: string) =>
  member.ask(`GET /api/organizations/${of}/requests/export?${query}`);

async function exported(query: string): Promise<string> {
  const response = await ask(organization, query);
  expect(response.headers.get("content-disposition")).toMatch(
    /^attachment; filename="requests\.(csv|json)"$/,
  );
  return response.text();
}

test("every request is in the file once, the newest first", async () => {
  const rows: { id: string }[] = JSON.parse(await exported("format=json"));
  const ids = rows.map(({ id }) => id);
  expect(new Set(ids).size).toBe(REQUESTS);
  expect(ids).toEqual(ids.toSorted().reverse());
});

test("a row has its time as text, its cost in dollars, and the name of its project", async () => {
  const rows = JSON.parse(await exported("format=json")) as Record<string, unknown>[];
  const paid = rows.find(({ cost_micros }) => cost_micros === 660)!;
  expect(paid).toMatchObject({
    ...{ time: new Date(Number(paid.created_at) * 1000).toISOString(), cost_usd: 0.00066 },
    charges: expect.stringContaining("character"),
  });
  expect(rows.find(({ status }) => status === 502)).toMatchObject({ project_name: "Second" });
});

test("filters decide what is in the file; an empty one is one too", async () => {
  const [head, ...lines] = (await exported("format=csv&status=4xx")).trimEnd().split("\r\n");
  expect(head).toStartWith('"id","time","created_at"');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"invalid_voice"');
  expect(await exported(`format=csv&project_id=${project}`)).toContain('"Second"');
  expect(await exported("format=csv&status=503")).toBe("");
  expect(JSON.parse(await exported("format=json&status=503"))).toEqual([]);
});

test("another organization, and another format, are refused", async () => {
  const { id: other } = await fixture.parts.accounts.createOrganization("Other");
  expect(await errorOf(await ask(other, "format=csv"))).toMatchObject({ status: 404, code: "not_found" });
  expect(await errorOf(await ask(organization, "format=xls"))).toMatchObject({
    ...{ status: 422, code: "validation_error" },
  });
});
