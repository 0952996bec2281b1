/** Promise: an upgrade replaces a running server without an interruption, and one that fails changes nothing. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identity } from "../../src/cli/upgrade/identity.ts";
import { upgradeExecutable } from "../../src/cli/upgrade/upgrade-executable.ts";
import { readConfig } from "../../src/config/config.ts";
import { openHub } from "../../src/models/pull/hub.ts";
import { runningServer } from "../../src/server/lifecycle/running-server.ts";
import { migratesConnections } from "../../src/server/lifecycle/take-over.ts";
import { type Cli, MAIN, openCli } from "../cli/process.ts";
import { freePort } from "../free-port.ts";

setDefaultTimeout(240_000);

let cli: Cli;
let installed: string;
let printed: string[];
beforeEach(() => {
  cli = openCli();
  installed = executable("bin", 'exec "$BUN" "$MAIN" "$@"');
  printed = [];
});
afterEach(() => {
  const server = runningServer(join(cli.folder, "data"));
  if (server) process.kill(server.pid, "SIGKILL");
  cli[Symbol.dispose]();
});

/** A script that runs this checkout, in a folder with its SHA256SUMS. */
function executable(folder: string, line: string): string {
  const path = join(cli.folder, folder, "loquat");
  mkdirSync(join(cli.folder, folder));
  const script = `#!/bin/sh\n# ${folder}\nBUN='${process.execPath}' MAIN='${MAIN}'\n${line}\n`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  const sha256 = new Bun.CryptoHasher("sha256").update(script).digest("hex");
  writeFileSync(join(cli.folder, folder, "SHA256SUMS"), `${sha256}  loquat\n`);
  return path;
}

const upgrade = (from: string, sha256: string | null = null) =>
  upgradeExecutable(installed, {
    ...{ from, sha256, allowOlder: false, hub: openHub(null), progress() {} },
    config: readConfig({ LOQUAT_DATA: join(cli.folder, "data") }),
    print: (line) => void printed.push(line),
    note: (line) => void printed.push(line),
  });

const contentOf = (path: string) => readFileSync(path, "utf8");

/** Nothing is left beside the executable but what is expected. */
const beside = () => readdirSync(join(cli.folder, "bin")).sort();

test("without a running server the file is replaced, and the previous one kept", async () => {
  const before = contentOf(installed);
  const next = executable("next", 'exec "$BUN" "$MAIN" "$@"');
  await upgrade(next);
  expect(contentOf(installed)).toBe(contentOf(next));
  expect(contentOf(`${installed}.previous`)).toBe(before);
  expect(beside()).toEqual(["SHA256SUMS", "loquat", "loquat.previous"]);
  expect(printed.join("\n")).toContain("No server uses LOQUAT_DATA");
  await upgrade(next);
  expect(printed.at(-1)).toContain("is that version already");
});

const other = (change: object) => `echo '${JSON.stringify({ ...identity(), ...change })}'`;

const REFUSED: [string, string, string][] = [
  ["is no program of this machine", "\0", "cannot be used"],
  ["ends with an error", "exit 3", "does not say which version it is"],
  ["is another program", "echo '{}'", "does not say which version it is"],
  ["is older", other({ version: "0.0.1" }), "older than"],
  ["is of another flavour", other({ flavour: "apache" }), "flavour apache"],
  ["is for another platform", other({ platform: "plan9-x64" }), "it is for plan9-x64"],
  [
    "has an older schema",
    other({ schema: { ...identity().schema, sqlite: { tag: "0000_first", when: 1 } } }),
    "schema of sqlite is older",
  ],
];

test.each(REFUSED)("a file that %s is refused, and nothing is changed", async (_what, line, message) => {
  const before = contentOf(installed);
  await expect(upgrade(executable("next", line))).rejects.toThrow(message);
  expect(contentOf(installed)).toBe(before);
  expect(beside()).toEqual(["SHA256SUMS", "loquat"]);
});

test("a file whose hash differs or is unknown is not run", async () => {
  const ran = join(cli.folder, "ran");
  const next = executable("next", `touch ${ran}`);
  await expect(upgrade(next, "0".repeat(64))).rejects.toThrow("has the hash");
  writeFileSync(join(cli.folder, "next", "SHA256SUMS"), `${"0".repeat(64)}  loquat-linux-x64\n`);
  await expect(upgrade(next)).rejects.toThrow("does not list loquat");
  await expect(upgrade("http://192.0.2.1/loquat")).rejects.toThrow("not encrypted");
  expect(existsSync(ran)).toBe(false);
  expect(beside()).toEqual(["SHA256SUMS", "loquat"]);
});

