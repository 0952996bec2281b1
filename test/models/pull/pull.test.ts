/** Promise: a pull installs the whole, verified package, or leaves the model store unchanged and reports why. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PullOptions, pull } from "../../../src/models/pull/pull.ts";
import { incomingOf } from "../../../src/models/store/incoming.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { remove } from "../../../src/models/store/store-writer.ts";
import { type FakeHub, openHub, REVISION } from "./hub.ts";
import {
  BIG,
  contentOf,
  FILES,
  MEGABYTE,
  optionsOf,
  packageAt,
  sha256,
  storeOf,
  TWO_FILES,
  twoVariantsAt,
} from "./tiny-package.ts";

describe("a pull", () => {
  test("follows redirects, requests ranges, and records the hash that the hub declared", async () => {
    using hub = openHub(FILES);
    const weights = storeOf();
    const reported: number[] = [];
    const locked = await pull(
      packageAt(hub.url),
      optionsOf(weights, { report: ({ bytes }) => reported.push(bytes) }),
    );
    expect(locked.files.map(({ bytes, sha256 }) => [bytes, sha256])).toEqual([
      [BIG.length, sha256(BIG)],
      [8, sha256("a 0\nb 1\n")],
    ]);
    expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
    expect(reported.at(-1)).toBe(BIG.length + 8);
    expect(hub.asked.filter((each) => /cdn\/m\/model.onnx bytes=(?!0-0)/.test(each))).toHaveLength(4);
  });

  test("records the revision that the hub answered with, also of files whose hash was known, and keeps it", async () => {
    using hub = openHub(FILES);
    const weights = storeOf();
    const pkg = packageAt(hub.url);
    const [model, vocabulary] = pkg.files;
    const files = [{ ...model!, bytes: BIG.length, sha256: sha256(BIG) }, vocabulary!];
    const revisions = async () =>
      (await pull({ ...pkg, files }, optionsOf(weights))).files.map(({ revision }) => revision);
    expect(await revisions()).toEqual([REVISION, REVISION]);
    const kept = openModelStore(weights).installed("little")!.package.files;
    expect(kept.map(({ revision }) => revision)).toEqual([REVISION, REVISION]);
    expect(await revisions()).toEqual([REVISION, REVISION]); // nothing is requested of it again
    hub.kindOf = () => "raw"; // which says nothing of it
    const other = await pull(packageAt(hub.url), optionsOf(storeOf()));
    expect(other.files.map((file) => "revision" in file)).toEqual([false, false]);
  });

  test("requests only new files when repeated", async () => {
    using hub = openHub(FILES);
    const weights = storeOf();
    const locked = await pull(packageAt(hub.url), optionsOf(weights));
    hub.asked.length = 0;
    await pull({ ...packageAt(hub.url), files: locked.files }, optionsOf(weights));
    expect(hub.asked).toEqual([]);
  });

  test("requests whole files from a hub without ranges and hashes", async () => {
    using hub = openHub(FILES);
    hub.declares = false;
    hub.ranges = false;
    const weights = storeOf();
    const locked = await pull(packageAt(hub.url), optionsOf(weights));
    expect(locked.files[0]!.sha256).toBe(sha256(BIG));
  });

  test("selects the precision of the device, or the named one", async () => {
    using hub = openHub(TWO_FILES);
    const two = twoVariantsAt(hub.url, "little");
    const paths = async (more: Partial<PullOptions>) =>
      (await pull(two, optionsOf(storeOf(), more))).files.map(({ path }) => path);
    expect(await paths({})).toEqual(["small.onnx"]);
    expect(await paths({ device: "gpu" })).toEqual(["big.onnx"]);
    expect(await paths({ variant: "fp16" })).toEqual(["big.onnx"]);
    expect(paths({ variant: "q4" })).rejects.toThrow("little has no variant q4: q8, fp16.");
  });

  test("uses a mirror, and the next source for what that lacks", async () => {
    using hub = openHub(FILES);
    using empty = openHub();
    const weights = storeOf();
    const pkg = packageAt(hub.url, { sources: [`${empty.url}/m/`, `https://hub.example/m/`] });
    const options = optionsOf(weights);
    options.hub.addressOf = (url) => url.replace("https://hub.example", hub.url);
    await pull(pkg, options);
    expect(contentOf(weights, "vocab.txt").toString()).toBe("a 0\nb 1\n");
  });
});

test("must equal an earlier pull of the same version; another version may differ", async () => {
  using hub = openHub(FILES);
  const weights = storeOf();
  await pull(packageAt(hub.url), optionsOf(weights));
  hub.files.set("m/vocab.txt", Buffer.from("c 0\n"));
  hub.asked.length = 0;
  await pull(packageAt(hub.url), optionsOf(weights));
  expect(hub.asked).toEqual([]); // it is there, whatever the hub has by now
  expect(contentOf(weights, "vocab.txt").toString()).toBe("a 0\nb 1\n");
  await pull(packageAt(hub.url, { version: "2026-02-01" }), optionsOf(weights));
  expect(contentOf(weights, "vocab.txt").toString()).toBe("c 0\n");
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
    expect(openModelStore(weights).installed("little")).toBeNull();
    hub.asked.length = 0;
  }

  test("an interrupted pull continues where it was", async () => {
    using hub = openHub(FILES);
    const weights = storeOf();
    await interrupt(weights, hub);
    await pull(packageAt(hub.url), optionsOf(weights));
    expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
    expect(hub.asked.filter((each) => /cdn\/m\/model.onnx bytes=(?!0-0)/.test(each)).length).toBeLessThan(4);
  });

  test("starts again when the content has changed", async () => {
    using hub = openHub(FILES);
    const weights = storeOf();
    await interrupt(weights, hub);
    const other = Buffer.from(BIG).reverse();
    hub.files.set("m/model.onnx", other);
    await pull(packageAt(hub.url), optionsOf(weights));
    expect(contentOf(weights, "model.onnx").equals(other)).toBe(true);
  });
});

test("a licence that needs acceptance is shown, and nothing is downloaded before", async () => {
  using hub = openHub(FILES);
  const strict = packageAt(hub.url);
  strict.license = { ...strict.license, spdx: "OpenRAIL-M", acceptance: true };
  const weights = storeOf();
  await expect(pull(strict, optionsOf(weights))).rejects.toThrow(
    /OpenRAIL-M.*https:\/\/example.org\/[\s\S]*--accept-license/,
  );
  expect(hub.asked).toEqual([]);
  await pull(strict, optionsOf(weights, { licenseAccepted: true }));
  expect(openModelStore(weights).installed("little")).not.toBeNull();
});

test.each([
  ["does not fit on the disk", 1e18, /are needed.* LOQUAT_WEIGHTS/],
  ["is larger than one may be whose size is unknown", null, "declares 1000000000 GB. A file whose size"],
])("a package with a file that %s is not downloaded", async (_why, bytes, message) => {
  using hub = openHub({ ...FILES, "m/model.onnx": "x" });
  hub.fail = ({ path }) =>
    path === "m/model.onnx"
      ? new Response(null, { status: 200, headers: { "x-linked-size": String(1e18), "content-length": "0" } })
      : null;
  const pkg = packageAt(hub.url);
  pkg.files[0]!.bytes = bytes;
  await expect(pull(pkg, optionsOf(storeOf()))).rejects.toThrow(message);
  expect(hub.asked.filter((each) => each.startsWith("GET m/model.onnx"))).toEqual([
    "GET m/model.onnx bytes=0-0",
  ]);
});

test("a second pull reports the first one's process, and the lock of a dead process is ignored", async () => {
  using hub = openHub(FILES);
  const weights = storeOf();
  writeFileSync(join(weights, "lock"), "1");
  await expect(pull(packageAt(hub.url), optionsOf(weights))).rejects.toThrow("process 1");
  writeFileSync(join(weights, "lock"), "99999999");
  await pull(packageAt(hub.url), optionsOf(weights));
  expect(openModelStore(weights).installed("little")).not.toBeNull();
});

test("abandoned files are removed by the next pull, and recent downloads are kept to be resumed", async () => {
  using hub = openHub(FILES);
  const weights = storeOf();
  const put = (name: string, days: number) => {
    const path = incomingOf(weights, name);
    writeFileSync(path, "partial");
    const then = statSync(path).mtimeMs / 1000 - days * 24 * 60 * 60;
    utimesSync(path, then, then);
    return path;
  };
  const kept = [put("recent.part", 13), put("recent.part.note", 13)];
  const abandoned = [put("old.part", 15), put("old.part.note", 15), put("import-0123", 0)];
  writeFileSync(join(weights, "lock"), "1"); // a process that lives
  await expect(pull(packageAt(hub.url), optionsOf(weights))).rejects.toThrow("process 1");
  expect(abandoned.filter((path) => !existsSync(path))).toEqual([]);
  rmSync(join(weights, "lock"));
  await pull(packageAt(hub.url), optionsOf(weights));
  expect(abandoned.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
});

test("a file with addresses of its own is taken from the first that has it", async () => {
  using hub = openHub({ "other/name.onnx": "the model" });
  using empty = openHub();
  const weights = storeOf();
  const file = { role: "model", path: "model.onnx", bytes: null, sha256: null };
  const url = [`${empty.url}/m/name.onnx`, `${hub.url}/other/name.onnx`];
  const messages: string[] = [];
  const options = optionsOf(weights, { notice: (line) => void messages.push(line) });
  await pull(packageAt(empty.url, { files: [{ ...file, url }] }), options);
  expect(contentOf(weights, "model.onnx").toString()).toBe("the model");
  expect(messages).toEqual([expect.stringMatching(/answered 404. Trying 127\.0\.0\.1/)]);
});

test("a file shared by two packages is stored once, until both are removed", async () => {
  using hub = openHub(FILES);
  const weights = storeOf();
  await pull(packageAt(hub.url), optionsOf(weights));
  hub.asked.length = 0;
  const twin = { ...packageAt(hub.url), name: "twin" };
  await pull(
    { ...twin, files: openModelStore(weights).installed("little")!.package.files },
    optionsOf(weights),
  );
  expect(hub.asked).toEqual([]);
  expect(remove(weights, "little")).toBe(true);
  expect(openModelStore(weights).installed("little")).toBeNull();
  const left = openModelStore(weights).installed("twin")!;
  expect(readFileSync(join(left.folder, "model.onnx")).equals(BIG)).toBe(true);
  expect(remove(weights, "twin")).toBe(true);
  expect(existsSync(join(weights, "store", sha256(BIG).slice(0, 2), sha256(BIG)))).toBe(false);
});

test.each(["file:///etc/passwd", "data:text/plain,secret", "ftp://example.org/a", "/etc/passwd"])(
  "a file at %s is refused, in a manifest and as a redirect",
  async (url) => {
    const file = { role: "model", path: "model.onnx", bytes: null, sha256: null };
    const refused = () => packageAt("https://example.org", { files: [{ ...file, url }] });
    expect(refused).toThrow(/files\.0\.url/);
    using hub = openHub(FILES);
    hub.fail = () => new Response(null, { status: 302, headers: { location: url } });
    if (url.startsWith("/")) return; // of the same hub
    const pkg = packageAt(hub.url);
    await expect(pull(pkg, optionsOf(storeOf()))).rejects.toThrow("neither http:// nor https://");
    hub.fail = ({ range }) =>
      range ? new Response(null, { status: 302, headers: { location: url } }) : null;
    await expect(pull(pkg, optionsOf(storeOf()))).rejects.toThrow("neither http:// nor https://");
  },
);
