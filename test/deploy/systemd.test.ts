/** Promise: the unit is one that systemd takes, and fits the server: variables, commands, drain time. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wholeProgram } from "../../src/cli/program.ts";
import { assignments, configOf, read, stopSeconds, unknownVariables } from "./files.ts";

const UNIT = read("deploy/systemd/loquat.service");
const valuesOf = (name: string) =>
  [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value!);
const variables = Object.assign({}, ...valuesOf("Environment").map(assignments)) as Record<string, string>;

test("the unit sets variables that the server reads, to values that it takes", () => {
  const offered = valuesOf("#Environment").map(assignments);
  expect(unknownVariables(Object.assign({}, variables, ...offered))).toEqual([]);
  expect(configOf(variables).http).toMatchObject({ reusePort: true, port: 8080 });
});

test("the unit runs commands that exist", async () => {
  const commands = (await wholeProgram()).commands.map((command) => command.name());
  const named = ["ExecStart", "ExecReload"].flatMap(valuesOf).map((line) => line.split(" ")[1]!);
  expect(named[0]).toBe("serve");
  expect(named.filter((name) => !commands.includes(name))).toEqual([]);
});

test("systemd waits longer than the server drains, and signals the server only", () => {
  expect(Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThan(stopSeconds(variables));
  expect(valuesOf("KillMode")).toEqual(["mixed"]);
});

const analyze = Bun.which("systemd-analyze");
const missing = analyze ? "" : " (skipped: systemd-analyze is not installed)";

test.skipIf(!analyze)(`systemd-analyze finds nothing wrong, and little exposure${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-unit-"));
  try {
    const path = join(folder, "loquat.service");
    writeFileSync(path, UNIT.replaceAll("/usr/local/bin/loquat", "/bin/true"));
    const verified = Bun.spawnSync([analyze!, "verify", path]);
    expect(verified.stderr.toString()).toBe("");
    expect(verified.exitCode).toBe(0);
    const judged = Bun.spawnSync([analyze!, "security", "--offline=true", "--threshold=25", path]);
    expect(judged.stdout.toString() + judged.stderr.toString()).toContain("Overall exposure level");
    expect(judged.exitCode).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
