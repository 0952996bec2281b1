/** Promise: a server takes over from another one only when it is ready, and only from a server. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { announceServer, runningServer } from "../../../src/server/lifecycle/running-server.ts";
import { becomeReady, previousServer, successionObstacle } from "../../../src/server/lifecycle/take-over.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-running-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a server is running from its announcement to its end", () => {
  expect(runningServer(folder)).toBeNull();
  const announced = announceServer(folder, null);
  expect(runningServer(folder)).toMatchObject({ pid: process.pid });
  announced[Symbol.dispose]();
  expect(runningServer(folder)).toBeNull();
});

test.each([
  ["of a process that has ended", JSON.stringify({ pid: 2 ** 22 + 1, startTicks: "1" })],
  ["that another program has now", JSON.stringify({ pid: process.ppid, startTicks: "1" })],
  ["that is damaged", '{"pid": 1'],
  ["of the init process", '{"pid": 1, "startTicks": null}'],
])("a process id %s is not a server", (_name, content) => {
  writeFileSync(join(folder, "server.pid"), content);
  expect(runningServer(folder)).toBeNull();
});

test("a successor's announcement is left when its predecessor ends", () => {
  const announced = announceServer(folder, null);
  const { startTicks } = runningServer(folder)!;
  writeFileSync(join(folder, "server.pid"), JSON.stringify({ pid: process.ppid, startTicks }));
  announced[Symbol.dispose]();
  expect(JSON.parse(readFileSync(join(folder, "server.pid"), "utf8")).pid).toBe(process.ppid);
});

test("a server that does not become ready says why", async () => {
  const notReady = {
    handle: async () => Response.json({ reasons: ["no_model_installed"] }, { status: 503 }),
  };
  await expect(becomeReady(notReady, 0)).rejects.toThrow("not ready (no_model_installed)");
});

test.each([{}, { LOQUAT_REUSE_PORT: "1", PORT: "0" }])(
  "taking over needs a port that both can use: %j",
  (variables) => {
    expect(() => previousServer(readConfig({ LOQUAT_DATA: folder, ...variables }))).toThrow(
      "--take-over needs LOQUAT_REUSE_PORT=1 and a fixed PORT",
    );
  },
);

const PORTS = { LOQUAT_REUSE_PORT: "1", PORT: "8080" };
const MAIN_OF_SYSTEMD = { ...PORTS, SYSTEMD_EXEC_PID: String(process.pid) };

test.skipIf(process.platform !== "linux").each([
  [PORTS, null],
  [{ ...PORTS, SYSTEMD_EXEC_PID: "1" }, null],
  [{ ...MAIN_OF_SYSTEMD, NOTIFY_SOCKET: "/run/systemd/notify" }, null],
  [MAIN_OF_SYSTEMD, "Type=notify"],
  [{ ...PORTS, PORT: "0" }, "a fixed PORT"],
  [{}, "LOQUAT_REUSE_PORT=1"],
])("a server with %j says what keeps it from handing over: %p", (variables, obstacle) => {
  const found = successionObstacle(readConfig(variables));
  if (obstacle === null) expect(found).toBeNull();
  else expect(found).toContain(obstacle);
});
