/** Promise: an installed package stays installed in each of its variants, and engines try the preferred one first. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSetsOf } from "../../src/models/packages/file-sets.ts";
import type { Package } from "../../src/models/packages/package.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { piperContents } from "../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";

const file = (role: string, path: string, variant?: string) => ({
  role,
  path,
  bytes: 1,
  sha256: "0".repeat(64),
  ...(variant ? { variant } : {}),
});
const variants = { cpu: ["int8", "fp32"], gpu: ["fp32"] };

test("a package that was installed in one of its variants is installed", () => {
  const weights = mkdtempSync(join(tmpdir(), "loquat-variants-"));
  try {
    const locked = packageOf("voice", "vits", { contents: piperContents(), variant: "int8" });
    storePackage(weights, { ...locked, variants }, piperContents());
    expect(openModelStore(weights).installed("voice")?.package.variants).toEqual(variants);
  } finally {
    rmSync(weights, { recursive: true });
  }
});

test("engines try the installed variants in the order of the device, with the files that all have", () => {
  const files: Package["files"] = [
    file("encoder", "a.onnx", "fp32"),
    file("encoder", "b.onnx", "int8"),
    file("vocabulary", "v.txt"),
  ];
  const pathsOf = (device: "cpu" | "gpu") =>
    fileSetsOf({ variants, files }, device).map(({ variant, files }) => [
      variant,
      ...files.map(({ path }) => path),
    ]);
  expect(pathsOf("cpu")).toEqual([
    ["int8", "b.onnx", "v.txt"],
    ["fp32", "a.onnx", "v.txt"],
  ]);
  expect(pathsOf("gpu").map(([variant]) => variant)).toEqual(["fp32", "int8"]);
});

test("a package of one precision has one set of files", () => {
  const files = [file("model", "m.onnx")];
  expect(fileSetsOf({ variants: { cpu: [], gpu: [] }, files }, "cpu")).toEqual([{ variant: null, files }]);
});
