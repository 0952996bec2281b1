/** Promise: an admin key opens the organization API and nothing else, within its scopes, its rate and its life. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN_SCOPES } from "../../../../src/scopes.ts";
import { errorOf } from "../../../harness.ts";
import { dialSpeech } from "../../dialects/speech-dial.ts";
import { refusedUpgrade } from "../../dialects/streamed.ts";
import { dial } from "../realtime/live.ts";
import { type AdminFixture, all, openAdminFixture, statusOf, stockClients } from "./admin-fixture.ts";

let server: AdminFixture;
beforeAll(async () => {
  server = await openAdminFixture();
});
afterAll(() => server[Symbol.asyncDispose]());

const LIST = "GET /admin_api_keys";

describe("refusals, in their order", () => {
  const refusal = async (headers: Record<string, string>, path = "/v1/organization/admin_api_keys") =>
    errorOf(await fetch(server.url + path, { headers }));

  test("no key, and a key that does not exist", async () => {
    expect(await refusal({})).toMatchObject({ status: 401, code: "missing_api_key" });
    for (const key of ["sk_admin_short", `sk_admin_${"0".repeat(43)}`, "sk-proj-1"])
      expect(await refusal({ authorization: `Bearer ${key}` })).toMatchObject({
        ...{ status: 401, code: "invalid_api_key" },
        message: expect.stringContaining("loquat admin-keys create"),
      });
  });

  test("a key of another kind, with where to make an admin key", async () => {
    const session = await server.ask("/v1/realtime/client_secrets", { method: "POST", body: "{}" });
    const { value } = (await session.json()) as { value: string };
    for (const key of [server.key, value])
      expect(await refusal({ authorization: `Bearer ${key}` })).toMatchObject({
        ...{ status: 403, code: "insufficient_scope" },
        message: expect.stringContaining("loquat admin-keys create"),
      });
  });

  test("a key that was revoked, within a second also in another process, or has expired", async () => {
    const now = Math.floor(server.clock.now() / 1000);
    const [revoked, removed] = [await server.newAdminKey(), await server.newAdminKey()];
    const short = await server.newAdminKey({ expiresAt: now + 60 });
    for (const { secret } of [revoked, removed, short]) await server.adminGet(LIST, undefined, secret);
    await server.parts.accounts.revokeAdminKey(revoked.id);
    expect(await server.refused(LIST, undefined, revoked.secret)).toMatchObject({
      ...{ status: 401, code: "api_key_revoked" },
    });
    const { query, tables } = server.parts.database;
    await query.update(tables.adminApiKey).set({ revokedAt: now });
    server.clock.pass(1000);
    expect(await server.refused(LIST, undefined, removed.secret)).toMatchObject({ code: "api_key_revoked" });
    await query.update(tables.adminApiKey).set({ revokedAt: null });
    server.clock.pass(60_000);
    expect(await server.refused(LIST, undefined, short.secret)).toMatchObject({
      ...{ status: 401, code: "api_key_expired" },
    });
  });

  test("a key without the scope", async () => {
    for (const [scope, route] of [
      ["organization:read", LIST],
      ["organization:write", "POST /admin_api_keys"],
      ["usage:read", "GET /costs?start_time=0"],
    ] as const) {
      const { secret } = await server.newAdminKey({ scopes: ADMIN_SCOPES.filter((each) => each !== scope) });
      const error = await server.refused(route, route.startsWith("POST") ? { name: "x" } : undefined, secret);
      expect(error).toMatchObject({
        ...{ status: 403, code: "insufficient_scope" },
        message: `This admin key lacks the scope ${scope}.`,
      });
    }
  });

  test("a suspended organization may read, and change nothing", async () => {
    const { id, adminKey } = server.other;
    await server.parts.accounts.setStatus(id, "suspended");
    server.clock.pass(1000);
    await server.adminGet(LIST, undefined, adminKey);
    expect(await server.refused("POST /admin_api_keys", { name: "x" }, adminKey)).toMatchObject({
      ...{ status: 403, code: "organization_suspended" },
    });
    await server.parts.accounts.setStatus(id, "active");
    server.clock.pass(1000);
  });

  test("more than 600 requests a minute of an organization, and none of another's", async () => {
    server.clock.pass(60_000);
    const answers: Response[] = [];
    for (let turn = 0; turn < 601; turn++) answers.push(await server.admin("GET /usage/images"));
    expect(answers.slice(0, 600).every(({ ok }) => ok)).toBe(true);
    expect(answers[600]!.headers.get("retry-after")).toBe("1");
    expect(await errorOf(answers[600]!)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect((await server.admin(LIST, undefined, server.other.adminKey)).ok).toBe(true);
    server.clock.pass(60_000);
    expect((await server.admin(LIST)).ok).toBe(true);
  });
});

describe("an admin key opens nothing else", () => {
  const code = "insufficient_scope";
  test.each([
    "POST /v1/audio/speech",
    "POST /v1/audio/transcriptions",
    "POST /v1/audio/translations",
    "GET /v1/models",
    "GET /v1/me",
    "POST /v1/realtime/client_secrets",
    "GET /v1/audio/voices",
    "POST /dev/captioned_speech",
  ])("%s", async (route) => {
    const [method, path] = route.split(" ") as [string, string];
    const headers = { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" };
    const body = method === "POST" ? { body: "{}" } : {};
    const refused = await errorOf(await fetch(server.url + path, { method, headers, ...body }));
    expect(refused).toMatchObject({ status: 403, code });
    expect(refused.message).toContain("/v1/organization");
  });

  test("no realtime session", async () => {
    const client = await dial(server, { headers: { authorization: `Bearer ${server.adminKey}` } });
    expect(await client.until("error")).toMatchObject({ error: { code } });
    await client.closed;
  });

  test.each(["xi-api-key", "authorization"])("nothing of ElevenLabs' API, in the header %s", async (name) => {
    const headers = { [name]: name === "authorization" ? `Bearer ${server.adminKey}` : server.adminKey };
    for (const path of ["/elevenlabs/v1/voices", "/elevenlabs/v1/user"])
      expect((await fetch(server.url + path, { headers })).status).toBe(403);
    const speaking = "/elevenlabs/v1/text-to-speech/female-warm/stream-input";
    const client = await dialSpeech(server, { path: speaking, headers });
    client.send({ text: " " });
    expect((await client.closed()).reason).toBe(code);
  });

  test("nothing of Deepgram's API", async () => {
    const headers = { authorization: `Token ${server.adminKey}` };
    expect((await fetch(`${server.url}/deepgram/v1/projects`, { headers })).status).toBe(403);
    expect((await refusedUpgrade(`${server.url}/v1/listen`, headers)).status).toBe(403);
  });

  test("no tools of MCP", async () => {
    const headers = { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" };
    const response = await fetch(`${server.url}/mcp`, { method: "POST", headers, body: "{}" });
    expect(await errorOf(response)).toMatchObject({ status: 403, code });
  });
});

describe("admin keys manage admin keys", () => {
  test("every stock client makes one, finds it page by page, and revokes it", async () => {
    for (const [version, client] of await stockClients(server.url, server.adminKey)) {
      const { adminAPIKeys } = client.admin.organization;
      const made = await adminAPIKeys.create({ name: `By ${version}`, expires_in_seconds: 3600 });
      expect(made).toMatchObject({
        ...{ object: "organization.admin_api_key", name: `By ${version}`, owner: { id: server.owner.id } },
        ...{ redacted_value: `sk_admin_…${made.value.slice(-4)}`, expires_at: made.created_at + 3600 },
      });
      expect(made.value).toMatch(/^sk_admin_[0-9A-Za-z]{43}$/);
      const { value: _value, ...record } = made;
      expect(await adminAPIKeys.retrieve(made.id)).toEqual(record);
      const oldestFirst = await all(adminAPIKeys.list({ limit: 1 }));
      expect(oldestFirst.at(-1)).toEqual(record);
      expect(await all(adminAPIKeys.list({ limit: 1, order: "desc" }))).toEqual(oldestFirst.toReversed());
      expect(oldestFirst.length).toBeGreaterThan(1);
      expect(await adminAPIKeys.delete(made.id)).toEqual({
        ...{ id: made.id, object: "organization.admin_api_key.deleted", deleted: true },
      });
      expect(await server.refused(LIST, undefined, made.value)).toMatchObject({ code: "api_key_revoked" });
      for (const call of ["retrieve", "delete"] as const)
        expect(await statusOf(adminAPIKeys[call](made.id))).toBe(404);
      expect((await all(adminAPIKeys.list())).map(({ id }) => id)).not.toContain(made.id);
    }
  });

  test("a key gives no scope that it lacks, and all that it has unless said", async () => {
    const { secret } = await server.newAdminKey({ scopes: ["organization:write", "usage:read"] });
    const create = (body: object) => server.admin("POST /admin_api_keys", { name: "x", ...body }, secret);
    expect(await (await create({})).json()).toMatchObject({ scopes: ["usage:read", "organization:write"] });
    expect(await (await create({ scopes: ["usage:read"] })).json()).toMatchObject({ scopes: ["usage:read"] });
    expect(await errorOf(await create({ scopes: ["organization:read"] }))).toMatchObject({
      ...{ status: 403, code: "insufficient_scope" },
    });
  });

  test("what another organization has is not found, and fields are checked", async () => {
    const { id } = await server.newAdminKey({ organizationId: server.other.id });
    for (const route of [`GET /admin_api_keys/${id}`, `DELETE /admin_api_keys/${id}`])
      expect(await server.refused(route)).toMatchObject({ status: 404, code: "not_found" });
    expect((await server.parts.accounts.adminKey(id))?.status).toBe("active");
    for (const body of [{}, { name: "" }, { name: "a\u0000" }, { name: "x", expires_in_seconds: 0 }])
      expect(await server.refused("POST /admin_api_keys", body)).toMatchObject({ code: "validation_error" });
    for (const query of ["limit=0", "limit=101", "limit=x", "order=up", "after=%00"])
      expect(await server.refused(`GET /admin_api_keys?${query}`)).toMatchObject({
        ...{ status: 422, code: "validation_error" },
      });
  });

  test("admin keys end with the ownership of the person who made them", async () => {
    const { accounts } = server.parts;
    const { organizationId } = server;
    for (const end of ["demoted", "removed"]) {
      const person = await server.person(`Former-${end}`, { organizationId, role: "owner" });
      const made = await server.newAdminKey({ createdBy: person.id });
      const { secret: derived } = await server
        .adminGet<{ value: string }>("POST /admin_api_keys", { name: "y" }, made.secret)
        .then(({ value }) => ({ secret: value }));
      const { query, tables } = server.parts.database;
      const seat = (await query.select().from(tables.member)).find(({ userId }) => userId === person.id)!;
      const actor = { userId: server.owner.id, organizationId };
      if (end === "demoted") await accounts.changeRole(actor, seat.id, "admin");
      else await accounts.removeMember(actor, seat.id);
      server.clock.pass(1000);
      for (const secret of [made.secret, derived])
        expect(await server.refused(LIST, undefined, secret)).toMatchObject({ code: "api_key_revoked" });
    }
    expect((await server.admin(LIST)).ok).toBe(true);
  });
});
