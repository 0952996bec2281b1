/** Promise: a successor that does not take over is ended, and the reason is told where it was asked for. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  readHandoverNote,
  removeHandoverNote,
  writeHandoverNote,
} from "../../../src/server/lifecycle/handover-note.ts";
import { openSuccession } from "../../../src/server/lifecycle/succession.ts";
import { until } from "../../until.ts";

const isLinux = process.platform === "linux";
const skipped = isLinux ? "" : " (skipped: it is Linux's)";
const log = { error() {}, warn() {}, info() {}, debug() {} };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-succession-"));
});
afterEach(() => {
  process.removeAllListeners("SIGUSR1");
  rmSync(folder, { recursive: true, force: true });
});

/** A successor that writes its process id, and then runs these lines. */
function ask(lines: string): void {
  const executable = join(folder, "next");
  writeFileSync(
    executable,
    `#!/bin/sh\necho $$ > ${folder}/pid.new\nmv ${folder}/pid.new ${folder}/pid\n${lines}\n`,
  );
  chmodSync(executable, 0o755);
  writeHandoverNote(folder, { executable, failure: null });
  process.kill(process.pid, "SIGUSR1");
}

async function successorPid(): Promise<number> {
  await until(() => existsSync(join(folder, "pid")));
  return Number(readFileSync(join(folder, "pid"), "utf8"));
}

async function failure(): Promise<string> {
  await until(() => readHandoverNote(folder)?.failure != null);
  return readHandoverNote(folder)!.failure!;
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test.skipIf(!isLinux)(
  `one that ends is told with its exit code, and the next may be tried${skipped}`,
  async () => {
    openSuccession({ folder, log, notifySocket: null });
    ask("exit 5");
    expect(await failure()).toContain("exit code 5");
    removeHandoverNote(folder);
    ask("exit 6");
    expect(await failure()).toContain("exit code 6");
  },
);

test.skipIf(!isLinux)(`one that is not ready in time is ended${skipped}`, async () => {
  const succession = openSuccession({ folder, log, notifySocket: null, readyWithinMs: 50 });
  ask("exec sleep 600");
  expect(await failure()).toBe("it was not ready in time");
  expect(succession.end()).toBe(false);
});

test.skipIf(!isLinux)(`one that cannot be started is told${skipped}`, async () => {
  openSuccession({ folder, log, notifySocket: null });
  writeHandoverNote(folder, { executable: join(folder, "none"), failure: null });
  process.kill(process.pid, "SIGUSR1");
  expect(await failure()).toContain("none");
});

test.skipIf(!isLinux)(`one that starts while the server is told to stop is ended${skipped}`, async () => {
  const succession = openSuccession({ folder, log, notifySocket: null });
  ask("exec sleep 600");
  const pid = await successorPid();
  expect(succession.end()).toBe(false);
  await until(() => !isAlive(pid));
});
