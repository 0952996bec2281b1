/** Promise: a reload replaces a server by a process that reads its files again; one that fails changes nothing. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reloadServer } from "../../src/cli/service/reload.ts";
import { runningServer } from "../../src/server/lifecycle/running-server.ts";
import { type Cli, MAIN, openCli } from "../cli/process.ts";
import { freePort } from "../free-port.ts";

setDefaultTimeout(240_000);

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => {
  const server = runningServer(data());
  if (server) process.kill(server.pid, "SIGKILL");
  cli[Symbol.dispose]();
});

const data = () => join(cli.folder, "data");

/** A program that runs this checkout. */
function executable(): string {
  const path = join(cli.folder, "loquat");
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

const statusWith = (url: string, token: string) =>
  fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);

test.skipIf(process.platform !== "linux")(
  "a reload reads files of secrets again, or leaves the server",
  async () => {
    const file = join(cli.folder, "token");
    const [before, after] = ["a".repeat(40), "b".repeat(40)];
    writeFileSync(file, before);
    const settings = { PORT: String(freePort()), LOQUAT_REUSE_PORT: "1", LOQUAT_METRICS_TOKEN_FILE: file };
    const old = await cli.serve(settings);
    expect(await statusWith(old.url, before)).toBe(200);

    rmSync(file);
    await expect(reloadServer(data(), executable())).rejects.toThrow("did not become ready");
    expect(runningServer(data())?.pid).toBe(old.pid);
    expect(await statusWith(old.url, before)).toBe(200);

    writeFileSync(file, after);
    expect(await reloadServer(data(), executable())).toContain(`in place of ${old.pid}`);
    expect(await old.ended).toBe(0);
    expect(runningServer(data())?.pid).not.toBe(old.pid);
    expect(await statusWith(old.url, after)).toBe(200);
    expect(await statusWith(old.url, before)).toBe(401);
  },
);

test("a server that cannot share its port is not reloaded, and none is where none runs", async () => {
  await expect(reloadServer(data(), executable())).rejects.toThrow("No server uses LOQUAT_DATA");
  const server = await cli.serve();
  await expect(reloadServer(data(), executable())).rejects.toThrow("LOQUAT_REUSE_PORT=1");
  expect(await server.stop()).toBe(0);
});
