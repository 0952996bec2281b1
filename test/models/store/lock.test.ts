/** Promise: one process at a time writes a model store, also where machines share its folder. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { inLock, StoreLocked } from "../../../src/models/store/lock.ts";
import { until } from "../../until.ts";

const folders: string[] = [];
let weights: string;
let path: string;
beforeEach(() => {
  weights = mkdtempSync(join(tmpdir(), "loquat-lock-"));
  folders.push(weights);
  path = join(weights, "lock");
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const held = () => inLock(weights, () => "held");
const age = (seconds: number) => {
  const then = statSync(path).mtimeMs / 1000 - seconds;
  utimesSync(path, then, then);
};

test("a lock of another machine holds, although no process here has its id", async () => {
  writeFileSync(path, "99999999 1.5 elsewhere");
  await expect(held()).rejects.toThrow(StoreLocked);
  await expect(held()).rejects.toThrow("Another node (elsewhere) is changing these models.");
  age(50);
  await expect(held()).rejects.toThrow(StoreLocked);
});

test("a lock of another machine that was not touched for a minute is ignored, and leaves nothing", async () => {
  writeFileSync(path, `${process.pid} 1.5 elsewhere`); // an id that lives here is another process there
  age(61);
  expect(await held()).toBe("held");
  expect(readdirSync(weights)).toEqual([]);
});

test("a lock of this machine holds while its process lives, however old it is", async () => {
  writeFileSync(path, `1 1.5 ${hostname()}`);
  age(3600);
  await expect(held()).rejects.toThrow("Another command (process 1)");
  writeFileSync(path, `99999999 1.5 ${hostname()}`);
  expect(await held()).toBe("held");
});

test("a lock that is held is touched, so that other machines see it", async () => {
  await inLock(weights, async () => {
    age(3000);
    const before = statSync(path).mtimeMs;
    await until(() => statSync(path).mtimeMs !== before);
    expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(60_000);
  });
  expect(existsSync(path)).toBe(false);
});
