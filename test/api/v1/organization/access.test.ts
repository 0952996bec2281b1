/** Promise: every route of the organization API refuses all but an admin key that has its scope, and shows no other organization. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN_SCOPES } from "../../../../src/scopes.ts";
import { errorOf } from "../../../harness.ts";
import { type AdminFixture, openAdminFixture } from "./admin-fixture.ts";
import { ADMIN_TABLE } from "./admin-table.ts";

let server: AdminFixture;
/** What another organization has, by its name in a path. */
let theirs: Ids;
beforeAll(async () => {
  server = await openAdminFixture();
  const { accounts, invitations } = server.parts;
  const { id: organizationId, owner } = server.other;
  const project = (await accounts.defaultProject(organizationId))!;
  const key = { name: "x", environment: "live", scopes: [], expiresAt: null } as const;
  const made = await accounts.createServiceAccountWithKey({ projectId: project.id, name: "Theirs" }, key);
  const watched = { organizationId, projectId: null, keyId: null };
  const settings = {
    ...{ threshold: { amountMicros: 10_000 }, channel: "webhook" as const },
    ...{ recipients: [], subjectPrefix: null },
  };
  const invited = { organizationId, email: "someone@example.com", role: "member" } as const;
  theirs = {
    project: project.id,
    service_account: made.account.id,
    api_key: made.key.id,
    admin_key: (await server.newAdminKey({ organizationId })).id,
    user: owner.id,
    spend_alert: (await server.parts.spendAlerts.create({ ...watched, projectId: project.id }, settings)).id,
    invite: (await invitations.invite({ ...invited, invitedBy: owner.id })).id,
  };
});
afterAll(() => server[Symbol.asyncDispose]());

type Ids = Record<string, string>;

const refusalOf = async (name: string, headers: Ids, ids: Ids = {}) => {
  const [method, pattern] = name.split(" ") as [string, string];
  const path = pattern.replace(/:(\w+)/g, (_, kind: string) => ids[kind] ?? "none_1");
  const body = method === "POST" ? { body: BODY } : {};
  return errorOf(await fetch(server.url + path, { method, headers, ...body }));
};

/** Valid for every route, so that only the id can be wrong. */
const BODY = JSON.stringify({
  ...{ name: "Taken", role: "member", email: "x@example.com" },
  ...{ retention_type: "none", threshold_amount: 100, notification_channel: { type: "webhook" } },
  ...{ mode: "deny_list", model_ids: [], currency: "USD", interval: "month" },
});

describe.each(Object.entries(ADMIN_TABLE))("%s", (name, { admin }) => {
  const codeOf = async (headers: Ids) => (await refusalOf(name, headers)).code;
  const withKey = (key: string) => codeOf({ authorization: `Bearer ${key}` });

  test("is refused without an admin key, and to one that lacks its scope", async () => {
    const { cookie, csrf } = server.owner;
    expect(await codeOf({})).toBe("missing_api_key");
    expect(await codeOf({ cookie, "x-csrf-token": csrf })).toBe("missing_api_key");
    expect(await withKey(`sk_admin_${"x".repeat(43)}`)).toBe("invalid_api_key");
    expect(await withKey(server.key)).toBe("insufficient_scope");
    const scopes = ADMIN_SCOPES.filter((scope) => scope !== admin);
    expect(await withKey((await server.newAdminKey({ scopes })).secret)).toBe("insufficient_scope");
  });

  test("is refused to a key that was revoked or has expired", async () => {
    const revoked = await server.newAdminKey();
    await server.parts.accounts.revokeAdminKey(revoked.id);
    expect(await withKey(revoked.secret)).toBe("api_key_revoked");
    const { secret } = await server.newAdminKey({ expiresAt: Math.floor(server.clock.now() / 1000) + 1 });
    server.clock.pass(1000);
    expect(await withKey(secret)).toBe("api_key_expired");
  });
});

const ROUTES = Object.keys(ADMIN_TABLE);

test.each(ROUTES.filter((name) => !name.startsWith("GET")))(
  "%s is refused to a suspended organization",
  async (name) => {
    const { accounts } = server.parts;
    await accounts.setStatus(server.other.id, "suspended");
    server.clock.pass(1000);
    const { code } = await refusalOf(name, { authorization: `Bearer ${server.other.adminKey}` });
    expect(code).toBe("organization_suspended");
    await accounts.setStatus(server.other.id, "active");
    server.clock.pass(1000);
  },
);

test.each(ROUTES.filter((name) => name.includes(":")))(
  "%s finds nothing of another organization",
  async (name) => {
    const authorization = `Bearer ${server.adminKey}`;
    const project = (await server.parts.accounts.defaultProject(server.organizationId))!.id;
    const isInProject = /:project\/\w+\/:/.test(name); // then also with a project of one's own
    for (const ids of isInProject ? [theirs, { ...theirs, project }] : [theirs]) {
      const { status, code } = await refusalOf(name, { authorization }, ids);
      expect({ status, code }).toEqual({ status: 404, code: "not_found" });
    }
    const untouched = await server.parts.accounts.ownedKey(theirs.project!, theirs.api_key!);
    expect(untouched).toMatchObject({ key: { name: "x" }, account: { name: "Theirs" } });
  },
);
