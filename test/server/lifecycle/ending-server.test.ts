/** Promise: a server waits for one that is ending, and only for as long as that may take. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLOSE_LIMIT_MS } from "../../../src/engine/runner.ts";
import { onceEnded } from "../../../src/server/lifecycle/ending-server.ts";
import { announceServer } from "../../../src/server/lifecycle/running-server.ts";

let folder: string;
let logged: [string, object?][];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-ending-"));
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const info = (...line: [string, object?]) => void logged.push(line);
const wait = (attempt: () => string | null, limits: { graceMs?: number; marginMs?: number }) =>
  onceEnded(attempt, { folder, log: { info }, ...limits });

/** Null so many times, then a result; each try is preceded by an action. */
function freeAfter(actions: (() => void)[]): () => string | null {
  const waiting = [...actions];
  return () => {
    const next = waiting.shift();
    next?.();
    return next ? null : "free";
  };
}

test("a server that is ending is waited for as long as its engines may take to close, and the log says so once", async () => {
  const announced = announceServer(folder, null);
  announced.end(30_000);
  const nothing = () => {};
  expect(await wait(freeAfter([nothing, nothing, () => announced[Symbol.dispose]()]), { graceMs: 0 })).toBe(
    "free",
  );
  expect(logged).toEqual([
    ["waiting_for_server", { pid: process.pid, seconds: 30 + CLOSE_LIMIT_MS / 1000 + 10 }],
  ]);
});

test("the first process of another container is waited for", async () => {
  const entry = { pid: 1, startTicks: "1", obstacle: null, endsWithinMs: 30_000 };
  writeFileSync(join(folder, "server.pid"), JSON.stringify(entry));
  expect(await wait(freeAfter([() => {}]), { graceMs: 0 })).toBe("free");
});

test("a server whose signal is not handled yet is waited for", async () => {
  const announced = announceServer(folder, null);
  expect(await wait(freeAfter([() => {}, () => announced.end(1000)]), {})).toBe("free");
});

test("a server that goes on is not waited for", async () => {
  using _announced = announceServer(folder, null);
  expect(await wait(() => null, { graceMs: 0 })).toBeNull();
  expect(logged).toEqual([]);
});

test("a server that does not end in time is no longer waited for", async () => {
  const announced = announceServer(folder, null);
  announced.end(0);
  expect(await wait(() => null, { graceMs: 60_000, marginMs: 0 })).toBeNull();
  expect(logged).toHaveLength(1);
});

test("where another server came first, there is nothing to wait for", async () => {
  announceServer(folder, null).end(60_000);
  const other = () => void announceServer(folder, null);
  expect(await wait(freeAfter([() => {}, other, () => {}, () => {}]), {})).toBeNull();
});
