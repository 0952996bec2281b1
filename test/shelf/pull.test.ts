/** Promise: a pull ends with the whole package, every byte as it must be, or leaves the shelf as it was and says why. */
import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Package, parsePackage } from "../../src/catalog/package.ts";
import type { Hub } from "../../src/shelf/hub.ts";
import { type PullOptions, pull } from "../../src/shelf/pull.ts";
import { openShelf } from "../../src/shelf/shelf.ts";
import { remove } from "../../src/shelf/store.ts";
import { openRandom } from "../packages/random.ts";
import { type FakeHub, openHub } from "./hub.ts";

const MEGABYTE = 1024 * 1024;
const random = openRandom(7);
/** Three ranges and a bit. */
const BIG = Buffer.from(Uint8Array.from({ length: 25 * MEGABYTE + 17 }, () => random() * 256));
const FILES = { "m/model.onnx": BIG, "m/vocab.txt": "a 0\nb 1\n" };
const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function packageAt(url: string, change: Partial<Package> = {}): Package {
  const file = (role: string, path: string) => ({ role, path, bytes: null, sha256: null });
  return parsePackage(
    "test",
    JSON.stringify({
      name: "little",
      version: "2026-01-01",
      family: "kokoro",
      title: "A little model",
      license: { spdx: "MIT", url: "https://example.org/", acceptance: false, attribution: "a test" },
      sources: [`${url}/m/`],
      variants: { cpu: [], gpu: [] },
      files: [file("model", "model.onnx"), file("vocabulary", "vocab.txt")],
      options: {},
      published: "",
      ...change,
    }),
  );
}

function shelfOf() {
  const weights = mkdtempSync(join(tmpdir(), "loquat-pull-"));
  folders.push(weights);
  return weights;
}

function optionsOf(weights: string, more: Partial<PullOptions & Hub> = {}): PullOptions {
  const { signal, ...rest } = more;
  return {
    weights,
    device: "cpu",
    variant: null,
    licenseAccepted: false,
    hub: {
      fetch,
      addressOf: (url) => url,
      signal: signal ?? new AbortController().signal,
      backoffMs: 5,
      idleMs: 300,
    },
    report: () => {},
    ...rest,
  };
}

const contentOf = (weights: string, path: string) =>
  readFileSync(join(openShelf(weights).installed("little")!.folder, path));

describe("a pull", () => {
  test("follows to the bytes, takes them in ranges, and locks what the hub declared", async () => {
    using hub = openHub(FILES);
    const weights = shelfOf();
    const shown: number[] = [];
    const locked = await pull(
      packageAt(hub.url),
      optionsOf(weights, { report: ({ bytes }) => shown.push(bytes) }),
    );
    expect(locked.files.map(({ bytes, sha256 }) => [bytes, sha256])).toEqual([
      [BIG.length, sha256(BIG)],
      [8, sha256("a 0\nb 1\n")],
    ]);
    expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
    expect(shown.at(-1)).toBe(BIG.length + 8);
    expect(hub.asked.filter((each) => each.includes("model.onnx bytes="))).toHaveLength(8); // four, each by way of the hub
  });

  test("a second one asks only for what is new", async () => {
    using hub = openHub(FILES);
    const weights = shelfOf();
    const locked = await pull(packageAt(hub.url), optionsOf(weights));
    hub.asked.length = 0;
    await pull({ ...packageAt(hub.url), files: locked.files }, optionsOf(weights));
    expect(hub.asked).toEqual([]);
  });

  test("takes it whole from a hub that knows no ranges and declares nothing", async () => {
    using hub = openHub(FILES);
    hub.declares = false;
    hub.ranges = false;
    const weights = shelfOf();
    const locked = await pull(packageAt(hub.url), optionsOf(weights));
    expect(locked.files[0]!.sha256).toBe(sha256(BIG));
  });

  test("takes the device's precision, or the one that is named", async () => {
    using hub = openHub({ "m/big.onnx": "big", "m/small.onnx": "small" });
    const file = (path: string, variant: string) => ({
      role: "model",
      path,
      bytes: null,
      sha256: null,
      variant,
    });
    const two = packageAt(hub.url, {
      variants: { cpu: ["q8"], gpu: ["fp16"] },
      files: [file("small.onnx", "q8"), file("big.onnx", "fp16")],
    });
    const paths = async (more: Partial<PullOptions>) =>
      (await pull(two, optionsOf(shelfOf(), more))).files.map(({ path }) => path);
    expect(await paths({})).toEqual(["small.onnx"]);
    expect(await paths({ device: "gpu" })).toEqual(["big.onnx"]);
    expect(await paths({ variant: "fp16" })).toEqual(["big.onnx"]);
    expect(paths({ variant: "q4" })).rejects.toThrow("little has no variant q4: q8, fp16.");
  });

  test("goes through a mirror, and to the next source where one has nothing", async () => {
    using hub = openHub(FILES);
    using empty = openHub();
    const weights = shelfOf();
    const own = packageAt(hub.url, { sources: [`${empty.url}/m/`, `https://hub.example/m/`] });
    const options = optionsOf(weights);
    options.hub.addressOf = (url) => url.replace("https://hub.example", hub.url);
    await pull(own, options);
    expect(contentOf(weights, "vocab.txt").toString()).toBe("a 0\nb 1\n");
  });
});

