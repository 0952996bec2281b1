/** Promise: what operators note about an organization is theirs: its members read it nowhere, and it ends with the organization. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import Zip from "adm-zip";
import type { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Detail = ReplyOf<(typeof operatorRoutes)["GET /api/operator/organizations/:tenant"]>;

const NOTE = "Met at the fair.\nPays by invoice: امانی";

let fixture: Fixture;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const noteOf = async (id: string) =>
  (await operator.get<Detail>(`GET /api/operator/organizations/${id}`)).operator_note;

test("a note is kept as it was written, changed, and removed", async () => {
  const { id } = await fixture.parts.accounts.createOrganization("Noted");
  const route = `PUT /api/operator/organizations/${id}/note`;
  expect(await noteOf(id)).toBe(null);
  expect(await operator.get<object>(route, { note: NOTE })).toEqual({
    object: "organization_note",
    note: NOTE,
  });
  expect(await noteOf(id)).toBe(NOTE);
  await operator.get(route, { note: null });
  expect(await noteOf(id)).toBe(null);
  for (const note of ["", "x".repeat(5001), 7, undefined])
    expect(await errorOf(await operator.ask(route, { note }))).toMatchObject({ status: 422, param: "note" });
  const unknown = await operator.ask("PUT /api/operator/organizations/org_none/note", { note: "x" });
  expect(await errorOf(unknown)).toMatchObject({ status: 404, code: "not_found" });
});

test("neither the organization's pages, its audit log nor its archive says anything of it", async () => {
  const { id } = await fixture.parts.accounts.createOrganization("Unaware");
  const owner = await fixture.person("unaware", { organizationId: id, role: "owner" });
  await operator.get(`PUT /api/operator/organizations/${id}/note`, { note: NOTE });
  for (const path of ["", "/audit-events", "/settings"])
    expect(await (await owner.ask(`GET /api/organizations/${id}${path}`)).text()).not.toMatch(
      /fair|note\.updated/,
    );
  const archive = await owner.ask(`POST /api/organizations/${id}/export`, {});
  const files = new Zip(Buffer.from(await archive.arrayBuffer())).getEntries();
  const contents = files.map((file) => file.getData().toString()).join("\n");
  expect(contents).toContain("Unaware");
  expect(contents).not.toContain("fair");
  const { tables, query } = fixture.parts.database;
  const events = (await query.select().from(tables.auditEvent)).filter(({ resourceId }) => resourceId === id);
  expect(events.filter(({ type }) => type === "organization.note.updated")).toMatchObject([
    { organizationId: null, actorId: operator.id, changes: "[]" },
  ]);
});

test("it ends where the deletion of the organization begins", async () => {
  const { accounts } = fixture.parts;
  const { id } = await accounts.createOrganization("Leaving");
  await accounts.setOperatorNote(id, NOTE);
  const now = Math.floor(fixture.clock.now() / 1000);
  await accounts.scheduleDeletion(id, now);
  expect(await accounts.beginDeletion(id, now)).toBe(true);
  expect((await accounts.organization(id))!.operatorNote).toBe(null);
  await accounts.setOperatorNote(id, NOTE);
  expect((await accounts.organization(id))!.operatorNote).toBe(null);
});
