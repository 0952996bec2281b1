/** Promise: with shell access, operators write what is kept of an organization to an archive, and to nothing that is there already. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Zip from "adm-zip";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
let organization: string;
let secret: string;
beforeAll(async () => {
  cli = openCli();
  await cli.run(["admin", "create", "root@example.com", "--name", "Root"]);
  organization = JSON.parse((await cli.run(["org", "create", "Analytical Engines", "--json"])).out).id;
  secret = JSON.parse(
    (await cli.run(["keys", "create", "--name", "website", "--org", organization, "--json"])).out,
  ).secret;
  await cli.run(["credit", "grant", "--org", organization, "--", "5"]);
});
afterAll(() => cli[Symbol.dispose]());

const exported = async () => {
  const { out } = await cli.run(["audit", "--event", "organization.exported", "--json"]);
  return JSON.parse(out).data as { organization_id: string; actor: object }[];
};

test("the archive is named after organization and day, and has what its owners would download", async () => {
  const { code, out, err } = await cli.run(["export", "--org", organization]);
  expect([code, out]).toEqual([0, ""]);
  const name = readdirSync(cli.folder).find((each) => each.endsWith(".zip"))!;
  expect(name).toMatch(new RegExp(`^${organization}-\\d{4}-\\d\\d-\\d\\d\\.zip$`));
  expect(err).toStartWith(name);
  expect(statSync(join(cli.folder, name)).mode & 0o777).toBe(0o600);
  const entries = new Zip(join(cli.folder, name)).getEntries();
  const files = new Map(entries.map((entry) => [entry.entryName, entry.getData().toString()]));
  expect([...files.keys()].sort()).toEqual([
    ...["admin-keys.jsonl", "audit-log.json", "billing.json", "grants.jsonl", "invoices.jsonl", "jobs.jsonl"],
    ...["keys.jsonl", "members.jsonl", "organization.json", "projects.jsonl", "pronunciations.jsonl"],
    ...["requests.json", "service-accounts.jsonl", "spend-alerts.jsonl", "top-ups.jsonl", "usage.jsonl"],
    ...["voice-consents.jsonl", "voices.jsonl", "webhooks.jsonl"],
  ]);
  expect(JSON.parse(files.get("organization.json")!)).toMatchObject({ name: "Analytical Engines" });
  expect(JSON.parse(files.get("billing.json")!)).toMatchObject({
    balance_micros: 5_000_000,
    payments: false,
  });
  expect(JSON.parse(files.get("keys.jsonl")!)).toMatchObject({ name: "website" });
  const all = [...files.values()].join("\n");
  expect(all).not.toContain(secret);
  expect(all).not.toContain("root@example.com");
  expect(await exported()).toMatchObject([
    { organization_id: organization, actor: { type: "command_line" } },
  ]);
});

test("a file that exists stays as it is, and nothing was exported", async () => {
  const before = (await exported()).length;
  writeFileSync(join(cli.folder, "kept.zip"), "kept");
  const { code, err } = await cli.run(["export", "kept.zip", "--org", organization]);
  expect([code, err]).toEqual([
    2,
    "Cannot write kept.zip: it exists already. Name another file, or remove it.\n",
  ]);
  expect(readFileSync(join(cli.folder, "kept.zip"), "utf8")).toBe("kept");
  expect(await exported()).toHaveLength(before);
});

test("standard output gets the archive where it is a dash", async () => {
  const { code, out } = await cli.run(["export", "-", "--org", organization]);
  expect([code, out.slice(0, 2)]).toEqual([0, "PK"]);
});

test("an organization that there is not is refused by its name, and a folder by its", async () => {
  const unknown = await cli.run(["export", "--org", "org_none"]);
  expect([unknown.code, unknown.err]).toEqual([2, "There is no organization org_none.\n"]);
  const folder = await cli.run(["export", "missing/file.zip", "--org", organization]);
  expect([folder.code, folder.err]).toEqual([2, expect.stringContaining("Cannot write missing/file.zip: ")]);
});

test("the server may run meanwhile", async () => {
  const server = await cli.serve();
  const { code } = await cli.run(["export", "running.zip", "--org", organization]);
  expect([code, new Zip(join(cli.folder, "running.zip")).getEntries().length]).toEqual([0, 19]);
  await server.stop();
});
