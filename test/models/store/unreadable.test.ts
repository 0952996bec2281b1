/** Promise: a manifest that cannot be used is named with its fault, is not an installed package, and affects no other. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openModelStore, stampOf } from "../../../src/models/store/model-store.ts";
import { remove } from "../../../src/models/store/store-writer.ts";
import { packagesOf } from "../../../src/natives/store-layout.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";

const CONTENTS = { model: { path: "model.onnx", bytes: "the model" } };

let weights: string;
beforeEach(() => {
  weights = mkdtempSync(join(tmpdir(), "loquat-unreadable-"));
  put("good");
});
afterEach(() => rmSync(weights, { recursive: true, force: true }));

const put = (name: string) =>
  storePackage(weights, packageOf(name, "kokoro", { options: {}, contents: CONTENTS }), CONTENTS);
const manifest = (name: string) => join(packagesOf(weights), `${name}.json`);
const names = () =>
  openModelStore(weights)
    .list()
    .map((one) => one.package.name);

const changed = (change: (json: string) => string) => (path: string) =>
  writeFileSync(path, change(readFileSync(manifest("good"), "utf8").replaceAll('"good"', '"foo"')));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

const strange: [what: string, make: (path: string) => void, fault: string][] = [
  ["a folder", (path) => mkdirSync(path), "it is not a file"],
  ["a folder with files", (path) => mkdirSync(join(path, "deep"), { recursive: true }), "it is not a file"],
  ["a link to itself", (path) => symlinkSync(path, path), "cannot be read"],
  ["a link to a folder", (path) => symlinkSync(tmpdir(), path), "it is not a file"],
  ["a link to nothing", (path) => symlinkSync(`${path}.gone`, path), "cannot be read"],
  ["a link to a device without end", (path) => symlinkSync("/dev/zero", path), "it is not a file"],
  ["a pipe", (path) => void Bun.spawnSync(["mkfifo", path]), "it is not a file"],
  ["gigabytes", (path) => [writeFileSync(path, ""), truncateSync(path, 2 ** 33)], "it has 8589934592 bytes"],
  ["bytes", (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1])), "is not JSON"],
  ["nothing", (path) => writeFileSync(path, ""), "is not JSON"],
  ["a number", (path) => writeFileSync(path, "1e999"), "the file must be an object"],
  ["cut", changed((json) => json.slice(0, json.length >> 1)), "is not JSON"],
  ["without its last letter", changed((json) => json.slice(0, -2)), "is not JSON"],
  ["nested without an end", (path) => writeFileSync(path, nested(200_000)), "the file must be an object"],
  ["of a huge size", changed((json) => json.replace(/"bytes": \d+/, '"bytes": 1e999')), "files.0.bytes"],
  ["of other types", changed((json) => json.replace('"sources": [', '"sources": 7, "x": [')), "sources"],
  ["of another family", changed((json) => json.replace('"kokoro"', '"__proto__"')), "family"],
  ["another package's", changed((json) => json.replaceAll('"foo"', '"good"')), "describes another package"],
  ["without its files", changed((json) => json), "was removed"],
];
test.each(strange)(
  "a manifest that is %s is named: other packages work, and can be installed and removed",
  (_what, make, fault) => {
    make(manifest("foo"));
    expect(names()).toEqual(["good"]);
    const [[name, message] = ["", ""], ...others] = [...openModelStore(weights).damaged()];
    expect([name, others]).toEqual(["foo", []]);
    expect(message).toStartWith(`${manifest("foo")}: `);
    expect(message).toContain(fault);
    expect(message.length).toBeLessThan(500);
    put("better");
    expect(names()).toEqual(["better", "good"]);
    remove(weights, "better");
    remove(weights, "foo");
    expect(names()).toEqual(["good"]);
    expect(openModelStore(weights).damaged().size).toBe(0);
    expect(readdirSync(packagesOf(weights)).length).toBe(2);
  },
);

test.each([
  ["cut", (json: string) => json.slice(0, 40)],
  ["changed", (json: string) => json.replace('"title": "kept"', '"title": "Another"')],
])(
  "a manifest that was %s keeps its files until it is restored, removed or installed again",
  (_what, change) => {
    put("kept");
    const json = readFileSync(manifest("kept"), "utf8");
    const { folder } = openModelStore(weights).installed("kept")!;
    writeFileSync(manifest("kept"), change(json));
    expect(openModelStore(weights).installed("kept")).toBeNull();
    put("better");
    expect(readdirSync(folder)).toEqual(["model.onnx"]);
    writeFileSync(manifest("kept"), json);
    expect(names()).toEqual(["better", "good", "kept"]);
    writeFileSync(manifest("kept"), change(json));
    put("kept");
    expect(names()).toEqual(["better", "good", "kept"]);
    writeFileSync(manifest("kept"), change(json));
    remove(weights, "kept");
    expect(existsSync(folder)).toBe(false);
  },
);

test("a manifest that is temporarily unreadable loses nothing", () => {
  put("closed");
  const { folder } = openModelStore(weights).installed("closed")!;
  renameSync(manifest("closed"), join(weights, "aside"));
  symlinkSync(manifest("closed"), manifest("closed")); // not even root can read this
  expect(names()).toEqual(["good"]);
  put("better");
  rmSync(manifest("closed"));
  renameSync(join(weights, "aside"), manifest("closed"));
  expect(names()).toEqual(["better", "closed", "good"]);
  expect(readdirSync(folder)).toEqual(["model.onnx"]);
});

test("a file instead of the packages folder is an empty model store", () => {
  rmSync(packagesOf(weights), { recursive: true });
  writeFileSync(packagesOf(weights), "");
  expect(names()).toEqual([]);
  rmSync(weights, { recursive: true });
  writeFileSync(weights, "");
  expect([names(), stampOf(weights)]).toEqual([[], 0]);
});
