/** Promise: archives are read by others as they were written, and one that breaks off never seems whole. */
import { expect, test } from "bun:test";
import Zip from "adm-zip";
import { type ZipFile, zipOf } from "../src/zip.ts";

const AT = new Date(Date.UTC(2026, 10, 29, 8, 30, 42));

async function* filesOf(files: Record<string, (string | Uint8Array)[]>): AsyncGenerator<ZipFile> {
  for (const [name, chunks] of Object.entries(files))
    yield {
      name,
      content: (async function* () {
        yield* chunks;
      })(),
    };
}

test("names, contents, sizes and times", async () => {
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  const files = {
    "größe/日本.txt": ["a", "ö".repeat(100_000), "z"],
    empty: [],
    noise: [noise.subarray(0, 1), noise.subarray(1)],
  };
  const archive = Buffer.concat(await Array.fromAsync(zipOf(filesOf(files), AT)));
  const entries = new Zip(archive).getEntries();
  expect(entries.map(({ entryName }) => entryName)).toEqual(Object.keys(files));
  for (const entry of entries) {
    const expected = Buffer.concat(
      files[entry.entryName as keyof typeof files].map((each) => Buffer.from(each)),
    );
    expect(entry.getData().equals(expected)).toBe(true); // which compares checksums
    expect(entry.header.size).toBe(expected.length);
    expect(entry.header.time.getMinutes()).toBe(30);
  }
  expect(archive.length).toBeLessThan(64_000);
});

test("none at all", async () => {
  expect(new Zip(Buffer.concat(await Array.fromAsync(zipOf(filesOf({}), AT)))).getEntries()).toEqual([]);
});

test("a content that fails ends the archive with its error", async () => {
  async function* broken(): AsyncGenerator<ZipFile> {
    yield {
      name: "a",
      content: (async function* () {
        yield "some";
        throw new Error("the database is gone");
      })(),
    };
  }
  expect(Array.fromAsync(zipOf(broken(), AT))).rejects.toThrow("the database is gone");
});
