/**
 * Promise: members see the jobs of all projects of their organization, read, cancel and delete them, and other organizations do not
 * learn of them; a result that may be read once is deleted when it is read here.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { recognize, segmentOf, storedJob } from "./tenancy-jobs.ts";

let fixture: Fixture;
let member: Person;
let owner: { organizationId: string; projectId: string; keyId: string };
let otherProject: string;
beforeAll(async () => {
  fixture = await openFixture();
  const { organizationId, parts } = fixture;
  member = await fixture.person("Grace", { organizationId, role: "member" });
  const projectId = (await parts.accounts.defaultProject(organizationId))!.id;
  owner = { organizationId, projectId, keyId: "key_first" };
  otherProject = (await parts.accounts.createProject(organizationId, "Other")).id;
});
beforeEach(async () => {
  await fixture.parts.database.query.delete(fixture.parts.database.tables.job);
});
afterAll(() => fixture[Symbol.asyncDispose]());

type Record = { id: string; status: string; [field: string]: unknown };
type List = { data: Record[]; next_cursor: string | null };

const path = (rest = "") => `/api/organizations/${fixture.organizationId}/jobs${rest}`;
const list = (query = "") => member.get<List>(`GET ${path(query)}`);
const transcript = (id: string) => member.ask(`POST ${path(`/${id}/transcript`)}`);

test("jobs of all projects are listed page by page, and by status and project", async () => {
  const first = await storedJob(fixture, { ...owner, metadata: '{"call":"007"}', costMicros: 12 });
  const waits = { status: "in_progress", doneSamples: 4000, completedAt: null, expiresAt: null } as const;
  const second = await storedJob(fixture, { ...owner, ...waits, projectId: otherProject });
  const { data } = await list();
  expect(data.map(({ id }) => id)).toEqual([second.id, first.id]);
  expect(data[0]).toMatchObject({
    ...{ project_id: otherProject, status: "in_progress", progress: 25, done_seconds: 0.25 },
    ...{ input: { duration_seconds: 1 }, usage: null, read_once: false },
  });
  expect(data[1]).toMatchObject({
    ...{ key_id: "key_first", environment: "live", metadata: { call: "007" }, cost_micros: 12 },
    usage: { type: "duration", seconds: 1 },
  });
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }) => id);
  expect(await idsOf("?status=completed")).toEqual([first.id]);
  expect(await idsOf(`?project_id=${otherProject}`)).toEqual([second.id]);
  const page = await list("?limit=1");
  expect(page.data.map(({ id }) => id)).toEqual([second.id]);
  expect(await idsOf(`?limit=1&cursor=${page.next_cursor}`)).toEqual([first.id]);
  const other = await member.ask(`GET ${path(`?status=failed&cursor=${page.next_cursor}`)}`);
  expect(await errorOf(other)).toMatchObject({ status: 400, code: "invalid_cursor" });
});

test("a result is read with its segments and words, as often as wanted", async () => {
  const { id } = await storedJob(fixture, owner);
  await recognize(fixture, id, [segmentOf("We are at the old house", 0)]);
  for (const _time of [1, 2]) {
    const response = await transcript(id);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      ...{ task: "transcribe", language: "english", text: "We are at the old house" },
      ...{ segments: [{ start: 0, end: 2.9, text: " We are at the old house" }], words: { length: 6 } },
    });
  }
});

test("a result that may be read once is deleted when it is read", async () => {
  const { id } = await storedJob(fixture, { ...owner, isReadOnce: true });
  await recognize(fixture, id, [segmentOf("Nothing of it is kept", 0)]);
  expect((await list()).data).toMatchObject([{ status: "completed", read_once: true }]);
  await member.get(`GET ${path(`/${id}`)}`); // which does not read the result
  expect(await (await transcript(id)).json()).toMatchObject({ text: "Nothing of it is kept" });
  const { query, tables } = fixture.parts.database;
  expect(await query.select().from(tables.jobPart)).toEqual([]);
  expect(await errorOf(await transcript(id))).toMatchObject({ status: 404, code: "not_found" });
  expect(await member.get(`GET ${path(`/${id}`)}`)).toMatchObject({ status: "expired" });
});

test("a job that has not ended has no result, and is cancelled", async () => {
  const { id } = await storedJob(fixture, {
    ...{ ...owner, status: "queued", samples: null, doneSamples: 0, isRecognized: false },
    ...{ startedAt: null, completedAt: null, expiresAt: null },
  });
  expect(await errorOf(await transcript(id))).toMatchObject({ status: 409, code: "job_not_finished" });
  expect(await member.get(`POST ${path(`/${id}/cancel`)}`)).toMatchObject({ id, status: "cancelled" });
  expect(await member.get(`POST ${path(`/${id}/cancel`)}`)).toMatchObject({ id, status: "cancelled" });
  expect(await errorOf(await transcript(id))).toMatchObject({ status: 404, code: "not_found" });
});

test("a job is deleted with its result", async () => {
  const { id } = await storedJob(fixture, owner);
  await recognize(fixture, id, [segmentOf("Good morning", 0)]);
  const remove = () => member.ask(`DELETE ${path(`/${id}`)}`);
  expect((await remove()).status).toBe(204);
  expect((await list()).data).toEqual([]);
  expect(await fixture.parts.database.query.select().from(fixture.parts.database.tables.jobPart)).toEqual([]);
  for (const response of [await remove(), await transcript(id), await member.ask(`GET ${path(`/${id}`)}`)])
    expect(await errorOf(response)).toMatchObject({ status: 404, code: "not_found" });
});
