/** Promise: owners are told by mail that their organization is about to be deleted, once, and not where it is kept by then. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DELETION_NOTICE_KIND, type DeletionNotice } from "../../src/accounts/organization-deletion.ts";
import { type Fixture, openFixture, type Person } from "../api/management/server-fixture.ts";
import { STORES } from "../api/management/stores.ts";

const WEEK_SECONDS = 7 * 86_400;

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  let organization: string;
  let owners: Person[];
  let count = 0;
  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    rmSync(folder(), { recursive: true, force: true });
    organization = (await fixture.parts.accounts.createOrganization(`Acme ${++count}`)).id;
    const person = (name: string, role: "owner" | "admin") =>
      fixture.person(`${name}${count}`, { organizationId: organization, role });
    owners = [await person("ada", "owner"), await person("bob", "owner")];
    await person("carl", "admin");
  });

  const folder = () => join(fixture.parts.config.data.folder, "mail");
  const all = () => (existsSync(folder()) ? readdirSync(folder()) : []);
  /** Of this organization: those of the test before may be sent while this one runs. */
  const letters = () =>
    all()
      .map((name) => readFileSync(join(folder(), name), "utf8"))
      .filter((text) => text.includes(`Acme ${count}`));
  const now = () => Math.floor(fixture.clock.now() / 1000);
  const path = () => `POST /api/organizations/${organization}/delete`;
  const ask = () => owners[0]!.ask(path(), { name: `Acme ${count}` });

  test("each owner gets a mail with the day and the way back", async () => {
    expect((await ask()).status).toBe(202);
    const day = new Date((now() + WEEK_SECONDS) * 1000).toISOString().slice(0, 10);
    for (let run = 0; run < 3; run++) await fixture.parts.work.run();
    const sent = letters();
    expect(sent).toHaveLength(2);
    for (const { email } of owners) expect(sent.filter((text) => text.includes(email))).toHaveLength(1);
    for (const text of sent) {
      expect(text).toContain(day);
      expect(text).toContain(`/orgs/${organization}/settings`);
      expect(text).toContain(`Acme ${count}`);
    }
    await ask();
    await fixture.parts.work.run();
    expect(letters()).toHaveLength(2);
  });

  test("none is sent where the deletion is undone before", async () => {
    const { accounts, work } = fixture.parts;
    const notice: DeletionNotice = { organizationId: organization, deleteAt: now() + WEEK_SECONDS };
    const row = { id: organization, kind: DELETION_NOTICE_KIND, dueMs: fixture.clock.now() };
    await work.add([{ ...row, payload: JSON.stringify(notice) }]); // as if it had been undone since
    for (let run = 0; run < 3; run++) await work.run();
    expect(letters()).toEqual([]);
    await accounts.scheduleDeletion(organization, now() + WEEK_SECONDS);
    for (let run = 0; run < 3; run++) await work.run();
    expect(letters()).toHaveLength(2);
  });

  test("none is sent of a deletion at once", async () => {
    const { accounts, work } = fixture.parts;
    await accounts.scheduleDeletion(organization, now());
    for (let run = 0; run < 3; run++) await work.run();
    expect(letters()).toEqual([]);
  });
});
