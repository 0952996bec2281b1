/** Promise: voices and consents of an organization are listed and deleted on the command line, and refused by name where none can be made. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { openStorage } from "../../src/server/storage.ts";
import { recording, STATEMENT } from "../api/v1/voices/stand-in.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
let file: string;
beforeAll(async () => {
  cli = openCli();
  file = join(cli.folder, "ada.wav");
  writeFileSync(file, recording(4));
  await (await cli.serve({ LOG_LEVEL: "silent" })).stop();
});
afterAll(() => cli[Symbol.dispose]());

const run = (...args: string[]) => cli.runInTurn(["voices", ...args]);

test("voices that were made are listed and deleted", async () => {
  const config = readConfig({ LOQUAT_DATA: join(cli.folder, "data") });
  await using storage = await openStorage(config);
  const [organization] = await storage.accounts.listOrganizations();
  const of = { organizationId: organization!.id, name: "Ada", model: "svc-tts1" };
  const { id } = await storage.voices.create({ ...of, consent: "statement", parts: {} });
  expect((await run("made")).out).toContain(id);
  expect(JSON.parse((await run("made", "--json")).out).data).toMatchObject([{ id, name: "Ada" }]);
  expect((await run("delete", id)).code).toBe(0);
  expect((await run("delete", id)).err).toContain(`There is no voice ${id}.`);
});

test("consents are listed and deleted", async () => {
  const config = readConfig({ LOQUAT_DATA: join(cli.folder, "data") });
  await using storage = await openStorage(config);
  const [organization] = await storage.accounts.listOrganizations();
  const consent = { organizationId: organization!.id, name: "Ada", language: "en" };
  const { id } = await storage.consents.create({ ...consent, recording: recording(2) });
  expect((await run("consents", "list")).out).toContain(id);
  expect(JSON.parse((await run("consents", "list", "--json")).out).data).toMatchObject([{ id, name: "Ada" }]);
  expect((await run("consents", "delete", id)).code).toBe(0);
  expect((await run("consents", "delete", id)).err).toContain(`There is no consent ${id}.`);
});

test("what makes no voice is refused by name", async () => {
  expect((await run("add", "Ada", file, "--consent", "yes")).err).toContain("20 to 2000 characters");
  expect((await run("add", "Ada", file, "--consent", STATEMENT)).err).toContain(
    "No installed model makes voices of recordings",
  );
});
