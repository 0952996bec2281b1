/** Promise: organizations and projects can be created, renamed and archived by their owners, and names are unique. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Organization = { id: string; name: string; [field: string]: unknown };
type Project = { id: string; name: string; status: string; [field: string]: unknown };
type List<T> = { data: T[] };

let fixture: Fixture;
let owner: Person;
let organization: string;
beforeAll(async () => {
  fixture = await openFixture({ free: true });
  organization = fixture.organizationId;
  owner = await fixture.person("owner", { organizationId: organization, role: "owner" });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const now = () => Math.floor(fixture.clock.now() / 1000);
const projects = async () =>
  (await owner.get<List<Project>>(`GET /api/organizations/${organization}/projects`)).data;
const make = (name: string) =>
  owner.get<Project>(`POST /api/organizations/${organization}/projects`, { name });
const codeOf = async (response: Promise<Response>) => (await errorOf(await response)).code;

describe("an organization", () => {
  test("shows its tier and limits, and can be renamed", async () => {
    const path = `/api/organizations/${organization}`;
    const { created_at, ...fields } = await owner.get<Organization>(`GET ${path}`);
    expect(created_at).toBeNumber();
    expect(fields).toEqual({
      id: organization,
      object: "organization",
      name: "Default",
      plan: "prepaid",
      tier: "free",
      status: "active",
      require_two_factor: false,
      monthly_spending_limit_micros: 100_000_000,
      lifetime_purchased_micros: 0,
      limit_overrides: null,
      request_log_days: null,
      request_log_addresses: "full",
      data_retention: "none",
      key_max_days: null,
      job_result_days: null,
      end_user_header: null,
      end_users_hashed: false,
      delete_at: null,
    });
    await fixture.parts.accounts.setLimits(organization, { requestsPerMinute: 7 });
    const renamed = await owner.get<Organization>(`PATCH ${path}`, { name: "Acme" });
    expect(renamed).toMatchObject({ name: "Acme", limit_overrides: { requests_per_minute: 7 } });
  });

  test("a new organization belongs to its creator, and has a project and no credit", async () => {
    fixture.clock.pass(1000);
    const made = await owner.get<Organization>("POST /api/organizations", { name: "Second" });
    const { organizations } = await owner.get<{ organizations: object[] }>("GET /api/session");
    const known = { id: made.id, name: "Second", plan: "prepaid", tier: "free" };
    expect(organizations).toContainEqual({ ...known, role: "owner", require_two_factor: false });
    const { data } = await owner.get<List<Organization>>("GET /api/organizations");
    expect(data.map(({ id }) => id)).toEqual([organization, made.id]);
    expect((await owner.get<List<Project>>(`GET /api/organizations/${made.id}/projects`)).data).toMatchObject(
      [{ name: "Default", is_default: true }],
    );
    expect((await fixture.parts.ledger.credit(made.id)).balanceMicros).toBe(0);
  });

  test("an organization needs a name", async () => {
    for (const name of ["", " ", "x".repeat(101), 7, undefined])
      expect((await errorOf(await owner.ask("POST /api/organizations", { name }))).status).toBe(422);
  });
});

describe("a project", () => {
  test("a project is created, read, renamed and listed", async () => {
    const made = await make("Podcast");
    expect(made).toEqual({
      id: made.id,
      object: "project",
      organization_id: organization,
      name: "Podcast",
      status: "active",
      is_default: false,
      created_at: now(),
      archived_at: null,
      restrictions: null,
      budget_period: null,
      default_key_restrictions: null,
      data_retention: null,
    });
    const renamed = await owner.get<Project>(`PATCH /api/projects/${made.id}`, { name: "Radio" });
    expect(renamed).toEqual({ ...made, name: "Radio" });
    expect(await owner.get<Project>(`GET /api/projects/${made.id}`)).toEqual(renamed);
    expect(await projects()).toContainEqual(renamed);
  });

  test("a project's name is unique in its organization", async () => {
    const { id } = await make("Once");
    expect(
      await codeOf(owner.ask(`POST /api/organizations/${organization}/projects`, { name: "Once" })),
    ).toBe("name_taken");
    expect(await codeOf(owner.ask(`PATCH /api/projects/${id}`, { name: "Default" }))).toBe("name_taken");
    expect((await owner.get<Project>(`PATCH /api/projects/${id}`, { name: "Once" })).name).toBe("Once");
  });

  test("a project is archived once, with its keys", async () => {
    const { id } = await make("Over");
    const key = await owner.get<{ id: string; secret: string }>(`POST /api/projects/${id}/keys`, {
      name: "doomed",
      environment: "live",
    });
    const archived = await owner.get<Project>(`POST /api/projects/${id}/archive`);
    expect(archived).toMatchObject({ status: "archived", archived_at: now() });
    fixture.clock.pass(2000);
    expect(await owner.get<Project>(`POST /api/projects/${id}/archive`)).toEqual(archived);
    expect(await owner.get(`GET /api/keys/${key.id}`)).toMatchObject({ status: "revoked" });
    expect(await projects()).toContainEqual(archived);
  });

  test("the default project cannot be archived", async () => {
    const [home] = await projects();
    expect(await codeOf(owner.ask(`POST /api/projects/${home!.id}/archive`))).toBe("default_project");
  });
});

test("an anonymous visitor can read the server's capabilities", async () => {
  const fresh = async () => (await (await fetch(`${fixture.url}/api/installation`)).json()) as object;
  expect(await fresh()).toMatchObject({ sign_up: "open", mail: "folder", payments: false, fresh: false });
  await using empty = await openFixture({ environment: { LOQUAT_SIGN_UP: "invited" } });
  const response = await fetch(`${empty.url}/api/installation`);
  expect((await response.json()) as object).toMatchObject({ sign_up: "invited", fresh: true });
});
