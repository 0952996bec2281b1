/**
 * Promise: the requests of OpenAI's Terraform provider (openai/openai) for projects, service accounts, invitations, users,
 * keys and spend alerts succeed, and the answers hold what it stores: otherwise it ends with "inconsistent result after apply".
 *
 * It sends a user agent of its own, `null` where a change has no body, and reads a project from the list of all.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AdminFixture, openAdminFixture } from "./admin-fixture.ts";

let server: AdminFixture;
beforeAll(async () => {
  server = await openAdminFixture();
});
afterAll(() => server[Symbol.asyncDispose]());

type Answer = Record<string, unknown> & { id: string };

async function send(route: string, body?: object | null): Promise<Answer> {
  const [method, path] = route.split(" ") as [string, string];
  const headers: Record<string, string> = {
    authorization: `Bearer ${server.adminKey}`,
    "user-agent": "terraform-provider-openai/1.0.0",
    accept: "application/json",
  };
  if (body !== undefined) headers["content-type"] = "application/json";
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${server.url}/v1/organization${path}`, { method, headers, ...init });
  const text = await response.text();
  expect({ route, refused: response.ok ? null : text }).toEqual({ route, refused: null });
  return JSON.parse(text) as Answer;
}

const statusOf = async (route: string) => (await server.admin(route)).status;

/** As it reads a list: page by page, from the id of the last item. */
async function listed(path: string): Promise<Answer[]> {
  const found: Answer[] = [];
  for (let after = ""; ; ) {
    const page = await send(`GET ${path}${after}`);
    const { data, has_more } = page as Answer & { data: Answer[]; has_more: boolean };
    found.push(...data);
    if (!has_more) return found;
    after = `&after=${data.at(-1)!.id}`;
  }
}

const projectsPath = "/projects?include_archived=true&limit=100";

describe("openai_project", () => {
  test("is created, read from the list, renamed, and archived for good", async () => {
    const made = await send("POST /projects", { name: "Terraformed" });
    expect(made).toMatchObject({ name: "Terraformed", status: "active", archived_at: null });
    const inList = async () => (await listed(projectsPath)).find(({ id }) => id === made.id);
    expect(await inList()).toEqual(made);
    const update = { name: "Renamed", geography: null, external_key_id: null };
    expect(await send(`POST /projects/${made.id}`, update)).toEqual({ ...made, name: "Renamed" });
    await send(`POST /projects/${made.id}/archive`, null);
    expect(await inList()).toMatchObject({ status: "archived" });
    expect(await send(`GET /projects/${made.id}`)).toMatchObject({ name: "Renamed", status: "archived" });
  });
});

describe("openai_project_service_account", () => {
  test("is created without a key, read, and deleted", async () => {
    const project = await send("POST /projects", { name: "Accounts" });
    const path = `/projects/${project.id}/service_accounts`;
    const made = await send(`POST ${path}`, { create_service_account_only: true, name: "deploy" });
    expect(made).toMatchObject({ name: "deploy", created_at: expect.any(Number), api_key: null });
    expect(await send(`GET ${path}/${made.id}`)).toMatchObject({ id: made.id, name: "deploy" });
    await send(`DELETE ${path}/${made.id}`);
    expect(await statusOf(`GET ${path}/${made.id}`)).toBe(404);
  });
});

describe("openai_invite", () => {
  test.each(["owner", "reader"])("for the role %s is created, read, listed and deleted", async (role) => {
    const email = `${role}@example.com`;
    const made = await send("POST /invites", { email, role, projects: [] });
    expect(made).toMatchObject({ email, role, projects: [], status: "pending" });
    expect(made).toMatchObject({ created_at: expect.any(Number), expires_at: expect.any(Number) });
    expect(await send(`GET /invites/${made.id}`)).toEqual(made);
    expect(await listed("/invites?limit=100")).toContainEqual(made);
    await send(`DELETE /invites/${made.id}`);
    expect(await statusOf(`GET /invites/${made.id}`)).toBe(404);
  });
});

describe("openai_organization_user", () => {
  test("is adopted, gets the role that is asked for and keeps it, and is removed", async () => {
    const { organizationId } = server;
    const { id, email } = await server.person("Tess", { organizationId, role: "member" });
    expect(await send(`GET /users/${id}`)).toMatchObject({ id, email, name: "Tess", role: "reader" });
    for (const role of ["owner", "reader"]) {
      expect(await send(`POST /users/${id}`, { role })).toMatchObject({ id, role });
      expect(await send(`GET /users/${id}`)).toMatchObject({ id, role });
    }
    expect((await listed("/users?limit=100")).map((user) => user.id)).toContain(id);
    await send(`DELETE /users/${id}`);
    expect(await statusOf(`GET /users/${id}`)).toBe(404);
  });
});

describe("keys of a project", () => {
  test("are listed, read and deleted", async () => {
    const project = await send("POST /projects", { name: "Keys" });
    const path = `/projects/${project.id}/api_keys`;
    const account = await send(`POST /projects/${project.id}/service_accounts`, { name: "first" });
    const { id } = account.api_key as Answer;
    expect(await listed(`${path}?limit=100`)).toMatchObject([{ id, owner: { type: "service_account" } }]);
    expect(await send(`GET ${path}/${id}`)).toMatchObject({ id, last_used_at: null });
    await send(`DELETE ${path}/${id}`);
    expect(await statusOf(`GET ${path}/${id}`)).toBe(404);
  });
});

describe("spend alerts", () => {
  test("are created, read, changed as a whole, listed and deleted, and answer what was sent", async () => {
    const project = await send("POST /projects", { name: "Alerts" });
    for (const path of ["/spend_alerts", `/projects/${project.id}/spend_alerts`]) {
      const channel = { type: "email", recipients: ["Olive@example.com"], subject_prefix: null };
      const set = {
        ...{ threshold_amount: 12_500, currency: "USD", interval: "month" },
        notification_channel: channel,
      };
      const made = await send(`POST ${path}`, set);
      expect(made).toMatchObject(set);
      expect(await send(`GET ${path}/${made.id}`)).toEqual(made);
      const changed = {
        ...set,
        threshold_amount: 50,
        notification_channel: { ...channel, subject_prefix: "[x]" },
      };
      expect(await send(`POST ${path}/${made.id}`, changed)).toEqual({ ...made, ...changed });
      expect(await listed(`${path}?limit=100`)).toEqual([{ ...made, ...changed }]);
      await send(`DELETE ${path}/${made.id}`);
      expect(await statusOf(`GET ${path}/${made.id}`)).toBe(404);
    }
  });
});
