/**
 * Promise: a stock client manages webhook endpoints of a project with an API key, and of the organization with an admin key; what
 * arrives is what it unwraps; and no organization reaches another's endpoints.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OpenAI } from "openai";
import { errorOf } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { openReceiver, type Receiver } from "../../../webhooks/receiver.ts";
import { type AdminFixture, all, openAdminFixture, statusOf } from "../organization/admin-fixture.ts";

let server: AdminFixture;
let receiver: Receiver;
let byKey: OpenAI;
let byAdmin: OpenAI;
let key: string;
let projectId: string;
const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
beforeAll(async () => {
  const environment = { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8" };
  server = await openAdminFixture({ environment, startMs: Date.now() });
  receiver = openReceiver();
  const { accounts } = server.parts;
  projectId = (await accounts.createProject(server.organizationId, "Hooks")).id;
  key = await newKey(projectId);
  byKey = clientOf(key);
  byAdmin = clientOf(server.adminKey);
});
afterAll(async () => {
  receiver[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

async function newKey(projectId: string): Promise<string> {
  const fields = { projectId, name: "hooks", environment: "live", expiresAt: null } as const;
  return (await server.parts.accounts.createKey({ ...fields, scopes: ["webhook:manage"] })).secret;
}

type Types = Parameters<OpenAI["webhooks"]["create"]>[0]["event_types"];
const types = (...names: string[]) => names as Types;
const hook = (url = receiver.url): { name: string; url: string; event_types: Types } => ({
  name: "Hook",
  url,
  event_types: types("voice.created", "voice.deleted"),
});

async function ask(route: string, body: unknown = undefined, secret = key): Promise<Response> {
  const [method, path] = route.split(" ") as [string, string];
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return server.ask(`/v1${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const refused = async (...call: Parameters<typeof ask>) => errorOf(await ask(...call));

test("a stock client makes, changes, lists, rotates, tests and deletes an endpoint", async () => {
  const made = await byKey.webhooks.create(hook());
  expect(made).toMatchObject({ object: "webhook_endpoint", name: "Hook", url: receiver.url });
  expect(made).toMatchObject({ status: "enabled", project_id: projectId, disabled_reason: null });
  const { signing_secret: first, ...record } = made;
  expect(first).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(made.signing_secret_hint).toBe(`whsec_…${first.slice(-5, -1)}`);
  expect((await byKey.webhooks.retrieve(made.id)) as object).toEqual(record);
  server.clock.pass(1000);
  const changed = await byKey.webhooks.update(made.id, {
    name: "Other",
    event_types: types("voice.deleted"),
  });
  expect(changed).toMatchObject({
    name: "Other",
    event_types: ["voice.deleted"],
    updated_at: record.updated_at! + 1,
  });
  const second = await byKey.webhooks.create(hook());
  expect((await all(byKey.webhooks.list({ limit: 1 }))).map(({ id }) => id)).toEqual([second.id, made.id]);
  const rotated = await byKey.webhooks.rotateSecret(made.id, { keep_old_secret_active_for_24_hours: true });
  expect(rotated.signing_secret).not.toBe(first);
  const event_type = "voice.created" as Types[number];
  expect((await byKey.webhooks.test(made.id, { event_type })) as object).toEqual({
    ...{ object: "webhook_endpoint.test", success: true, status_code: 204 },
    ...{ event_type, webhook_endpoint_id: made.id },
  });
  const { headers, body } = receiver.received.at(-1)!;
  for (const secret of [first, rotated.signing_secret])
    expect((await byKey.webhooks.unwrap(body, headers, secret)) as object).toMatchObject({
      type: event_type,
    });
  for (const { id } of [made, second])
    expect(await byKey.webhooks.delete(id)).toEqual({
      id,
      object: "webhook_endpoint.deleted",
      deleted: true,
    });
  expect(await all(byKey.webhooks.list())).toEqual([]);
});

test("an API key offers the events of projects, an admin key all of them", async () => {
  const { data } = await byKey.webhooks.eventTypes.list();
  expect(data).toContain("voice.created");
  expect(data).not.toContain("api_key.created");
  expect((await byAdmin.webhooks.eventTypes.list()).data).toContain("api_key.created");
  const unoffered = { ...hook(), event_types: types("api_key.created") };
  expect(await refused("POST /webhook_endpoints", unoffered)).toMatchObject({
    ...{ status: 422, code: "validation_error", param: "event_types" },
  });
});

test("what happens is sent: a key that is made, rotated and revoked, and a project that is archived", async () => {
  const all = ["api_key.created", "api_key.rotated", "api_key.revoked", "project.archived"];
  const { id, signing_secret } = await byAdmin.webhooks.create({ ...hook(), event_types: types(...all) });
  const before = receiver.received.length;
  const { accounts } = server.parts;
  const project = await accounts.createProject(server.organizationId, "Short");
  const fields = { projectId: project.id, name: "short", environment: "live", expiresAt: null } as const;
  const made = await accounts.createKey({ ...fields, scopes: ["speech:create"] });
  const rotated = await accounts.rotateKey(made.id, 0);
  await accounts.revokeKey(rotated!.id);
  await accounts.revokeKey(rotated!.id);
  await accounts.archiveProject(project.id);
  await until(() => receiver.received.length === before + 4);
  await server.parts.work.run();
  const arrived = receiver.received.slice(before);
  const events = await Promise.all(
    arrived.map(({ body, headers }) => byAdmin.webhooks.unwrap(body, headers, signing_secret)),
  );
  const inOrder = events.toSorted((one, other) => all.indexOf(one.type) - all.indexOf(other.type));
  expect(inOrder as object[]).toMatchObject([
    { type: "api_key.created", project_id: project.id, data: { id: made.id } },
    { type: "api_key.rotated", data: { id: rotated!.id, rotated_from: made.id } },
    { type: "api_key.revoked", data: { id: rotated!.id } },
    { type: "project.archived", data: { id: project.id } },
  ]);
  await byAdmin.webhooks.delete(id);
});

test("deliveries are listed, filtered and sent again, and events of a time are replayed", async () => {
  const { id } = await byKey.webhooks.create(hook());
  receiver.answers.push(new Response(null, { status: 500 }));
  const make = (name: string) =>
    server.parts.voices.create({
      ...{ organizationId: server.organizationId, name, model: "svc-tts1" },
      parts: { recording: Buffer.from(name) },
    });
  const voice = await make("one");
  await server.parts.work.run();
  server.clock.pass(6000); // five seconds and a fifth
  await server.parts.work.run();
  await make("two");
  await server.parts.work.run();
  type Page = { data: Record<string, unknown>[]; has_more: boolean };
  const list = async (query: string) =>
    (await (await ask(`GET /webhook_endpoints/${id}/deliveries${query}`)).json()) as Page;
  const { data } = await list("");
  expect(data).toMatchObject([
    { event_type: "voice.created", status: "delivered", attempt: 1 },
    { object: "webhook_endpoint.delivery", status: "delivered", attempt: 2, status_code: 204, error: null },
  ]);
  expect((await list("?status=failed")).data).toEqual([]);
  const page = await list("?limit=1");
  expect(page.has_more).toBe(true);
  expect((await list(`?after=${page.data[0]!.id}`)).data).toEqual([data[1]!]);
  const before = receiver.received.length;
  const again = await ask(`POST /webhook_endpoints/${id}/deliveries/${data[1]!.id}/retry`);
  expect((await again.json()) as object).toMatchObject({ id: data[1]!.id, event_id: data[1]!.event_id });
  await server.parts.work.run();
  expect(receiver.received.slice(before).map(({ id }) => id)).toEqual([data[1]!.event_id as string]);
  const replay = await ask(`POST /webhook_endpoints/${id}/replay`, { after: voice.createdAt });
  expect((await replay.json()) as object).toMatchObject({ events: 2, has_more: false });
  await server.parts.work.run();
  expect(receiver.received.length).toBe(before + 3);
  await byKey.webhooks.delete(id);
});

test("an endpoint that was switched off is switched on again", async () => {
  const { id } = await byKey.webhooks.create(hook());
  const to = async (status: string) => (await ask(`POST /webhook_endpoints/${id}`, { status })).json();
  expect((await to("disabled")) as object).toMatchObject({
    status: "disabled",
    disabled_reason: "requested",
  });
  expect(await refused(`POST /webhook_endpoints/${id}/replay`, { after: 0 })).toMatchObject({
    ...{ status: 409, code: "webhook_disabled" },
  });
  expect((await to("enabled")) as object).toMatchObject({ status: "enabled", disabled_reason: null });
  await byKey.webhooks.delete(id);
});

test("changes of an endpoint are in the audit log, without its address and its secret", async () => {
  const { id, signing_secret } = await byKey.webhooks.create(hook());
  await byKey.webhooks.update(id, { name: "Other", url: `${receiver.url}secret-path` });
  await byKey.webhooks.rotateSecret(id);
  await byKey.webhooks.delete(id);
  const { data } = await server.adminGet<{ data: { type: string }[] }>(
    `GET /audit_logs?resource_ids[]=${id}`,
  );
  const types = data.map(({ type }) => type).toSorted();
  expect(types).toEqual(["created", "deleted", "secret_rotated", "updated"].map((what) => `webhook.${what}`));
  for (const secret of ["secret-path", signing_secret]) expect(JSON.stringify(data)).not.toContain(secret);
});

describe("refusals", () => {
  test.each([
    ["a key without the scope", (): string => server.key, 403, "insufficient_scope"],
    ["no key of this server", (): string => "sk-proj-other", 401, "invalid_api_key"],
  ] as const)("%s manages nothing", async (_, secret, status, code) => {
    expect(await refused("GET /webhook_endpoints", undefined, secret())).toMatchObject({ status, code });
  });

  test.each([
    ["http://10.0.0.1/", "url_not_allowed"],
    ["http://93.184.216.34/", "url_not_allowed"],
    ["https://169.254.169.254/", "url_not_allowed"],
    ["https://user:word@example.com/", "url_not_allowed"],
    ["ftp://127.0.0.1/", "url_not_allowed"],
    ["nothing", "url_not_allowed"],
    ["https://no-such-name.invalid/", "url_unreachable"],
    ["", "validation_error"],
  ])("an endpoint at %p is refused", async (url, code) => {
    expect(await refused("POST /webhook_endpoints", hook(url))).toMatchObject({ code, param: "url" });
    expect(await all(byKey.webhooks.list())).toEqual([]);
  });

  test("malformed bodies and unknown events are refused with the field", async () => {
    for (const [body, param] of [
      [{ ...hook(), event_types: [] }, "event_types"],
      [{ ...hook(), event_types: ["voice.created", "voice.created"] }, "event_types"],
      [{ ...hook(), event_types: ["response.completed"] }, "event_types.0"],
      [{ ...hook(), name: undefined }, "name"],
    ] as const)
      expect(await refused("POST /webhook_endpoints", body)).toMatchObject({
        code: "validation_error",
        param,
      });
  });

  test("an endpoint that does not answer a test is unreachable", async () => {
    const { id } = await byKey.webhooks.create(hook("http://127.0.0.1:1/"));
    expect(
      await refused(`POST /webhook_endpoints/${id}/test`, { event_type: "voice.created" }),
    ).toMatchObject({
      ...{ status: 502, code: "webhook_unreachable" },
    });
    await byKey.webhooks.delete(id);
  });

  test("endpoints of another project, and of another organization, do not exist", async () => {
    const { id } = await byAdmin.webhooks.create(hook());
    const clients = [byKey, clientOf(server.other.adminKey)];
    for (const { webhooks } of clients) {
      expect(await all(webhooks.list())).toEqual([]);
      for (const call of [
        webhooks.retrieve(id),
        webhooks.update(id, { name: "Mine" }),
        webhooks.delete(id),
        webhooks.rotateSecret(id),
        webhooks.test(id, { event_type: "voice.created" as Types[number] }),
      ])
        expect(await statusOf(call)).toBe(404);
    }
    for (const route of ["GET deliveries", "POST deliveries/dlv_1/retry", "POST replay"]) {
      const [method, path] = route.split(" ");
      const body = method === "GET" ? undefined : { after: 0 };
      expect((await ask(`${method} /webhook_endpoints/${id}/${path}`, body)).status).toBe(404);
    }
    await byAdmin.webhooks.delete(id);
  });
});
