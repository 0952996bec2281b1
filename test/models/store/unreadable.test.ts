/** Promise: an unreadable manifest is not an installed package, and does not affect others. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openModelStore, stampOf } from "../../../src/models/store/model-store.ts";
import { remove } from "../../../src/models/store/store-writer.ts";
import { packagesOf } from "../../../src/natives/store-layout.ts";
import { packageOf, shelve } from "../../packages/model-store.ts";

const CONTENTS = { model: { path: "model.onnx", bytes: "the model" } };

let weights: string;
beforeEach(() => {
  weights = mkdtempSync(join(tmpdir(), "loquat-unreadable-"));
  put("good");
});
afterEach(() => rmSync(weights, { recursive: true, force: true }));

const put = (name: string) =>
  shelve(weights, packageOf(name, "kokoro", { options: {}, contents: CONTENTS }), CONTENTS);
const manifest = (name: string) => join(packagesOf(weights), `${name}.json`);
const names = () =>
  openModelStore(weights)
    .list()
    .map((one) => one.package.name);

const strange: [string, (path: string) => void][] = [
  ["a folder", (path) => mkdirSync(path)],
  ["a folder with something in it", (path) => mkdirSync(join(path, "deep"), { recursive: true })],
  ["a link to itself", (path) => symlinkSync(path, path)],
  ["a link to a folder", (path) => symlinkSync(tmpdir(), path)],
  ["bytes", (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1]))],
  ["nothing", (path) => writeFileSync(path, "")],
  [
    "another package's",
    (path) => writeFileSync(path, JSON.stringify(openModelStore(weights).installed("good")!.package)),
  ],
];
test.each(strange)(
  "a manifest that is %s is ignored: other packages work, and can be installed and removed",
  (_what, make) => {
    make(manifest("foo"));
    expect(names()).toEqual(["good"]);
    put("better");
    expect(names()).toEqual(["better", "good"]);
    remove(weights, "better");
    remove(weights, "foo");
    expect(names()).toEqual(["good"]);
    expect(readdirSync(packagesOf(weights)).length).toBe(2);
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
