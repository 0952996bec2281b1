/** Promise: the dictionary of an organization is edited on the command line, and a running server follows within seconds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../until.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
let server: Awaited<ReturnType<Cli["serve"]>>;
beforeAll(async () => {
  cli = openCli();
  server = await cli.serve({ LOG_LEVEL: "silent", LOQUAT_PLAN: "unmetered" });
});
afterAll(async () => {
  await server.stop();
  cli[Symbol.dispose]();
});

const run = (...args: string[]) => cli.runInTurn(["pronunciation", ...args]);

async function spoken(input: string): Promise<string> {
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const response = await fetch(`${server.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input }),
  });
  return Bun.hash(await response.arrayBuffer()).toString();
}

test("words are set, listed and removed", async () => {
  expect((await run("set", "nginx", "engine", "x")).out).toBe("nginx is read as engine x.\n");
  expect((await run("set", "gif", "dʒɪf", "--ipa")).out).toBe("gif is read as /dʒɪf/.\n");
  expect(JSON.parse((await run("list", "--json")).out).data).toEqual([
    { word: "gif", alias: null, phonemes: "dʒɪf" },
    { word: "nginx", alias: "engine x", phonemes: null },
  ]);
  expect((await run("list")).out).toMatch(/^nginx +engine x$/m);
  expect((await run("remove", "GIF")).code).toBe(0);
  expect((await run("remove", "gif")).err).toContain("There is no word gif.");
  expect((await run("set", "!", "x")).err).toContain("must have a letter or a digit");
});

test("a file is imported whole, or each wrong line is named", async () => {
  const file = join(cli.folder, "words.csv");
  writeFileSync(file, "word,alias\nnginx,engine x\n!,a\n");
  const refused = await run("import", file);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain("Nothing was imported:\nline 3 is wrong: word must have a letter or a digit");
  writeFileSync(file, "word,alias\nnginx,engine x\nSQL,sequel\n");
  expect((await run("import", file)).out).toBe("2 imported, 0 removed.\n");
  writeFileSync(file, "word;alias\nnginx;engine x\n");
  expect((await run("import", file, "--replace")).out).toBe("1 imported, 1 removed.\n");
});

test("a running server follows", async () => {
  const expected = await spoken("We use engine x here.");
  await until(async () => (await spoken("We use nginx here.")) === expected, 100);
}, 120_000);
