/** Promise: a running server sees what another process installs, changes or adds among the weights, and nothing breaks it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { catalogueReader } from "../../../src/models/store/installed-catalogue.ts";
import { keepManifest, pullablePackages } from "../../../src/models/store/known-packages.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { watchPackages } from "../../../src/models/store/watch.ts";
import { addedOf, folderOf, packagesOf } from "../../../src/natives/store-layout.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { until } from "../../until.ts";

const CONTENTS = { model: { path: "model.onnx", bytes: "the model" } };
const recognition = [{ uses: ["batch" as const], languages: ["eo"], rank: 1 }];
const pkg = packageOf("own-esperanto", "whisper", { contents: CONTENTS, offers: { recognition } });

let weights: string;
beforeEach(() => {
  weights = mkdtempSync(join(tmpdir(), "loquat-watched-"));
});
afterEach(() => rmSync(weights, { recursive: true, force: true }));

const openCatalogue = () => {
  const { folder } = readConfig({}).models;
  const store = openModelStore(weights);
  return catalogueReader({ folder, weights }, { store, embedded: () => new Set() });
};

/** A watcher, and how often it has called. */
function watch() {
  let count = 0;
  const watcher = watchPackages(weights, () => {
    count++;
  });
  return { count: () => count, [Symbol.dispose]: () => watcher[Symbol.dispose]() };
}

test("a manifest that was added is noticed, and is what a request is told to install", async () => {
  const read = openCatalogue();
  const needs = { language: "eo", translates: false };
  expect(read().packageFor(needs)).toBeNull();
  using watching = watch();
  keepManifest({ folder: "", weights }, pkg);
  await until(() => watching.count() > 0);
  expect(read().packageFor(needs)).toBe("own-esperanto");
});

test("a manifest whose copy arrives in two parts is read when it is whole, and again when it changes in its place", async () => {
  storePackage(weights, pkg, CONTENTS);
  const path = join(packagesOf(weights), "own-esperanto.json");
  const json = readFileSync(path, "utf8");
  writeFileSync(path, json.slice(0, 40));
  const store = openModelStore(weights);
  expect(store.installed("own-esperanto")).toBeNull();
  using watching = watch();
  writeFileSync(path, json);
  await until(() => watching.count() > 0 && store.installed("own-esperanto") !== null);
  const other = json.replace('"title": "own-esperanto"', '"title": "Another title"');
  const { folder } = store.installed("own-esperanto")!;
  cpSync(folder, folderOf(weights, "own-esperanto", other), { recursive: true });
  writeFileSync(path, other);
  await until(() => store.installed("own-esperanto")?.package.title === "Another title");
});

test("an added manifest that cannot be read is ignored, with a warning, and the others stay", () => {
  keepManifest({ folder: "", weights }, pkg);
  mkdirSync(join(addedOf(weights), "folder.json"));
  writeFileSync(join(addedOf(weights), "broken.json"), "{");
  const warnings: string[] = [];
  const warned = (warning: Error) => warnings.push(warning.message);
  process.on("warning", warned);
  const { folder } = readConfig({}).models;
  expect(pullablePackages({ folder, weights }).has("own-esperanto")).toBe(true);
  expect(() => openCatalogue()()).not.toThrow();
  return until(() => warnings.length >= 2).then(() => {
    process.off("warning", warned);
    expect(warnings.map((text) => text.split(" is ignored")[0])).toEqual([
      join(addedOf(weights), "broken.json"),
      join(addedOf(weights), "folder.json"),
    ]);
  });
});
