/** Promise: programs manage the spend alerts of their own organization, its projects and keys, with stock clients. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AdminFixture, all, openAdminFixture, statusOf, stockClients } from "./admin-fixture.ts";

let server: AdminFixture;
let project: string;
beforeAll(async () => {
  server = await openAdminFixture();
  project = (await server.parts.accounts.defaultProject(server.organizationId))!.id;
});
afterAll(() => server[Symbol.asyncDispose]());

const email = (...recipients: string[]) => ({
  ...({ threshold_amount: 1250, currency: "USD", interval: "month" } as const),
  notification_channel: { type: "email" as const, recipients },
});
const WEBHOOK = { threshold_amount: 100, notification_channel: { type: "webhook" } };

const ours = {
  ...{ scope: "organization", project_id: null, api_key_id: null, threshold_percent: null },
  ...{ created_at: expect.any(Number), last_fired_at: null },
  ...{ pending_recipients: [], unsubscribed_recipients: [] },
};

test("stock clients create, read, change, list and delete alerts of the organization", async () => {
  for (const [, client] of await stockClients(server.url, server.adminKey)) {
    const { spendAlerts } = client.admin.organization;
    const set = email("Olive@Example.com");
    const made = await spendAlerts.create(set);
    const record = { ...set, object: "organization.spend_alert", id: made.id, ...ours };
    const channel = { ...set.notification_channel, subject_prefix: null };
    expect(made as object).toEqual({ ...record, notification_channel: channel });
    expect(made.id).toStartWith("alert_");
    expect(await spendAlerts.retrieve(made.id)).toEqual(made);
    const prefixed = { ...set.notification_channel, subject_prefix: "[Speech]" };
    const changed = await spendAlerts.update(made.id, {
      ...{ ...set, threshold_amount: 2000, notification_channel: prefixed },
    });
    expect(changed).toEqual({ ...made, threshold_amount: 2000, notification_channel: prefixed });
    server.clock.pass(1);
    const second = await spendAlerts.create(set);
    const ids = [made.id, second.id];
    expect((await all(spendAlerts.list({ limit: 1 }))).map(({ id }) => id)).toEqual(ids);
    expect((await all(spendAlerts.list({ limit: 1, order: "desc" }))).map(({ id }) => id)).toEqual(
      ids.toReversed(),
    );
    expect((await spendAlerts.list({ before: second.id })).data.map(({ id }) => id)).toEqual([made.id]);
    for (const id of ids)
      expect(await spendAlerts.delete(id)).toEqual({
        ...{ id, object: "organization.spend_alert.deleted", deleted: true },
      });
    expect(await statusOf(spendAlerts.retrieve(made.id))).toBe(404);
    expect(await all(spendAlerts.list())).toEqual([]);
  }
});

test("stock clients manage the alerts of a project, which has those of its keys", async () => {
  for (const [, client] of await stockClients(server.url, server.adminKey)) {
    const { spendAlerts } = client.admin.organization.projects;
    const made = await spendAlerts.create(project, email("olive@example.com"));
    expect(made).toMatchObject({ object: "project.spend_alert", scope: "project", project_id: project });
    const of = { projectId: project, name: "x", environment: "live", scopes: [], expiresAt: null } as const;
    const key = await server.parts.accounts.createKey(of);
    server.clock.pass(1);
    const ofKey = await spendAlerts.create(project, {
      ...email("olive@example.com"),
      api_key_id: key.id,
    } as never);
    expect(ofKey).toMatchObject({ scope: "key", project_id: project, api_key_id: key.id });
    const listed = await all(spendAlerts.list(project, { limit: 1 }));
    expect(listed).toEqual([made, ofKey]);
    expect(await spendAlerts.retrieve(ofKey.id, { project_id: project })).toEqual(ofKey);
    const changed = await spendAlerts.update(made.id, {
      ...{ project_id: project, ...email("olive@example.com"), threshold_amount: 1 },
    });
    expect(changed.threshold_amount).toBe(1);
    for (const { id } of listed) await spendAlerts.delete(id, { project_id: project });
    expect(await all(spendAlerts.list(project))).toEqual([]);
    expect(await all(client.admin.organization.spendAlerts.list())).toEqual([]);
  }
});

test("an alert may be at a percentage of a budget or of the spending limit", async () => {
  const { accounts, ledger } = server.parts;
  const restrictions = { budget: { limit_micros: 20_000_000, interval: "month" as const } };
  await accounts.updateProject(project, { restrictions });
  const half = { threshold_percent: 50, notification_channel: { type: "webhook" } };
  const made = await server.adminGet<{ id: string }>(`POST /projects/${project}/spend_alerts`, half);
  expect(made).toMatchObject({ threshold_amount: 1000, threshold_percent: 50 });
  await accounts.updateProject(project, { restrictions: null });
  const read = () => server.adminGet(`GET /projects/${project}/spend_alerts/${made.id}`);
  expect(await read()).toMatchObject({ threshold_amount: null, threshold_percent: 50 });
  await server.adminGet(`POST /projects/${project}/spend_alerts/${made.id}`, { threshold_amount: 5 });
  expect(await read()).toMatchObject({ threshold_amount: 5, threshold_percent: null });
  await ledger.setMonthlyLimit(server.organizationId, 30_000_000);
  expect(await server.adminGet("POST /spend_alerts", half)).toMatchObject({ threshold_amount: 1500 });
});

describe("bad input is refused, and nothing is stored", () => {
  const alerts = async () =>
    (await server.parts.database.query.select().from(server.parts.database.tables.spendAlert)).length;

  test.each<[string, object, string]>([
    ["no threshold", { notification_channel: { type: "webhook" } }, "threshold_amount"],
    ["two thresholds", { ...WEBHOOK, threshold_percent: 5 }, "threshold_amount"],
    ["no channel", { threshold_amount: 5 }, "notification_channel"],
    ["an amount of nothing", { ...WEBHOOK, threshold_amount: 0 }, "threshold_amount"],
    ["a fraction of a cent", { ...WEBHOOK, threshold_amount: 0.5 }, "threshold_amount"],
    ["a large amount", { ...WEBHOOK, threshold_amount: 1e12 }, "threshold_amount"],
    [
      "101 percent",
      { threshold_percent: 101, notification_channel: { type: "webhook" } },
      "threshold_percent",
    ],
    ["another currency", { ...WEBHOOK, currency: "EUR" }, "currency"],
    ["another interval", { ...WEBHOOK, interval: "day" }, "interval"],
    [
      "another channel",
      { threshold_amount: 5, notification_channel: { type: "sms" } },
      "notification_channel.type",
    ],
    ["a mail without recipients", email(), "notification_channel.recipients"],
    [
      "a mail to many",
      email(...Array<string>(21).fill("olive@example.com")),
      "notification_channel.recipients",
    ],
    [
      "recipients of a webhook",
      { threshold_amount: 5, notification_channel: { type: "webhook", recipients: ["olive@example.com"] } },
      "notification_channel.recipients",
    ],
    [
      "a prefix of two lines",
      { threshold_amount: 5, notification_channel: { type: "webhook", subject_prefix: "a\nb" } },
      "notification_channel.subject_prefix",
    ],
  ])("%s", async (_, body, param) => {
    const before = await alerts();
    expect(await server.refused("POST /spend_alerts", body)).toMatchObject({
      ...{ status: 422, code: "validation_error", param },
    });
    expect(await alerts()).toBe(before);
  });

  test("a stranger, also one of another organization, gets no mail", async () => {
    const before = await alerts();
    for (const recipient of ["stranger@example.com", server.other.owner.email])
      expect(await server.refused("POST /spend_alerts", email("olive@example.com", recipient))).toMatchObject(
        {
          ...{ status: 422, code: "recipient_not_member", param: "notification_channel.recipients.1" },
        },
      );
    expect(await alerts()).toBe(before);
  });

  test("keys and projects of others, ended ones, and alerts of other scopes are refused", async () => {
    const { accounts } = server.parts;
    const theirs = (await accounts.defaultProject(server.other.id))!.id;
    const of = { name: "x", environment: "live", scopes: [], expiresAt: null } as const;
    const [key, revoked] = [
      await accounts.createKey({ ...of, projectId: theirs }),
      await accounts.createKey({ ...of, projectId: project }),
    ];
    await accounts.revokeKey(revoked.id);
    const archived = await accounts.createProject(server.organizationId, "Archived");
    await accounts.archiveProject(archived.id);
    const before = await alerts();
    const at = (id: string) => `POST /projects/${id}/spend_alerts`;
    const codeOf = async (route: string, body: object) => (await server.refused(route, body)).code;
    expect(await codeOf(at(theirs), WEBHOOK)).toBe("not_found");
    expect(await codeOf(at(project), { ...WEBHOOK, api_key_id: key.id })).toBe("not_found");
    expect(await codeOf(at(project), { ...WEBHOOK, api_key_id: revoked.id })).toBe("key_not_active");
    expect(await codeOf(at(archived.id), WEBHOOK)).toBe("project_archived");
    expect(await alerts()).toBe(before);
    const made = await server.adminGet<{ id: string }>(at(project), WEBHOOK);
    expect(await codeOf(`POST /spend_alerts/${made.id}`, { threshold_amount: 7 })).toBe("not_found");
    expect((await server.admin(`DELETE /spend_alerts/${made.id}`)).status).toBe(404);
  });
});

test("a charge that reaches the amount is told to the recipients and to webhooks", async () => {
  const { parts, clock } = server;
  const asked = { ...email("olive@example.com"), threshold_amount: 1 };
  const { id } = await server.adminGet<{ id: string }>("POST /spend_alerts", asked);
  await server.request({ organizationId: server.organizationId, charged: 20_000 });
  await parts.work.run();
  const { query, tables } = parts.database;
  const events = (await query.select().from(tables.event)).filter(({ type }) => type === "spend.alert");
  expect(events.map(({ data }) => JSON.parse(data))).toMatchObject([
    { scope: "organization", threshold_micros: 10_000, spent_micros: expect.any(Number) },
  ]);
  expect((await query.select().from(tables.work)).filter(({ kind }) => kind === "alert_mail")).toEqual([]);
  const { data } = await server.adminGet<{ data: { id: string }[] }>("GET /spend_alerts?limit=100");
  expect(data.find((alert) => alert.id === id)).toMatchObject({
    last_fired_at: Math.floor(clock.now() / 1000),
  });
});
