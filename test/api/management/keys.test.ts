/**
 * Promise: a key created in the dashboard has exactly the requested settings, and members manage only their own keys.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Key = {
  id: string;
  secret: string;
  created_by: string | null;
  status: string;
  [field: string]: unknown;
};
type List = { data: Key[]; has_more: boolean; next_cursor: string | null };

let fixture: Fixture;
let owner: Person;
let admin: Person;
let member: Person;
let organization: string;
let project: string;
beforeAll(async () => {
  fixture = await openFixture();
  organization = fixture.organizationId;
  project = (await fixture.parts.accounts.defaultProject(organization))!.id;
  const seat = (role: "owner" | "admin" | "member") => ({ organizationId: organization, role });
  owner = await fixture.person("owner", seat("owner"));
  admin = await fixture.person("admin", seat("admin"));
  member = await fixture.person("member", seat("member"));
});
afterAll(() => fixture[Symbol.asyncDispose]());

const now = () => Math.floor(fixture.clock.now() / 1000);
const fields = { name: "ci", environment: "test" };
const make = (who: Person, more: object = {}) =>
  who.get<Key>(`POST /api/projects/${project}/keys`, { ...fields, ...more });
const models = (secret: string) =>
  fetch(`${fixture.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
const codeOf = async (response: Response | Promise<Response>) => (await errorOf(await response)).code;

describe("a new key", () => {
  test("works at once with its settings, and its secret is shown once", async () => {
    const key = await make(member);
    expect(key).toMatchObject({ ...fields, project_id: project, created_by: member.id, status: "active" });
    expect(key.secret).toMatch(/^sk_test_[0-9A-Za-z]{40}$/);
    expect(key.scopes).toHaveLength(5);
    expect((await models(key.secret)).status).toBe(200);
    const { secret: _secret, ...rest } = key;
    const { last_used_at: _used, ...read } = await member.get<Key>(`GET /api/keys/${key.id}`);
    expect({ ...read, last_used_at: null }).toEqual(rest as never);
  });

  test("is allowed what its scopes say, until it expires", async () => {
    const end = now() + 60;
    const key = await make(owner, { scopes: ["speech:create"], expires_at: end });
    expect(key).toMatchObject({ scopes: ["speech:create"], expires_at: end });
    expect(await codeOf(models(key.secret))).toBe("insufficient_scope");
    fixture.clock.pass(60_000);
    expect(await codeOf(models(key.secret))).toBe("api_key_expired");
    expect((await owner.get<Key>(`GET /api/keys/${key.id}`)).status).toBe("expired");
  });

  test.each([
    [{ name: "" }, "name"],
    [{ name: " " }, "name"],
    [{ environment: "both" }, "environment"],
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["everything"] }, "scopes.0"],
    [{ expires_at: 0 }, "expires_at"],
    [{ expires_at: 1e300 }, "expires_at"],
    [{ expires_at: 253_402_300_800 }, "expires_at"],
    [{ name: "a\0b" }, "name"],
    [{ name: "a\r\nb" }, "name"],
    [{ name: "a\u001b[2J" }, "name"],
    [{ name: "a\u202eb" }, "name"],
  ])("is refused with %j", async (more, param) => {
    const refused = await owner.ask(`POST /api/projects/${project}/keys`, { ...fields, ...more });
    expect(await errorOf(refused)).toMatchObject({ status: 422, code: "validation_error", param });
  });

  test("cannot be created in an archived project", async () => {
    const { id } = await owner.get<{ id: string }>(`POST /api/organizations/${organization}/projects`, {
      name: "Over",
    });
    await owner.get(`POST /api/projects/${id}/archive`);
    expect(await codeOf(owner.ask(`POST /api/projects/${id}/keys`, fields))).toBe("project_archived");
    expect(await codeOf(owner.ask(`POST /api/projects/${id}/playground-key`))).toBe("project_archived");
  });
});

describe("an existing key", () => {
  test("can change its name, scopes and expiry, and nothing else", async () => {
    const { secret: _secret, ...key } = await make(owner);
    const stolen = {
      organization_id: "org_other",
      organizationId: "org_other",
      hash: "x",
      status: "revoked",
    };
    const change = { name: "renamed", scopes: ["catalog:read"], expires_at: now() + 60 };
    expect(await owner.get<Key>(`PATCH /api/keys/${key.id}`, { ...change, ...stolen })).toEqual({
      ...key,
      ...change,
    } as never);
    expect(await owner.get(`PATCH /api/keys/${key.id}`, { expires_at: null })).toMatchObject({
      name: "renamed",
      expires_at: null,
    });
    expect((await errorOf(await owner.ask(`PATCH /api/keys/${key.id}`, { expires_at: now() }))).status).toBe(
      422,
    );
  });

  test("rotated with a grace period works beside the new key until the period ends", async () => {
    const old = await make(member);
    const fresh = await member.get<Key>(`POST /api/keys/${old.id}/rotate`, { grace_seconds: 60 });
    expect(fresh).toMatchObject({ name: "ci", rotated_from: old.id, created_by: member.id });
    expect((await models(old.secret)).status).toBe(200);
    expect((await models(fresh.secret)).status).toBe(200);
    fixture.clock.pass(60_000);
    expect(await codeOf(models(old.secret))).toBe("api_key_expired");
    expect((await models(fresh.secret)).status).toBe(200);
  });

  test("rotated works for 30 days beside the new key at most", async () => {
    const days = 86_400;
    const old = await make(owner);
    const beyond = await owner.ask(`POST /api/keys/${old.id}/rotate`, { grace_seconds: 30 * days + 1 });
    expect(await errorOf(beyond)).toMatchObject({ status: 422, code: "validation_error" });
    await owner.get(`POST /api/keys/${old.id}/rotate`, { grace_seconds: 30 * days });
    fixture.clock.pass((30 * days - 1) * 1000);
    expect((await models(old.secret)).status).toBe(200);
    fixture.clock.pass(1000);
    expect(await codeOf(models(old.secret))).toBe("api_key_expired");
  });

  test("rotated without a grace period stops working within a second", async () => {
    const old = await make(owner);
    expect((await models(old.secret)).status).toBe(200);
    await owner.get(`POST /api/keys/${old.id}/rotate`);
    fixture.clock.pass(1000);
    expect(await codeOf(models(old.secret))).toBe("api_key_revoked");
    expect(await codeOf(owner.ask(`POST /api/keys/${old.id}/rotate`))).toBe("key_not_active");
    expect(await codeOf(owner.ask(`PATCH /api/keys/${old.id}`, { name: "late" }))).toBe("key_not_active");
  });

  test("revoked is refused within a second, and revoking it again changes nothing", async () => {
    const key = await make(owner);
    expect((await models(key.secret)).status).toBe(200);
    const revoked = await owner.get<Key>(`POST /api/keys/${key.id}/revoke`);
    expect(revoked).toMatchObject({ status: "revoked", revoked_at: now() });
    fixture.clock.pass(1000);
    expect(await codeOf(models(key.secret))).toBe("api_key_revoked");
    const { last_used_at: _used, ...same } = await owner.get<Key>(`POST /api/keys/${key.id}/revoke`);
    expect(revoked).toMatchObject(same as object);
  });

  test("a route that uses no body refuses a large one, and does nothing", async () => {
    const key = await make(owner);
    const response = await owner.ask(`POST /api/keys/${key.id}/revoke`, { padding: "x".repeat(300_000) });
    expect(await errorOf(response)).toMatchObject({ status: 422, code: "validation_error" });
    expect((await owner.get<Key>(`GET /api/keys/${key.id}`)).status).toBe("active");
  });

  test.each([
    ["PATCH", "", { name: "mine" }],
    ["POST", "/rotate", {}],
    ["POST", "/revoke", {}],
  ])("can be changed with %s %s by its member, and by any admin", async (method, path, body) => {
    const ofOwner = await make(owner);
    const ofMember = await make(member);
    const change = (who: Person, { id }: Key) => who.ask(`${method} /api/keys/${id}${path}`, body);
    expect(await codeOf(change(member, ofOwner))).toBe("insufficient_role");
    expect((await member.get<Key>(`GET /api/keys/${ofOwner.id}`)).status).toBe("active");
    expect((await change(member, ofMember)).ok).toBe(true);
    expect((await change(admin, ofOwner)).ok).toBe(true);
  });
});

test("a user has one playground key, which gets a new secret and expires after twelve hours", async () => {
  const path = `POST /api/projects/${project}/playground-key`;
  const [first, others] = [await member.get<Key>(path), await admin.get<Key>(path)];
  expect(first).toMatchObject({ name: "Playground", environment: "test", expires_at: now() + 43_200 });
  const named = await make(member, { name: "Playground" });
  fixture.clock.pass(5000);
  const second = await member.get<Key>(path);
  expect(second).toMatchObject({ id: first.id, expires_at: now() + 43_200 });
  expect(new Set([first.id, others.id, named.id]).size).toBe(3);
  const list = `GET /api/organizations/${organization}/keys?limit=100`;
  const ids = async (query: string) => (await owner.get<List>(list + query)).data.map(({ id }) => id);
  expect(await ids("")).toEqual(expect.arrayContaining([first.id, others.id, named.id]));
  expect(await ids("&playground=excluded&search=Playground")).toEqual([named.id]);
});

describe("the list of keys", () => {
  const path = (query = "") => `GET /api/organizations/${organization}/keys?${query}`;

  test("is paged newest first, and contains each key once", async () => {
    for (let count = 0; count < 5; count++) {
      fixture.clock.pass(5);
      await make(owner);
    }
    const all = (await owner.get<List>(path("limit=100"))).data;
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const seen: Key[] = [];
    let cursor = "";
    do {
      const page = await owner.get<List>(path(`limit=3${cursor && `&cursor=${cursor}`}`));
      expect(page.data.length).toBeLessThanOrEqual(3);
      expect(page.has_more).toBe(page.next_cursor !== null);
      seen.push(...page.data);
      cursor = page.next_cursor ?? "";
    } while (cursor !== "");
    expect(seen).toEqual(all);
  });

  test.each(["active", "revoked", "expired"])("filtered by %s contains only those keys", async (status) => {
    const { data } = await owner.get<List>(path(`limit=100&status=${status}`));
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map((key) => key.status))).toEqual(new Set([status]));
  });

  test("can be filtered by project and environment", async () => {
    expect((await owner.get<List>(path("environment=live"))).data).toHaveLength(1);
    expect((await owner.get<List>(path(`project_id=${project}&limit=100`))).data.length).toBeGreaterThan(5);
    expect((await owner.get<List>(path("project_id=proj_other"))).data).toEqual([]);
  });

  test.each([
    ["nonsense", "limit=1&cursor=nonsense"],
    ["one that was touched", "limit=1&cursor=x$"],
    ["one of other filters", "limit=1&environment=test&cursor=$"],
  ])("refuses a cursor that is %s", async (_what, query) => {
    const { next_cursor } = await owner.get<List>(path("limit=1"));
    expect(next_cursor).not.toBeNull();
    const refused = await errorOf(await owner.ask(path(query.replace("$", next_cursor!))));
    expect(refused).toMatchObject({ status: 400, code: "invalid_cursor", param: "cursor" });
  });

  test.each(["limit=0", "limit=101", "limit=1.5", "limit=x", "status=sleeping"])(
    "refuses %s",
    async (query) => {
      expect((await errorOf(await owner.ask(path(query)))).status).toBe(422);
    },
  );

  test("ignores unknown parameters", async () => {
    expect((await owner.ask(path("colour=red"))).status).toBe(200);
  });
});
