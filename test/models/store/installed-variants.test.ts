/** Promise: two precisions of a package are installed beside each other, and what is common to them is stored once. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSetsOf } from "../../../src/models/packages/file-sets.ts";
import { pull } from "../../../src/models/pull/pull.ts";
import { exportPackage, importBundle } from "../../../src/models/store/bundle.ts";
import { addInstallation, removeVariant, variantsIn } from "../../../src/models/store/installed-variants.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { blobOf, type Locked } from "../../../src/models/store/store-writer.ts";
import { packageOf, storePackage, UNTRIED } from "../../../testing/packages/model-store.ts";
import { openHub } from "../pull/hub.ts";
import { optionsOf, packageAt, sha256, storeOf } from "../pull/tiny-package.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const installed = (weights: string) => openModelStore(weights).installed("little")!;
const variants = { cpu: ["q8", "fp32"], gpu: ["fp32"] };
const FILES = { "m/q8.onnx": "small", "m/fp32.onnx": "large", "m/vocab.txt": "a 0\n" };

/** Of two precisions, with one file that both have. */
function twoAt(url: string, version = "2026-01-01") {
  const file = (role: string, path: string, variant?: string) => ({
    role,
    path,
    bytes: null,
    sha256: null,
    ...(variant ? { variant } : {}),
  });
  const files = [
    file("model", "q8.onnx", "q8"),
    file("model", "fp32.onnx", "fp32"),
    file("vocabulary", "vocab.txt"),
  ];
  return packageAt(url, { variants, files, version });
}

const pathsOf = (weights: string) =>
  fileSetsOf(installed(weights).package, "cpu").map(({ variant, files }) => [
    variant,
    ...files.map(({ path }) => path).toSorted(),
  ]);

/** As it was installed before: one variant, and a derived file that does not say of which. */
function storeVariant(weights: string, variant: string): Locked {
  const contents = { model: { path: `${variant}.onnx`, bytes: `the model in ${variant}` } };
  const derived = { durations: { path: "derived/durations.onnx", bytes: `made of ${variant}` } };
  const locked = packageOf("little", "kokoro", { contents, variant });
  const { files } = packageOf("little", "kokoro", { contents: derived });
  const whole = { ...locked, variants, files: [...locked.files, ...files] } as Locked;
  storePackage(weights, whole, { ...contents, ...derived });
  return whole;
}

describe("a pull of another variant", () => {
  test("adds it, and downloads nothing that is there", async () => {
    using hub = openHub(FILES);
    const weights = storeOf();
    await pull(twoAt(hub.url), optionsOf(weights));
    hub.asked.length = 0;
    await pull(twoAt(hub.url), optionsOf(weights, { variant: "fp32" }));
    expect(hub.asked.filter((line) => !line.includes("fp32.onnx"))).toEqual([]);
    expect(pathsOf(weights)).toEqual([
      ["q8", "q8.onnx", "vocab.txt"],
      ["fp32", "fp32.onnx", "vocab.txt"],
    ]);
    hub.asked.length = 0;
    await pull(twoAt(hub.url), optionsOf(weights));
    expect(hub.asked).toEqual([]);
    expect(variantsIn(installed(weights).package.files).toSorted()).toEqual(["fp32", "q8"]);
  });

  test("of another version replaces all of the earlier one", async () => {
    using hub = openHub(FILES);
    const weights = storeOf();
    await pull(twoAt(hub.url), optionsOf(weights));
    await pull(twoAt(hub.url, "2026-02-01"), optionsOf(weights, { variant: "fp32" }));
    expect(pathsOf(weights)).toEqual([["fp32", "fp32.onnx", "vocab.txt"]]);
    expect(existsSync(blobOf(weights, sha256("small")))).toBe(false);
  });
});

test("what was installed before is kept, and what was derived of it stays with it", () => {
  const weights = storeOf();
  storeVariant(weights, "fp32");
  expect(pathsOf(weights)).toEqual([["fp32", "derived/durations.onnx", "fp32.onnx"]]);
  const contents = { model: { path: "q8.onnx", bytes: "the model in q8" } };
  storePackage(weights, packageOf("another", "kokoro", { contents }), contents); // the store has the content
  const added = packageOf("little", "kokoro", { contents, variant: "q8" });
  addInstallation(weights, { ...added, variants });
  expect(pathsOf(weights)).toEqual([
    ["q8", "q8.onnx"],
    ["fp32", "derived/durations.onnx", "fp32.onnx"],
  ]);
  const { folder } = installed(weights);
  expect(readFileSync(join(folder, "derived/durations.onnx"), "utf8")).toBe("made of fp32");
});

test("one variant is removed alone, the last one with its package", async () => {
  using hub = openHub(FILES);
  const weights = storeOf();
  await pull(twoAt(hub.url), optionsOf(weights));
  await pull(twoAt(hub.url), optionsOf(weights, { variant: "fp32" }));
  expect(removeVariant(weights, "little", "int8")).toBe(false);
  expect(removeVariant(weights, "little", "q8")).toBe(true);
  expect(pathsOf(weights)).toEqual([["fp32", "fp32.onnx", "vocab.txt"]]);
  expect(existsSync(blobOf(weights, sha256("small")))).toBe(false);
  expect(removeVariant(weights, "little", "fp32")).toBe(true);
  expect(openModelStore(weights).installed("little")).toBeNull();
});

test("a bundle of one variant of several is imported, beside the other", async () => {
  const from = storeOf();
  const weights = storeOf();
  storeVariant(from, "q8");
  storeVariant(weights, "fp32");
  const folder = mkdtempSync(join(tmpdir(), "loquat-bundle-"));
  folders.push(folder);
  const out = join(folder, "little.tar");
  await exportPackage(installed(from), out);
  await importBundle(out, { weights, licenseAccepted: false, tryOut: UNTRIED });
  expect(pathsOf(weights).map(([variant]) => variant)).toEqual(["q8", "fp32"]);
});
