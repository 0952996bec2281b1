/**
 * Promise: admins read who changed what in their organization, and operators on the whole server, newest first, narrowed by kind,
 * actor, project and time; members and other organizations read none of it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";
import { STORES } from "./stores.ts";

type Event = { id: string; type: string; organization_id: string | null; resource_id: string } & Record<
  string,
  unknown
>;
type List = { data: Event[]; next_cursor: string | null };

describe.each(STORES)("the audit log on %s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  let admin: Person;
  let member: Person;
  let operator: Person;
  let organization: string;
  let project: string;
  let key: string;
  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    const { accounts } = fixture.parts;
    ({ id: organization } = await accounts.createOrganization("Audited"));
    admin = await fixture.person("Ada", { organizationId: organization, role: "admin" });
    member = await fixture.person("Mia", { organizationId: organization, role: "member" });
    operator = await fixture.operator("Opal");
    const changes = [
      async () => {
        ({ id: project } = await admin.get<{ id: string }>(`POST ${path("/projects")}`, { name: "Shop" }));
      },
      async () => {
        const made = { name: "Website", environment: "live" };
        ({ id: key } = await admin.get<{ id: string }>(`POST /api/projects/${project}/keys`, made));
      },
      () => operator.ask(`PATCH /api/operator/organizations/${organization}`, { status: "suspended" }),
      () => operator.ask(`PATCH /api/operator/organizations/${organization}`, { status: "active" }),
      () => accounts.createOrganization("Elsewhere"),
      () => operator.ask("PUT /api/operator/sign-up", { policy: "invited" }),
      () => accounts.createProject(organization, "By itself"),
    ];
    for (const change of changes) {
      fixture.clock.pass(60_000);
      await change();
    }
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const path = (rest: string, of = organization) => `/api/organizations/${of}${rest}`;
  const list = (query = "") => admin.get<List>(`GET ${path("/audit-events")}?${query}`);
  const typesOf = async (query = "") => (await list(query)).data.map(({ type }) => type);
  const serverTypes = async (query = "") =>
    (await operator.get<List>(`GET /api/operator/audit-events?${query}`)).data.map(({ type }) => type);

  test("tells the newest first, with who, from where, and names as they are now", async () => {
    const { data } = await list();
    expect(data.map(({ type }) => type).slice(0, 5)).toEqual([
      ...["project.created", "organization.resumed", "organization.suspended"],
      ...["api_key.created", "project.created"],
    ]);
    expect(data[0]).toMatchObject({
      actor: { type: "system", id: null, name: null, email: null, ip_address: null, user_agent: null },
    });
    expect(data[1]).toMatchObject({ actor: { type: "operator", name: "Opal", email: operator.email } });
    expect(data[3]).toMatchObject({
      ...{ object: "audit_event", organization_id: organization, organization_name: "Audited" },
      ...{ project_id: project, resource_id: key, resource_name: "Website" },
      actor: { type: "user", id: admin.id, name: "Ada", email: admin.email },
      changes: expect.arrayContaining([{ field: "name", before: null, after: "Website" }]),
    });
    expect((data[3]!.actor as { ip_address: string }).ip_address).toMatch(/127\.0\.0\.1|::1/);
    await admin.ask(`PATCH /api/keys/${key}`, { name: "Renamed" });
    expect((await list("event_types=api_key.created")).data[0]).toMatchObject({ resource_name: "Renamed" });
  });

  test("is narrowed by kind, actor, project, what was changed, and time", async () => {
    expect(await typesOf("event_types=organization.suspended,%20organization.resumed")).toEqual([
      ...["organization.resumed", "organization.suspended"],
    ]);
    expect(await typesOf("event_types=project.archived")).toEqual([]);
    expect(await typesOf("actor_types=operator")).toEqual(["organization.resumed", "organization.suspended"]);
    expect(await typesOf("actor_types=system&event_types=project.created")).toEqual(["project.created"]);
    expect(await typesOf(`actor_ids=${operator.id}`)).toHaveLength(2);
    expect(await typesOf(`actor_emails=${operator.email.toUpperCase()}`)).toHaveLength(2);
    expect(await typesOf(`project_ids=${project}&event_types=project.created,api_key.created`)).toEqual([
      ...["api_key.created", "project.created"],
    ]);
    expect(await typesOf(`resource_ids=${key}&event_types=api_key.created`)).toEqual(["api_key.created"]);
    const [suspended] = (await list("event_types=organization.suspended")).data;
    const at = Number(suspended!.effective_at);
    expect(await typesOf(`start=${at}&end=${at + 1}`)).toEqual(["organization.suspended"]);
    expect(await typesOf(`start=${at + 1}&actor_types=operator`)).toEqual(["organization.resumed"]);
    expect(await typesOf(`end=${at}&actor_types=operator`)).toEqual([]);
    const many = Array.from({ length: 101 }, (_, index) => `x${index}`).join();
    expect(await errorOf(await admin.ask(`GET ${path("/audit-events")}?actor_ids=${many}`))).toMatchObject({
      ...{ status: 422, code: "validation_error" },
    });
  });

  test("is read page by page, and a cursor is of its filters alone", async () => {
    const all = (await list()).data.map(({ id }) => id);
    const read: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const next: List = await list(`limit=2${cursor && `&cursor=${cursor}`}`);
      read.push(...next.data.map(({ id }) => id));
      cursor = next.next_cursor;
    }
    expect(read).toEqual(all);
    const { next_cursor } = await list("limit=1");
    const other = await admin.ask(`GET ${path("/audit-events")}?actor_types=user&cursor=${next_cursor}`);
    expect(await errorOf(other)).toMatchObject({ status: 400, code: "invalid_cursor" });
  });

  test("is not for members, nor for other organizations", async () => {
    const refused = async (by: Person, route: string) => {
      const { status, code } = await errorOf(await by.ask(route));
      return [status, code];
    };
    expect(await refused(member, `GET ${path("/audit-events")}`)).toEqual([403, "insufficient_role"]);
    const other = fixture.organizationId;
    expect(await refused(admin, `GET ${path("/audit-events", other)}`)).toEqual([404, "not_found"]);
    expect(await refused(admin, "GET /api/operator/audit-events")).toEqual([403, "operator_required"]);
    const { id } = await fixture.parts.accounts.createProject(other, "Theirs");
    expect(await typesOf(`project_ids=${id}`)).toEqual([]);
    expect(await typesOf(`organization_id=${other}`)).toEqual(await typesOf());
  });

  test("of the whole server has that of organizations and of the server itself", async () => {
    const all = await serverTypes("limit=100");
    expect(all).toContain("server.updated");
    expect(all).toContain("organization.suspended");
    expect(await serverTypes("scope=server&event_types=server.updated,project.created")).toEqual([
      "server.updated",
    ]);
    const own = await operator.get<List>(`GET /api/operator/audit-events?organization_id=${organization}`);
    expect(own.data.map(({ type }) => type)).toEqual(await typesOf());
    const [sign] = (await operator.get<List>("GET /api/operator/audit-events?scope=server")).data;
    expect(sign).toMatchObject({ type: "server.updated", organization_id: null, organization_name: null });
  });

  test("is downloaded in full as the filters say, and no spreadsheet runs what people wrote", async () => {
    const { accounts } = fixture.parts;
    const { id } = await accounts.createOrganization("Long");
    const owner = await fixture.person("Olga", { organizationId: id, role: "owner" });
    for (let count = 0; count < 401; count++) await accounts.renameOrganization(id, `Name ${count}`);
    fixture.clock.pass(1000);
    await accounts.createProject(id, '=HYPERLINK("https://evil.example")');
    const file = await owner.ask(
      `GET ${path("/audit-events/export", id)}?event_types=organization.updated,project.created`,
    );
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="audit-log.csv"');
    const [head, first, ...others] = (await file.text()).trimEnd().split("\r\n");
    expect(head).toStartWith('"id","time","effective_at","type","event","organization_id"');
    expect(first).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(first).toContain('"The server created the project =HYPERLINK');
    expect(others).toHaveLength(401);
    expect(new Set(others).size).toBe(401);
    const rows = await operator.get<Event[]>(
      `GET /api/operator/audit-events/export?format=json&organization_id=${id}&event_types=organization.updated,project.created`,
    );
    expect(rows).toHaveLength(402);
    expect(rows[0]).toMatchObject({ type: "project.created", organization_name: "Name 400" });
    const none = await owner.ask(`GET ${path("/audit-events/export", id)}?event_types=plan.updated`);
    expect(await none.text()).toBe("");
    for (const route of [path("/audit-events/export", id), "/api/operator/audit-events/export"])
      expect((await admin.ask(`GET ${route}`)).status).toBe(route.includes("operator") ? 403 : 404);
    expect((await member.ask(`GET ${path("/audit-events/export")}`)).status).toBe(403);
  });
});
