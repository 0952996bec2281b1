/** Promise: members read the spend alerts of their organization, by list and by id; only owners and admins change them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Alert = { id: string; threshold_amount: number | null; last_fired_at: number | null };

let fixture: Fixture;
let admin: Person;
let member: Person;
let path: string;
let project: string;
beforeAll(async () => {
  fixture = await openFixture();
  const { organizationId } = fixture;
  path = `/api/organizations/${organizationId}/spend-alerts`;
  project = (await fixture.parts.accounts.defaultProject(organizationId))!.id;
  admin = await fixture.person("admin", { organizationId, role: "admin" });
  member = await fixture.person("member", { organizationId, role: "member" });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const listed = async (who: Person) => (await who.get<{ data: Alert[] }>(`GET ${path}`)).data;

test("members read alerts, whom they tell and when they went off last", async () => {
  const channel = { type: "email", recipients: ["admin@example.com"], subject_prefix: "[Speech]" };
  const of = { threshold_amount: 1, notification_channel: channel };
  const made = await admin.get<Alert>(`POST ${path}`, { ...of, project_id: project });
  const expected = {
    ...of,
    object: "spend_alert",
    ...{ scope: "project", project_id: project, api_key_id: null, last_fired_at: null },
  };
  expect(await member.get(`GET ${path}/${made.id}`)).toMatchObject(expected);
  expect(await listed(member)).toEqual([made]);
  await fixture.request({ charged: 20_000 });
  const fired = await member.get<Alert>(`GET ${path}/${made.id}`);
  expect(fired.last_fired_at).toBeGreaterThan(0);
  expect(await listed(member)).toEqual([fired]);
  await admin.ask(`DELETE ${path}/${made.id}`);
  expect((await errorOf(await member.ask(`GET ${path}/${made.id}`))).code).toBe("not_found");
  expect(await listed(member)).toEqual([]);
});

test("members change none", async () => {
  const body = { threshold_amount: 100, notification_channel: { type: "webhook" } };
  const made = await admin.get<Alert>(`POST ${path}`, body);
  for (const response of [
    member.ask(`POST ${path}`, body),
    member.ask(`PATCH ${path}/${made.id}`, { threshold_amount: 200 }),
    member.ask(`DELETE ${path}/${made.id}`),
  ])
    expect((await errorOf(await response)).code).toBe("insufficient_role");
  expect(await listed(admin)).toEqual([made]);
});
