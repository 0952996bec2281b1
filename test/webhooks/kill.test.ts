/** Promise: an event is delivered though its process is killed between the cause and the delivery, or before it has noted it. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled } from "../bundled.ts";
import { putMigrated } from "../migrated.ts";
import type { Orders } from "./killed-process.ts";
import { openReceiver } from "./receiver.ts";

const PROCESS = await bundled(join(import.meta.dir, "killed-process.ts"));
const NOW_MS = Date.UTC(2026, 0, 2);
const LEASE_MS = 30_000;

async function runOne(orders: Orders): Promise<unknown> {
  const child = Bun.spawn([process.execPath, PROCESS, JSON.stringify(orders)], { stderr: "inherit" });
  await child.exited;
  return child.signalCode;
}

test.each(["caused", "sent"] as const)("a process that is killed once the event is %s", async (step) => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-killed-webhooks-"));
  await putMigrated(folder);
  using receiver = openReceiver();
  const orders = { folder, url: receiver.url };
  expect(await runOne({ ...orders, step, nowMs: NOW_MS })).toBe("SIGKILL");
  expect(receiver.received.length).toBe(step === "sent" ? 1 : 0);
  expect(await runOne({ ...orders, step: "none", nowMs: NOW_MS + LEASE_MS })).toBeNull();
  expect(receiver.received.length).toBe(1); // what was sent had been noted with the delivery
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: "project.archived" });
  rmSync(folder, { recursive: true });
});
