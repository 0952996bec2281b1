/** Promise: spooled data reads back as written, leaves no file behind, and no open one once closed. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSpool } from "../../src/memory/spool.ts";
import { openChance } from "../fuzz/random.ts";

const MIB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), "loquat-spool-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const spool = openSpool(join(folder, "spool"));

async function filled(pieces: Buffer[]) {
  const spooled = spool.open();
  for (const piece of pieces) await spooled.append(piece);
  return spooled;
}

test.each([
  ["in memory", 3, 1000],
  ["exactly as much as memory takes", 1, MIB],
  ["in a file", 50, 99_991],
  ["in one large piece", 1, 3 * MIB],
])("data %s reads back as written", async (_, count, sizeBytes) => {
  const pieces = Array.from({ length: count }, (_, seed) => openChance(seed).bytes(sizeBytes));
  const whole = Buffer.concat(pieces);
  const spooled = await filled(pieces);
  expect(spooled.sizeBytes()).toBe(whole.length);
  expect(await spooled.read(7, 500)).toEqual(whole.subarray(7, 507));
  expect((await spooled.read(whole.length - 3, 500)).length).toBe(3);
  await spooled.patch(Buffer.from("head"));
  whole.set(Buffer.from("head"));
  const isInMemory = whole.length <= MIB;
  expect(spooled.whole()?.equals(whole) ?? null).toBe(isInMemory ? true : null);
  expect(Buffer.concat(await Array.fromAsync(spooled.chunks())).equals(whole)).toBe(true);
  expect(isInMemory || readdirSync(join(folder, "spool")).length === 0).toBe(true);
});

test("no folder is created for data that stays in memory", async () => {
  const other = openSpool(join(folder, "other"));
  await other.open().append(Buffer.alloc(MIB));
  expect(existsSync(join(folder, "other"))).toBe(false);
});

test.if(process.platform === "linux")("a reader that is cancelled closes the file", async () => {
  const isOpen = () =>
    [...new Bun.Glob("*").scanSync({ cwd: "/proc/self/fd", onlyFiles: false, followSymlinks: false })].some(
      (fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).includes(folder);
        } catch {
          return false; // closed since it was listed
        }
      },
    );
  const spooled = await filled([Buffer.alloc(2 * MIB)]);
  expect(isOpen()).toBe(true);
  for await (const _ of spooled.chunks()) break;
  expect(isOpen()).toBe(false);
});
