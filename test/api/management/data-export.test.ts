/** Promise: an owner downloads all that is kept of an organization, in one archive, without secrets and without anything of others. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Zip from "adm-zip";
import { archiveOf } from "../../../src/server/organization-archive.ts";
import { errorOf } from "../../harness.ts";
import { type Fixture, openFixture } from "./server-fixture.ts";
import { STORES } from "./stores.ts";
import { openTenancy, type Tenancy } from "./tenancy.ts";

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  let tenancy: Tenancy;
  let files: Map<string, Buffer>;
  const text = (name: string) => files.get(name)!.toString();
  const lines = (name: string) =>
    text(name)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  const asks = (role: "owner" | "admin", of = tenancy) =>
    tenancy.users[role].ask(`POST /api/organizations/${of.organization}/export`);

  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    tenancy = await openTenancy(fixture, "Lemon");
    await openTenancy(fixture, "Other");
    const { accounts } = fixture.parts;
    const made = { projectId: tenancy.ids.project!, environment: "live", expiresAt: null } as const;
    for (
      let count = 0;
      count < 120;
      count++ // more than a page
    )
      await accounts.createKey({ ...made, name: `Lemon ${count}`, scopes: ["catalog:read"] });
    const response = await asks("owner");
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toMatch(/filename="org_\w+-\d{4}-\d\d-\d\d\.zip"/);
    const entries = new Zip(Buffer.from(await response.arrayBuffer())).getEntries();
    files = new Map(entries.map((entry) => [entry.entryName, entry.getData()])); // which compares checksums
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  test("has a file for each kind of record, and each recording", () => {
    expect([...files.keys()].sort()).toEqual([
      ...[
        "admin-keys.jsonl",
        "audit-log.json",
        "billing.json",
        "grants.jsonl",
        "invoices.jsonl",
        "jobs.jsonl",
      ],
      ...["keys.jsonl", "members.jsonl", "organization.json", "projects.jsonl", "pronunciations.jsonl"],
      ...["requests.json", "service-accounts.jsonl", "spend-alerts.jsonl", "top-ups.jsonl", "usage.jsonl"],
      ...["voice-consents.jsonl", "voices.jsonl", `voices/${tenancy.ids.voice}.wav`, "webhooks.jsonl"],
    ]);
    for (const [name, content] of files) expect([name, content.length > 2]).toEqual([name, true]);
  });

  test("has all pages, as the routes of the dashboard answer", async () => {
    expect(lines("keys.jsonl")).toHaveLength(122);
    expect(new Set(lines("keys.jsonl").map(({ id }) => id)).size).toBe(122);
    expect(
      lines("members.jsonl")
        .map(({ role }) => role)
        .sort(),
    ).toEqual(["admin", "member", "owner"]);
    expect(JSON.parse(text("organization.json"))).toMatchObject({ name: "Lemon Incorporated" });
    expect(JSON.parse(text("requests.json"))).toHaveLength(3);
    const { data } = await tenancy.users.owner.get<{ data: object[] }>(
      `GET /api/organizations/${tenancy.organization}/voices`,
    );
    expect(lines("voices.jsonl")).toEqual(data);
    expect(text(`voices/${tenancy.ids.voice}.wav`)).toBe("Lemon recording");
    const spent = lines("usage.jsonl").reduce((sum, { cost_micros }) => sum + cost_micros, 0);
    expect(spent).toBe(660);
  });

  test("has no secret, and nothing of another organization", () => {
    const all = [...files.values()].map(String).join("\n");
    for (const secret of [tenancy.secrets[0]!, tenancy.users.owner.cookie])
      expect(all.includes(secret)).toBe(false);
    expect(all).not.toMatch(/(sk_live|sk_test|sk_admin|whsec)_\w{16}/);
    expect(all).not.toMatch(/Other (Incorporated|Project|Key|Voice|Agent)/);
  });

  test("is what the command line writes of the same rows", async () => {
    const { parts } = fixture;
    const deps = { ...parts, storage: parts, upstreams: parts.upstreams.set };
    const asking = { organizationId: tenancy.organization, signal: new AbortController().signal };
    const { name, content } = await archiveOf(parts.config, deps, asking);
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(Buffer.from(chunk));
    expect(name).toMatch(/^org_\w+-\d{4}-\d\d-\d\d\.zip$/);
    const written = new Map(
      new Zip(Buffer.concat(chunks)).getEntries().map((entry) => [entry.entryName, entry.getData()]),
    );
    const text = (content: Buffer | undefined) =>
      content?.toString().replaceAll(/127\.0\.0\.1:\d+/g, "SERVER");
    for (const [file, expected] of files)
      expect([file, text(written.get(file))]).toEqual([file, text(expected)]);
    expect(written.size).toBe(files.size);
  });

  test("is in the audit log, and for owners alone", async () => {
    const { query, tables } = fixture.parts.database;
    const events = await query.select().from(tables.auditEvent);
    expect(events.filter(({ type }) => type === "organization.exported")).toMatchObject([
      { organizationId: tenancy.organization, actorId: tenancy.users.owner.id },
    ]);
    expect(await errorOf(await asks("admin"))).toMatchObject({ status: 403, code: "owner_required" });
    const elsewhere = { ...tenancy, organization: fixture.organizationId };
    expect(await errorOf(await asks("owner", elsewhere))).toMatchObject({ status: 404, code: "not_found" });
  });

  test("a person downloads what is kept about them, and nothing of others", async () => {
    const { admin, owner } = tenancy.users;
    const response = await admin.ask("POST /api/account/export");
    expect(response.headers.get("content-disposition")).toMatch(/filename="account-\d{4}-\d\d-\d\d\.zip"/);
    const own = new Map(
      new Zip(Buffer.from(await response.arrayBuffer()))
        .getEntries()
        .map((entry) => [entry.entryName, entry.getData().toString()]),
    );
    expect([...own.keys()].sort()).toEqual([
      ...["account.jsonl", "audit-log.jsonl", "invitations.jsonl", "keys.jsonl", "memberships.jsonl"],
      ...["sessions.jsonl", "sign-ins.jsonl"],
    ]);
    const records = (name: string) =>
      own
        .get(`${name}.jsonl`)!
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    const [account, ...more] = records("account");
    expect([account, more]).toMatchObject([{ id: admin.id, operator: false }, []]);
    expect(records("memberships")).toMatchObject([{ organization_id: tenancy.organization, role: "admin" }]);
    expect(records("sessions").length).toBeGreaterThan(0);
    expect(records("audit-log")).toContainEqual(
      expect.objectContaining({ type: "user.exported", resource_id: admin.id }),
    );
    const all = [...own.values()].join("\n");
    expect(all).not.toContain(owner.id);
    expect(all).not.toMatch(/(sk_live|sk_test|sk_admin|whsec)_\w{16}|\$argon|scrypt/);
    const { query, tables } = fixture.parts.database;
    for (const { token } of await query.select().from(tables.session)) expect(all).not.toContain(token);
    for (const { password } of await query.select().from(tables.credential))
      if (password) expect(all).not.toContain(password);
  });
});
