/** Promise: unpacked libraries are what the executable holds, whatever happened to the folder since. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder, groupFolder, type Library, unpackGroup } from "../../src/natives/cache.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-cache-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Counts how often it was unpacked. */
function library(name: string, text: string): Library & { unpacked: number } {
  const bytes = Buffer.from(text);
  return {
    name,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
    unpacked: 0,
    *pieces() {
      this.unpacked++;
      yield bytes.subarray(0, 2);
      yield bytes.subarray(2);
    },
  };
}

describe("unpacking", () => {
  test("libraries that need each other lie in one folder, and are written once", () => {
    const group = [library("a.node", "library a"), library("b.so", "library b")];
    const paths = unpackGroup(folder, group);
    expect(paths).toEqual(["a.node", "b.so"].map((name) => join(groupFolder(folder, group), name)));
    expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(["library a", "library b"]);
    unpackGroup(folder, group);
    expect(group.map(({ unpacked }) => unpacked)).toEqual([1, 1]);
    expect(readdirSync(groupFolder(folder, group)).sort()).toEqual(["a.node", "b.so"]);
  });

  const DAMAGES: [string, (path: string) => void][] = [
    ["is cut short", (path) => truncateSync(path, 3)],
    ["has other bytes", (path) => writeFileSync(path, "librarY a")],
    ["is gone", (path) => rmSync(path)],
    [
      "is a link to another file",
      (path) => {
        rmSync(path);
        symlinkSync("/etc/hostname", path);
      },
    ],
  ];
  test.each(DAMAGES)("a library that %s is replaced", (_what, damage) => {
    const group = [library("a.node", "library a")];
    const [path] = unpackGroup(folder, group);
    damage(path!);
    expect(unpackGroup(folder, group)).toEqual([path!]);
    expect(readFileSync(path!, "utf8")).toBe("library a");
    expect(statSync(path!).isFile()).toBe(true);
  });

  test("a copy with another time is compared, and kept if its bytes are right", () => {
    const group = [library("a.node", "library a")];
    const [path] = unpackGroup(folder, group);
    utimesSync(path!, new Date(), new Date());
    unpackGroup(folder, group);
    expect(group[0]!.unpacked).toBe(1);
  });

  test("another version has a folder of its own", () => {
    const [first] = unpackGroup(folder, [library("a.node", "library a")]);
    const [second] = unpackGroup(folder, [library("a.node", "library A")]);
    expect(readFileSync(first!, "utf8")).toBe("library a");
    expect(readFileSync(second!, "utf8")).toBe("library A");
  });

  test("nothing is left of a library that could not be written", () => {
    const broken = { ...library("a.node", "library a"), pieces: () => [new Uint8Array(2), null as never] };
    expect(() => unpackGroup(folder, [broken])).toThrow();
    expect(readdirSync(groupFolder(folder, [broken]))).toEqual([]);
  });
});

describe("the folder", () => {
  test("is created, with its parents", () => {
    expect(cacheFolder(join(folder, "a", "b"))).toBe(join(folder, "a", "b"));
    expect(statSync(join(folder, "a", "b")).mode & 0o777).toBe(0o700);
  });

  test("is refused if others can write there, because its libraries are run", () => {
    chmodSync(folder, 0o777);
    expect(() => cacheFolder(folder)).toThrow(/LOQUAT_CACHE.*other users can write there/);
    mkdirSync(groupFolder(join(folder), [library("a.node", "library a")]));
    chmodSync(groupFolder(folder, [library("a.node", "library a")]), 0o777);
    expect(() => unpackGroup(folder, [library("a.node", "library a")])).toThrow(
      "other users can write there",
    );
  });

  test("is named by the error where it cannot be one", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => cacheFolder(join(folder, "file"))).toThrow(/LOQUAT_CACHE.*file: /);
  });
});
