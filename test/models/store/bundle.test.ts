/** Promise: a package is exported and imported as one file or as a folder, unchanged, or refused. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportPackage, importBundle, importFolder } from "../../../src/models/store/bundle.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { ModelStoreError } from "../../../src/models/store/store-error.ts";
import { packageOf, storePackage, UNTRIED } from "../../../testing/packages/model-store.ts";

const CONTENTS = {
  model: { path: "onnx/model.onnx", bytes: "the model" },
  "voice-a": { path: "voices/a.bin", bytes: "a voice" },
};
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "loquat-bundle-"));
  folders.push(made);
  return made;
}

const installed = (weights: string) => openModelStore(weights).installed("little");
const textOf = (weights: string, path: string) =>
  readFileSync(join(installed(weights)!.folder, path), "utf8");
const options = (weights: string) => ({ weights, licenseAccepted: false, tryOut: UNTRIED });

async function bundled(): Promise<string> {
  const weights = folder();
  storePackage(weights, packageOf("little", "kokoro", { options: {}, contents: CONTENTS }), CONTENTS);
  const out = join(folder(), "little.tar");
  await exportPackage(installed(weights)!, out);
  return out;
}

test("a bundle from one model store installs in another", async () => {
  const weights = folder();
  const locked = await importBundle(await bundled(), options(weights));
  expect(locked.name).toBe("little");
  expect([textOf(weights, "onnx/model.onnx"), textOf(weights, "voices/a.bin")]).toEqual([
    "the model",
    "a voice",
  ]);
});

test("one changed byte is detected, and nothing is installed", async () => {
  const out = await bundled();
  const bytes = readFileSync(out);
  bytes.write("THE", bytes.indexOf("the model"));
  writeFileSync(out, bytes);
  const weights = folder();
  await expect(importBundle(out, options(weights))).rejects.toThrow("onnx/model.onnx has the hash");
  expect(installed(weights)).toBeNull();
});

test("a bundle that is cut short, or is not one, is refused", async () => {
  const out = await bundled();
  const bytes = readFileSync(out);
  writeFileSync(out, bytes.subarray(0, bytes.indexOf("a voice") - 512));
  const weights = folder();
  const refusal = () => importBundle(out, options(weights)).catch((error: unknown) => error);
  expect(await refusal()).toBeInstanceOf(ModelStoreError); // which a command prints as one line
  writeFileSync(out, "nothing of the kind");
  expect(await refusal()).toBeInstanceOf(ModelStoreError);
  rmSync(out);
  expect(await refusal()).toBeInstanceOf(ModelStoreError);
  expect(installed(weights)).toBeNull();
});

test("a bundle whose manifest declares wrong sizes is refused, and nothing is installed", async () => {
  const out = await bundled();
  const bytes = readFileSync(out);
  bytes.write('"bytes": 8,', bytes.indexOf('"bytes": 9,'));
  writeFileSync(out, bytes);
  const weights = folder();
  await expect(importBundle(out, options(weights))).rejects.toThrow(
    "onnx/model.onnx has 9 bytes, not 8 as in its manifest",
  );
  expect(installed(weights)).toBeNull();
});

test("a folder with files at their paths or side by side is imported as the known package", async () => {
  const known = packageOf("little", "kokoro", { options: {}, contents: CONTENTS });
  const from = folder();
  mkdirSync(join(from, "onnx"));
  writeFileSync(join(from, "onnx", "model.onnx"), "the model");
  const weights = folder();
  await expect(importFolder(from, known, options(weights))).rejects.toThrow("lacks voices/a.bin");
  writeFileSync(join(from, "a.bin"), "another voice");
  await expect(importFolder(from, known, options(weights))).rejects.toThrow(
    "voices/a.bin has 13 bytes, not 7",
  );
  writeFileSync(join(from, "a.bin"), "A VOICE");
  await expect(importFolder(from, known, options(weights))).rejects.toThrow("voices/a.bin has the hash");
  expect(existsSync(join(from, "a.bin"))).toBe(true);
  writeFileSync(join(from, "a.bin"), "a voice");
  await importFolder(from, known, options(weights));
  expect(textOf(weights, "voices/a.bin")).toBe("a voice");
});

test("a folder without a manifest needs the package's name", async () => {
  await expect(importFolder(folder(), null, options(folder()))).rejects.toThrow("--as NAME");
});
