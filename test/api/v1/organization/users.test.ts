/** Promise: programs manage members and invitations with stock clients, and an organization keeps an owner. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../until.ts";
import { letters, mailedLink } from "../../management/people.ts";
import { type AdminFixture, all, openAdminFixture, statusOf, stockClients } from "./admin-fixture.ts";

let server: AdminFixture;
beforeAll(async () => {
  server = await openAdminFixture();
});
afterAll(() => server[Symbol.asyncDispose]());

test("stock clients list, find, promote, demote and remove users", async () => {
  const { organizationId } = server;
  for (const [version, client] of await stockClients(server.url, server.adminKey)) {
    const { users } = client.admin.organization;
    server.clock.pass(1);
    const { id, email } = await server.person(`Una${version.replace(".", "")}`, {
      organizationId,
      role: "admin",
    });
    const person = await users.retrieve(id);
    expect(person).toMatchObject({
      object: "organization.user",
      id,
      email,
      role: "reader",
      loquat_role: "admin",
    });
    expect(person).toMatchObject({ api_key_last_used_at: null, added_at: expect.any(Number) });
    expect((await all(users.list({ limit: 1 }))).map((each) => each.id)).toEqual([server.owner.id, id]);
    expect((await all(users.list({ emails: [email] }))).map((each) => each.id)).toEqual([id]);
    for (const [role, told, ours] of [
      ["reader", "reader", "member"],
      ["owner", "owner", "owner"],
      ["member", "reader", "member"],
    ])
      expect(await users.update(id, { role: role! })).toMatchObject({ role: told, loquat_role: ours });
    expect(await users.update(id, {})).toMatchObject({ loquat_role: "member" });
    const project = (await server.parts.accounts.defaultProject(organizationId))!;
    const fields = {
      projectId: project.id,
      name: "x",
      environment: "live",
      scopes: [],
      expiresAt: null,
    } as const;
    const key = await server.parts.accounts.createKey({ ...fields, createdBy: id });
    await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${key.secret}` } });
    const used = Math.floor(server.clock.now() / 1000);
    await until(async () => (await users.retrieve(id)).api_key_last_used_at === used);
    expect(await users.delete(id)).toEqual({ id, object: "organization.user.deleted", deleted: true });
    expect((await server.parts.accounts.key(key.id))?.status).toBe("revoked");
    expect(await statusOf(users.retrieve(id))).toBe(404);
  }
});

test("the last owner is neither demoted nor removed", async () => {
  const { id } = server.owner;
  for (const [route, body] of [
    [`POST /users/${id}`, { role: "reader" }],
    [`DELETE /users/${id}`, undefined],
  ] as const)
    expect(await server.refused(route, body)).toMatchObject({ status: 409, code: "last_owner" });
  expect(await server.refused(`POST /users/${id}`, { role: "king" })).toMatchObject({ status: 422 });
  expect(await server.adminGet(`GET /users/${id}`)).toMatchObject({ role: "owner" });
});

test("stock clients invite, find, and withdraw; an invitation that was accepted says so", async () => {
  const { organizationId } = server;
  for (const [version, client] of await stockClients(server.url, server.adminKey)) {
    const { invites } = client.admin.organization;
    const email = `Iris${version.replace(".", "")}@Example.com`;
    server.clock.pass(1);
    const made = await invites.create({ email, role: "reader", projects: [] });
    expect(made).toMatchObject({
      ...{ object: "organization.invite", email: email.toLowerCase(), role: "reader", status: "pending" },
      ...{ loquat_role: "member", projects: [], accepted_at: null, expires_at: made.created_at + 7 * 86_400 },
    });
    const link = await mailedLink(server, email.toLowerCase(), "invitation");
    expect(link.searchParams.get("id")).toBe(made.id);
    expect(await invites.retrieve(made.id)).toEqual(made);
    expect(await statusOf(invites.create({ email, role: "owner" }))).toBe(409);
    server.clock.pass(1);
    const other = await invites.create({ email: `other${version}@example.com`, role: "owner" });
    expect((await all(invites.list({ limit: 1 }))).map(({ id }) => id).slice(-2)).toEqual([
      made.id,
      other.id,
    ]);
    expect(await invites.delete(other.id)).toEqual({
      ...{ id: other.id, object: "organization.invite.deleted", deleted: true },
    });
    expect(await statusOf(invites.retrieve(other.id))).toBe(404);
    const iris = await server.person(`Iris${version.replace(".", "")}`);
    const accepted = await iris.ask("POST /api/auth/organization/accept-invitation", {
      invitationId: made.id,
    });
    expect(accepted.status).toBe(200);
    expect(await invites.retrieve(made.id)).toMatchObject({
      ...{ email: made.email, status: "accepted", accepted_at: expect.any(Number) },
    });
    expect(await server.refused(`DELETE /invites/${made.id}`)).toMatchObject({ code: "already_member" });
    expect(await server.refused("POST /invites", { email, role: "reader" })).toMatchObject({
      ...{ status: 409, code: "already_member" },
    });
    expect(await server.parts.accounts.roleIn(organizationId, iris.id)).toBe("member");
  }
});

test("a key of the command line invites in the name of an owner, and an invitation ends", async () => {
  const { secret } = await server.newAdminKey({ createdBy: null });
  const body = { email: "late@example.com", role: "admin" };
  const made = await server.adminGet<{ id: string }>("POST /invites", body, secret);
  expect(made).toMatchObject({ role: "reader", loquat_role: "admin" });
  await mailedLink(server, body.email, "invitation");
  expect(letters(server, body.email)[0]!.text).toContain(server.owner.email);
  server.clock.pass(8 * 86_400_000);
  expect(await server.adminGet(`GET /invites/${made.id}`)).toMatchObject({ status: "expired" });
  await server.adminGet(`DELETE /invites/${made.id}`);
});

test("invitations to projects, of wrong addresses and roles, and in an organization without an owner are refused", async () => {
  const [email, role] = ["someone@example.com", "reader"];
  for (const body of [
    { email, role, projects: [{ id: "proj_1", role: "member" }] },
    { email: "nobody", role },
    { email, role: "king" },
    { email },
  ])
    expect(await server.refused("POST /invites", body)).toMatchObject({
      status: 422,
      code: "validation_error",
    });
  const { id: organizationId } = await server.parts.accounts.createOrganization("Ownerless");
  const { secret } = await server.newAdminKey({ organizationId, createdBy: null });
  expect(await server.refused("POST /invites", { email, role }, secret)).toMatchObject({
    ...{ status: 403, code: "owner_required" },
  });
  for (let times = 0; times < 3; times++) {
    const made = await server.adminGet<{ id: string }>("POST /invites", { email, role });
    await server.adminGet(`DELETE /invites/${made.id}`);
  }
  expect(await server.refused("POST /invites", { email, role })).toMatchObject({ status: 429 });
});
