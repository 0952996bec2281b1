/** Promise: mail of accounts that was asked for before a kill is sent after the restart. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openPostbox } from "../api/management/smtp.ts";
import { openCli } from "../cli/process.ts";
import { until } from "../until.ts";
import { openPostgres } from "./server-fixture.ts";

const fixture = await openPostgres();
afterAll(() => fixture?.[Symbol.asyncDispose]());

const ADDRESS = "ann@example.com";
const AWAY = "smtp://127.0.0.1:1"; // nothing listens there
const MAIL_FROM = "Loquat <mail@example.org>";

/** Signs up at a server whose mail server is away, kills it, and starts it again with a mail server. */
async function expectSent(environment: Record<string, string>, due: (folder: string) => Promise<unknown>) {
  using cli = openCli();
  await using post = await openPostbox();
  const first = await cli.serve({ ...environment, SMTP_URL: AWAY, MAIL_FROM });
  const ask = (path: string, body: object) =>
    fetch(`${first.url}/api/auth/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: first.url },
      body: JSON.stringify(body),
    });
  const signedUp = await ask("sign-up/email", { email: ADDRESS, name: "Ann", password: "a long password" });
  expect(signedUp.status).toBe(200);
  await until(() => first.complained().includes("mail_failed"));
  await first.stop("SIGKILL");
  await due(join(cli.folder, "data"));
  const second = await cli.serve({ ...environment, SMTP_URL: post.url, MAIL_FROM });
  const { text } = await post.take(ADDRESS, "Verify");
  const token = new URL(/https?:\/\/\S+/.exec(text)![0]).searchParams.get("token");
  const verified = await fetch(`${second.url}/api/auth/verify-email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: second.url },
    body: JSON.stringify({ token, password: "a long password" }),
  });
  expect(verified.status).toBe(200);
  await second.stop();
}

const SQL = "update work set due_ms = 0, lease_until_ms = 0"; // as if the pause were over

test("on SQLite", () =>
  expectSent({}, async (folder) => {
    const { query, tables, ...database } = openSqlite(folder);
    await query.update(tables.work).set({ dueMs: 0, leaseUntilMs: 0 });
    await database[Symbol.asyncDispose]();
  }));

const onPostgres = fixture ? test : test.skip;
onPostgres(`on PostgreSQL${fixture ? "" : " (skipped: no server at 127.0.0.1:5432)"}`, () =>
  expectSent({ DATABASE_URL: fixture!.url }, () => fixture!.query(SQL)),
);