describe("a hub that fails", () => {
  const partOf = (range: string) => BIG.subarray(Number(/=(\d+)-/.exec(range)![1]));
  const failures: [name: string, fail: (count: number, range: string | null) => Response | null][] = [
    [
      "is busy",
      (count) => (count === 1 ? new Response(null, { status: 429, headers: { "retry-after": "0" } }) : null),
    ],
    ["breaks", (count) => (count === 1 ? new Response(null, { status: 503 }) : null)],
    [
      "breaks off in the middle",
      (count, range) =>
        count === 2 && range ? new Response(partOf(range).subarray(0, 1000) as never, { status: 206 }) : null,
    ],
    [
      "falls silent",
      (count, range) =>
        count === 2 && range
          ? new Response(new ReadableStream({ pull: () => Bun.sleep(5000) }) as never, { status: 206 })
          : null,
    ],
  ];
  test.each(failures)("and %s for once is asked again", async (_name, fail) => {
    using hub = openHub(FILES);
    hub.fail = ({ path, range, count }) => (path === "cdn/m/model.onnx" ? fail(count, range) : null);
    const weights = shelfOf();
    const locked = await pull(packageAt(hub.url), optionsOf(weights));
    expect(locked.files[0]!.sha256).toBe(sha256(BIG));
  });

  const outcomes: [name: string, prepare: (hub: FakeHub, own: Package) => unknown, told: string][] = [
    ["is gone", (hub) => hub[Symbol.dispose](), "cannot be had"],
    [
      "breaks every time",
      (hub) => Object.assign(hub, { fail: () => new Response(null, { status: 500 }) }),
      "answered 500",
    ],
    ["has nothing there", (hub) => void hub.files.delete("m/vocab.txt"), "answered 404"],
    [
      "is closed to us",
      (hub) => Object.assign(hub, { fail: () => new Response(null, { status: 403 }) }),
      "may be closed to you",
    ],
    [
      "declares another hash",
      (_hub, own) => Object.assign(own.files[1]!, { sha256: "0".repeat(64) }),
      "is not the file that vocab.txt must be",
    ],
    [
      "declares another length",
      (_hub, own) => Object.assign(own.files[1]!, { bytes: 9 }),
      "it has 8 bytes, not 9",
    ],
    [
      "sends other bytes than it declares",
      (hub) =>
        Object.assign(hub, {
          fail: ({ path, range }) =>
            path === "cdn/m/vocab.txt" && range ? new Response("a 0\nb 2\n", { status: 206 }) : null,
        } satisfies Pick<FakeHub, "fail">),
      "damaged on the way",
    ],
    [
      "sends more than it declares",
      (hub) =>
        Object.assign(hub, {
          fail: ({ path, range }) =>
            path === "cdn/m/vocab.txt" && range ? new Response("a 0\nb 1\nc 2\n", { status: 206 }) : null,
        } satisfies Pick<FakeHub, "fail">),
      "sends more than it said",
    ],
    [
      "does not keep to ranges it offers",
      (hub) =>
        Object.assign(hub, {
          fail: ({ path, range }) =>
            path === "cdn/m/vocab.txt" && range ? new Response("a 0\nb 1\n") : null,
        } satisfies Pick<FakeHub, "fail">),
      "does not keep to the range",
    ],
    [
      "leads in circles",
      (hub) =>
        Object.assign(hub, {
          fail: () => new Response(null, { status: 302, headers: { location: `${hub.url}/round` } }),
        }),
      "without end",
    ],
  ];
  test.each(outcomes)("and %s leaves the shelf as it was, and is told", async (_name, prepare, told) => {
    using hub = openHub(FILES);
    const weights = shelfOf();
    await pull(packageAt(hub.url), optionsOf(weights));
    const before = readFileSync(join(weights, "packages", "little.json"), "utf8");
    hub.files.set("m/model.onnx", Buffer.from("a new version"));
    const own = packageAt(hub.url);
    prepare(hub, own);
    await expect(pull(own, optionsOf(weights))).rejects.toThrow(told);
    expect(readFileSync(join(weights, "packages", "little.json"), "utf8")).toBe(before);
    expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
    expect(existsSync(join(weights, "lock"))).toBe(false);
  });
});

