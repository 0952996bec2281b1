/** Promise: an operator downloads a backup of a running server that restores, and one that breaks off leaves nothing behind. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { readBackup } from "../../../src/backup/read-backup.ts";
import { openSqlite } from "../../../src/db/open-sqlite.ts";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

let fixture: Fixture;
let operator: Person;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
});
afterAll(() => fixture[Symbol.asyncDispose]());

const BACKUP = "POST /api/operator/backup";
const copies = () =>
  readdirSync(fixture.parts.config.data.folder).filter((name) => name.startsWith("backup-"));

test("what it holds is what was committed before, and the audit log says that it was taken", async () => {
  const organization = await fixture.parts.accounts.createOrganization("Kept");
  const response = await operator.ask(BACKUP);
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="loquat-.*\.tar\.gz"$/);
  const folder = join(fixture.parts.config.data.folder, "restored");
  await readBackup(Readable.from([await response.bytes()]), folder);
  await using restored = openSqlite(folder);
  const rows = await restored.query.select().from(restored.tables.organization);
  expect(rows.map(({ id }) => id)).toContain(organization.id);
  const { query, tables } = fixture.parts.database;
  const events = await query.select({ type: tables.auditEvent.type }).from(tables.auditEvent);
  expect(events).toContainEqual({ type: "server.backed_up" });
});

test("while one is under way there is no other, and one that its client leaves ends", async () => {
  const reader = (await operator.ask(BACKUP)).body!.getReader();
  await reader.read();
  await reader.cancel();
  await until(async () => {
    const again = await operator.ask(BACKUP);
    if (again.ok) return (await again.bytes()).length > 0;
    expect(await errorOf(again)).toMatchObject({ status: 503, code: "service_unavailable" });
    return false;
  });
  await until(() => copies().length === 0);
});
