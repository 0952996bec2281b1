/** Promise: a folder and a bucket keep the same objects, belong to one installation, and are read only as they were written. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { openEncryption } from "../../src/db/encryption.ts";
import { openBucketStorage } from "../../src/files/bucket-storage.ts";
import { belongingOf, type FileStorage, takeStorage } from "../../src/files/file-storage.ts";
import { openFolderStorage } from "../../src/files/folder-storage.ts";
import { openSealedParts } from "../../src/files/sealed-parts.ts";
import { openFileStorage } from "../../src/server/own-files.ts";
import { openBucketServer } from "./bucket-server.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-files-"));
const bucketServer = openBucketServer();
afterAll(() => {
  bucketServer[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const KEYS = { AWS_ACCESS_KEY_ID: "key-id", AWS_SECRET_ACCESS_KEY: "secret" };
const bucketConfig = () =>
  readConfig({ LOQUAT_FILES: "s3://bucket/some/files/", AWS_ENDPOINT_URL: bucketServer.url, ...KEYS });

/** A storage, and the encrypted pieces that it has of a part. */
type Stored = { storage: FileStorage; pieces(part: string): number };

const STORAGES: Record<string, () => Promise<Stored>> = {
  "a folder": async () => {
    const path = mkdtempSync(join(folder, "place-"));
    return {
      storage: openFolderStorage(path),
      pieces: (part) => (readdirSync(path).includes(part) ? readdirSync(join(path, part)).length : 0),
    };
  },
  "a bucket": async () => {
    bucketServer.objects.clear();
    return {
      storage: await openFileStorage(bucketConfig()),
      pieces: (part) =>
        [...bucketServer.objects.keys()].filter((key) => key.startsWith(`some/files/${part}/`)).length,
    };
  },
};

describe.each(Object.entries(STORAGES))("%s", (_name, open) => {
  test("an object is read as it was put, replaced, and removed, also twice", async () => {
    const { storage } = await open();
    expect(await storage.get("part/0")).toBeNull();
    await storage.put("part/0", Buffer.from("one"));
    await storage.put("part/0", Buffer.from("two"));
    expect(Buffer.from((await storage.get("part/0"))!).toString()).toBe("two");
    await storage.remove("part/0");
    await storage.remove("part/0");
    expect(await storage.get("part/0")).toBeNull();
    expect(await storage.isEmpty()).toBe(true);
  });

  test("it belongs to the installation that took it when it was empty, and to no other", async () => {
    const { storage } = await open();
    expect(await belongingOf(storage, "ours")).toBe("unmarked");
    await takeStorage(storage, "ours");
    await takeStorage(storage, "ours");
    expect(await belongingOf(storage, "ours")).toBe("ours");
    await expect(takeStorage(storage, "theirs")).rejects.toThrow("holds the files of another installation");
    const { storage: used } = await open();
    await used.put("photos/0", Buffer.from("a photo"));
    await expect(takeStorage(used, "ours")).rejects.toThrow("is not marked as storage of Loquat");
  });

  test("a content of any size is stored in encrypted pieces, read as it was, and removed", async () => {
    const { storage, pieces } = await open();
    const encryption = openEncryption("loquat files", {
      configured: "a-secret-of-the-operator-that-is-long",
      generated: async () => "another",
    });
    const sealed = openSealedParts(storage, encryption);
    for (const [index, bytes] of [1, 2 * 1024 * 1024, 5_000_001].entries()) {
      const id = `part_${index}`;
      const content = Buffer.alloc(bytes, "spoken words ");
      const writer = sealed.writer(id);
      for (let from = 0; from < bytes; from += 700_001)
        await writer.write(content.subarray(from, from + 700_001));
      await writer.end();
      expect(pieces(id)).toBe(Math.ceil(bytes / (2 * 1024 * 1024)));
      expect(Buffer.from((await storage.get(`${id}/0`))!).includes("words")).toBe(false);
      expect(Buffer.concat(await Array.fromAsync(sealed.read({ id, bytes })))).toEqual(content);
      await expect(Array.fromAsync(sealed.read({ id, bytes: bytes + 1 }))).rejects.toThrow();
      await sealed.remove({ id, bytes });
      expect(pieces(id)).toBe(0);
    }
    await sealed.writer("part_x").end();
    const moved = sealed.writer("part_a");
    await moved.write(Buffer.from("text"));
    await moved.end();
    await storage.put("part_b/0", (await storage.get("part_a/0"))!);
    await expect(Array.fromAsync(sealed.read({ id: "part_b", bytes: 4 }))).rejects.toThrow(
      "not as it was written",
    );
    await expect(Array.fromAsync(sealed.read({ id: "part_c", bytes: 4 }))).rejects.toThrow("is missing");
  });
});

test("requests to a bucket are signed, and its failures are no missing objects", async () => {
  const storage = await openFileStorage(bucketConfig());
  await storage.put("one/0", Buffer.from("1"));
  expect(bucketServer.isSigned()).toBe(true);
  expect(bucketServer.asked).toContain("PUT /bucket/some/files/one/0");
  const { place } = readConfig({
    ...KEYS,
    LOQUAT_FILES: "s3://bucket",
    AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  }).files;
  await expect(openBucketStorage(place as never).get("one/0")).rejects.toThrow();
});

test("a folder has room while a tenth of its disk stays free", () => {
  const disk = { freeBytes: 150, totalBytes: 1000 };
  const storage = openFolderStorage(folder, () => disk);
  expect([storage.hasRoom(0), storage.hasRoom(50), storage.hasRoom(51)]).toEqual([true, true, false]);
  disk.freeBytes = 99;
  expect(storage.hasRoom(0)).toBe(false);
  expect(openFolderStorage(folder, () => null).hasRoom(1e15)).toBe(true);
});

test("an interrupted write leaves the object that was there, and is removed with it", async () => {
  const path = mkdtempSync(join(folder, "half-"));
  const storage = openFolderStorage(path);
  await storage.put("part/0", Buffer.from("whole"));
  writeFileSync(join(path, "part/0.new"), "ha");
  expect(Buffer.from((await storage.get("part/0"))!).toString()).toBe("whole");
  await storage.remove("part/0");
  expect(readdirSync(path)).toEqual([]);
});

test("the place of files is a folder in the data folder, a folder that is named, or a bucket with its keys", () => {
  const placeOf = (environment: Record<string, string>) => readConfig(environment).files.place;
  expect(placeOf({ LOQUAT_DATA: "/var/loquat" })).toEqual({ folder: "/var/loquat/files" });
  expect(placeOf({ LOQUAT_FILES: "/mnt/files" })).toEqual({ folder: "/mnt/files" });
  expect(bucketConfig().files.place).toMatchObject({
    ...{ bucket: "bucket", prefix: "some/files/", region: "us-east-1", endpoint: bucketServer.url },
  });
  expect(() => placeOf({ LOQUAT_FILES: "s3://bucket" })).toThrow("set AWS_ACCESS_KEY_ID");
  for (const place of ["s3://", "s3://B", "ftp://host/x"])
    expect(() => placeOf({ LOQUAT_FILES: place, ...KEYS })).toThrow("LOQUAT_FILES must be a directory");
});