describe("an interrupted pull", () => {
  async function interrupt(weights: string, hub: FakeHub): Promise<void> {
    const stop = new AbortController();
    const report = ({ bytes }: { bytes: number }) => {
      if (bytes > 17 * MEGABYTE) stop.abort(new Error("stopped by hand"));
    };
    await expect(
      pull(packageAt(hub.url), optionsOf(weights, { signal: stop.signal, report })),
    ).rejects.toThrow();
    expect(openShelf(weights).installed("little")).toBeNull();
    hub.asked.length = 0;
  }

  test("goes on where it was", async () => {
    using hub = openHub(FILES);
    const weights = shelfOf();
    await interrupt(weights, hub);
    await pull(packageAt(hub.url), optionsOf(weights));
    expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
    expect(hub.asked.filter((each) => each.includes("cdn/m/model.onnx bytes=")).length).toBeLessThan(4);
  });

  test("begins anew where the content is another by now", async () => {
    using hub = openHub(FILES);
    const weights = shelfOf();
    await interrupt(weights, hub);
    const other = Buffer.from(BIG).reverse();
    hub.files.set("m/model.onnx", other);
    await pull(packageAt(hub.url), optionsOf(weights));
    expect(contentOf(weights, "model.onnx").equals(other)).toBe(true);
  });
});

test("a licence that asks is shown, and nothing is fetched before it was accepted", async () => {
  using hub = openHub(FILES);
  const strict = packageAt(hub.url);
  strict.license = { ...strict.license, spdx: "OpenRAIL-M", acceptance: true };
  const weights = shelfOf();
  await expect(pull(strict, optionsOf(weights))).rejects.toThrow(
    /OpenRAIL-M.*https:\/\/example.org\/[\s\S]*--accept-license/,
  );
  expect(hub.asked).toEqual([]);
  await pull(strict, optionsOf(weights, { licenseAccepted: true }));
  expect(openShelf(weights).installed("little")).not.toBeNull();
});

test("what does not fit on the disk is not begun", async () => {
  using hub = openHub({ ...FILES, "m/model.onnx": "x" });
  hub.fail = ({ path }) =>
    path === "m/model.onnx"
      ? new Response(null, { status: 200, headers: { "x-linked-size": String(1e18), "content-length": "0" } })
      : null;
  await expect(pull(packageAt(hub.url), optionsOf(shelfOf()))).rejects.toThrow(/room for .* LOQUAT_WEIGHTS/);
});

test("two at once: the second says who is at it, and a lock whose holder died counts for nothing", async () => {
  using hub = openHub(FILES);
  const weights = shelfOf();
  writeFileSync(join(weights, "lock"), "1");
  await expect(pull(packageAt(hub.url), optionsOf(weights))).rejects.toThrow("process 1");
  writeFileSync(join(weights, "lock"), "99999999");
  await pull(packageAt(hub.url), optionsOf(weights));
  expect(openShelf(weights).installed("little")).not.toBeNull();
});

test("what two packages share is kept once, and as long as one of them is there", async () => {
  using hub = openHub(FILES);
  const weights = shelfOf();
  await pull(packageAt(hub.url), optionsOf(weights));
  hub.asked.length = 0;
  const twin = { ...packageAt(hub.url), name: "twin" };
  await pull({ ...twin, files: openShelf(weights).installed("little")!.package.files }, optionsOf(weights));
  expect(hub.asked).toEqual([]);
  expect(remove(weights, "little")).toBe(true);
  expect(openShelf(weights).installed("little")).toBeNull();
  const left = openShelf(weights).installed("twin")!;
  expect(readFileSync(join(left.folder, "model.onnx")).equals(BIG)).toBe(true);
  expect(remove(weights, "twin")).toBe(true);
  expect(existsSync(join(weights, "store", sha256(BIG).slice(0, 2), sha256(BIG)))).toBe(false);
});
