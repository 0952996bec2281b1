/** Promise: what is received has room on the disk and among its organization's files, also where its size is not known before. */
import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Refusal } from "../../src/errors.ts";
import type { FileStorage } from "../../src/files/file-storage.ts";
import { openReceive, type ReceivingDeps } from "../../src/files/receiving.ts";
import { machineLimits } from "../../src/plans.ts";
import { heldClock } from "../harness.ts";

const OWNER = {
  organizationId: "org_a",
  projectId: "proj_a",
  plan: "prepaid",
  limitOverrides: null,
} as const;
const MIB = 1024 * 1024;

/** `roomBytes`: of the disk. */
function openStandIns(roomBytes: number, storedMax = 1e9) {
  const parts = new Map<string, number>();
  const removed: string[] = [];
  const rows: Partial<ReceivingDeps["rows"]> = {
    addPart: async ({ id, bytes }) => void parts.set(id, bytes),
    reserve: async (id, bytes) => void parts.set(id, bytes),
    deleteParts: async (ids) => {
      for (const id of ids) parts.delete(id);
    },
    used: async () => ({
      bytes: [...parts.values()].reduce((sum, bytes) => sum + bytes, 0),
      parts: parts.size,
    }),
  };
  const receive = openReceive({
    rows: rows as ReceivingDeps["rows"],
    storage: { hasRoom: (bytes) => bytes <= roomBytes } as FileStorage,
    sealed: {
      writer: () => ({ write: async () => {}, end: async () => {} }),
      async *read() {},
      remove: async ({ id }) => void removed.push(id),
    },
    ready: async () => {},
    allowance: async () => ({ ...machineLimits(readConfig({})), storedBytes: storedMax }),
    clock: heldClock(),
    log: {} as never,
  });
  const content = (announcedBytes: number) => ({
    ...{ ownerId: "file_a", announcedBytes, bytesMax: 100 * MIB },
    tooLarge: () => new Error("too large") as Refusal,
  });
  return { parts, removed, receive: (announcedBytes: number) => receive(OWNER, content(announcedBytes)) };
}

test("nothing is received while the disk is 90 % full, or would be", async () => {
  const { parts, receive } = openStandIns(10 * MIB);
  const refused = { code: "service_unavailable", retryAfterSeconds: 60 };
  await expect(receive(10 * MIB + 1)).rejects.toMatchObject(refused);
  expect(parts.size).toBe(0);
  await using incoming = await receive(0);
  await expect(incoming.write(Buffer.alloc(1))).rejects.toMatchObject(refused);
});

test("a content of unknown size reserves room as it comes, and leaves nothing where it has none", async () => {
  const { parts, removed, receive } = openStandIns(1e12, 70 * MIB);
  {
    await using incoming = await receive(0);
    expect([...parts.values()]).toEqual([0]);
    await incoming.write(Buffer.alloc(MIB));
    expect([...parts.values()]).toEqual([33 * MIB]);
    await incoming.write(Buffer.alloc(32 * MIB));
    expect([...parts.values()]).toEqual([33 * MIB]);
    await expect(incoming.write(Buffer.alloc(MIB))).resolves.toBeUndefined();
    await expect(incoming.write(Buffer.alloc(33 * MIB))).rejects.toMatchObject({ code: "too_many_files" });
  }
  expect(parts.size).toBe(0);
  expect(removed).toHaveLength(1);
});

test("more than a content may have is refused, whatever was announced", async () => {
  const { receive } = openStandIns(1e12);
  await using incoming = await receive(1);
  await incoming.write(Buffer.alloc(100 * MIB));
  await expect(incoming.write(Buffer.alloc(1))).rejects.toThrow("too large");
});

test("an organization sends sixteen files at once", async () => {
  const { receive } = openStandIns(1e12);
  const all = await Promise.all(Array.from({ length: 16 }, () => receive(1)));
  await expect(receive(1)).rejects.toMatchObject({ code: "concurrency_limit_exceeded" });
  for (const each of all) await each[Symbol.asyncDispose]();
  await using again = await receive(1);
  expect(again.partId).toStartWith("part_");
});
