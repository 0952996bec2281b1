/** Promise: a server is replaced by a newer one on the same port without a lost answer or charge. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migratesConnections } from "../../src/server/lifecycle/take-over.ts";
import { type Cli, openCli } from "../cli/process.ts";
import { freePort } from "../free-port.ts";
import { startLoad } from "./load.ts";

setDefaultTimeout(240_000);

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli[Symbol.dispose]());

const firstKey = () => readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();

test("a newer server takes over under load; one that cannot start changes nothing", async () => {
  const both = {
    PORT: String(freePort()),
    LOQUAT_REUSE_PORT: "1",
    LOQUAT_PLAN: "unmetered",
    LOG_FORMAT: "json",
  };
  const old = await cli.serve({ ...both, LOQUAT_LAME_DUCK_SECONDS: "1" });
  const load = startLoad(() => old.url, firstKey());
  while (load.delivered.length < 10) await Bun.sleep(5);
  const broken = await cli.run(["serve", "--take-over"], { ...both, LOQUAT_MODELS: "/nowhere" });
  expect(broken).toMatchObject({ code: 1, err: expect.stringContaining("LOQUAT_MODELS") });
  expect((await fetch(`${old.url}/readyz`)).status).toBe(200);

  const next = await cli.serve(both, ["--take-over"]);
  expect(next.url).toBe(old.url);
  expect(await old.ended).toBe(0);
  while (!next.complained().includes('"took_over"')) await Bun.sleep(5);
  const before = load.delivered.length;
  while (load.delivered.length < before + 10) await Bun.sleep(5);
  await load.stop();
  if (migratesConnections()) expect([...load.statuses.keys()]).toEqual(["200"]);
  else expect([...load.statuses.keys()].filter((status) => status !== "broken")).toEqual(["200"]);

  const third = await cli.run(["serve"], { ...both, PORT: "0" });
  expect(third.err).toContain("is in use by another server");
  expect(await next.stop()).toBe(0);
  expect((await cli.run(["ledger", "verify"])).code).toBe(0);
  const { requests } = JSON.parse((await cli.run(["usage", "--json"])).out);
  expect(requests).toBeGreaterThanOrEqual(load.delivered.length);
});