test("a file is downloaded from an address, and must have the given hash", async () => {
  const next = executable("next", 'exec "$BUN" "$MAIN" "$@"');
  using server = Bun.serve({ port: 0, fetch: () => new Response(Bun.file(next)) });
  const sha256 = contentOf(join(cli.folder, "next", "SHA256SUMS")).slice(0, 64);
  await expect(upgrade(`${server.url}loquat`, "0".repeat(64))).rejects.toThrow("has the hash");
  await upgrade(`${server.url}loquat`, sha256);
  expect(contentOf(installed)).toBe(contentOf(next));
});

test("a checkout is upgraded with git", async () => {
  const { code, err } = await cli.run(["upgrade", installed]);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("git pull") });
});

test("a server that cannot hand over goes on with a backup, and the reason is printed", async () => {
  const server = await cli.serve();
  const newer = { ...identity().schema, sqlite: { tag: "9999_newer", when: 1e15 } };
  await upgrade(executable("next", other({ schema: newer })));
  const saved = join(cli.folder, "data", "backups", `before-upgrade-of-${identity().version}.tar.gz`);
  expect(printed.join("\n")).toContain(`backup       ${saved}`);
  const restored = await cli.run(["restore", saved], { LOQUAT_DATA: join(cli.folder, "restored") });
  expect(restored).toMatchObject({ code: 0 });
  expect(printed.at(-1)).toContain("LOQUAT_REUSE_PORT=1 and a fixed PORT are not set");
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(runningServer(join(cli.folder, "data"))?.pid).toBe(server.pid);
});

test.skipIf(process.platform !== "linux")(
  "a broken version is rolled back, a good one takes over, while every request is answered",
  async () => {
    const [port, metrics] = [String(freePort()), String(freePort())];
    const old = await cli.serve({ PORT: port, LOQUAT_METRICS_PORT: metrics, LOQUAT_REUSE_PORT: "1" });
    const before = contentOf(installed);
    const probes = [
      probing(() => answered(`http://127.0.0.1:${port}/v1/models`, 401)),
      probing(() => answered(`http://127.0.0.1:${metrics}/metrics`, 200)),
    ];
    const broken = executable("broken", `if [ "$1" = serve ]; then exit 7; fi\nexec "$BUN" "$MAIN" "$@"`);
    await expect(upgrade(broken)).rejects.toThrow(
      `The new process did not become ready: it ended with exit code 7: see the server's log. Process ${old.pid} goes on`,
    );
    expect(contentOf(installed)).toBe(before);
    expect(runningServer(join(cli.folder, "data"))?.pid).toBe(old.pid);

    const next = executable("next", 'exec "$BUN" "$MAIN" "$@"');
    await upgrade(next);
    expect(printed.join("\n")).toContain("handed over");
    expect(contentOf(installed)).toBe(contentOf(next));
    expect(await old.ended).toBe(0);
    const successor = runningServer(join(cli.folder, "data"));
    expect(successor).toMatchObject({ obstacle: null });
    expect(successor!.pid).not.toBe(old.pid);
    for (const probe of probes) {
      const before = probe.answered;
      while (probe.answered < before + 5) await Bun.sleep(5);
      await probe.stop();
      if (migratesConnections()) expect(probe.failures).toEqual([]);
      else expect(probe.failures.filter((each) => !/reset|closed/i.test(each))).toEqual([]);
    }
  },
);

/** Asks again and again, each time over a new connection. */
function probing(ask: () => Promise<void>) {
  let going = true;
  const probe = { answered: 0, failures: [] as string[], stop: async () => {} };
  const run = async () => {
    while (going) {
      try {
        await ask();
        probe.answered++;
      } catch (error) {
        probe.failures.push((error as Error).message);
      }
      await Bun.sleep(2);
    }
  };
  const ended = run();
  probe.stop = () => {
    going = false;
    return ended;
  };
  return probe;
}

async function answered(url: string, status: number): Promise<void> {
  const response = await fetch(url, { keepalive: false });
  await response.text();
  if (response.status !== status) throw new Error(`status ${response.status}`);
}
