/** Promise: a damaged package installs nothing but what its manifest declares, and writes nothing elsewhere. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pack } from "tar-stream";
import { PackageError, parsePackage } from "../../src/models/packages/package.ts";
import { importBundle } from "../../src/models/store/bundle.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { ModelStoreError } from "../../src/models/store/store-error.ts";
import { hashOf } from "../../src/models/store/store-writer.ts";
import { packagesOf } from "../../src/natives/store-layout.ts";
import { packageOf, UNTRIED } from "../../testing/packages/model-store.ts";
import { mutate } from "./mutate.ts";
import { type Chance, FUZZ_TIMEOUT_MS, fuzz } from "./random.ts";

const CONTENTS = {
  model: { path: "onnx/model.onnx", bytes: "the model" },
  voice: { path: "voices/a.bin", bytes: "a voice" },
};
const MANIFEST = JSON.stringify(packageOf("little", "kokoro", { options: {}, contents: CONTENTS }));
const PATHS = [
  "../out",
  "/tmp/out",
  "..",
  ".",
  "",
  "onnx/../../out",
  "a\\..\\b",
  "onnx",
  "manifest.json",
  "é",
  "x".repeat(300),
];
const VALUES = [null, true, -1, 0.5, 1e300, "", "x", [], {}, ["a"], "file:///etc/passwd", "__proto__"];

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "loquat-packages-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Files below a folder, with their contents. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

type Node = Record<string, unknown>;

/** One field of it, at any depth, is something else, missing, or there twice. */
function twisted(manifest: string, chance: Chance): string {
  const value = JSON.parse(manifest) as Node;
  let at = value;
  for (;;) {
    const name = chance.pick(Object.keys(at));
    const below = at[name];
    if (below !== null && typeof below === "object" && Object.keys(below).length > 0 && !chance.once(3)) {
      at = below as Node;
      continue;
    }
    if (chance.once(4)) delete at[name];
    else at[name] = name === "path" || name === "name" ? chance.pick(PATHS) : chance.pick(VALUES);
    return JSON.stringify(value);
  }
}

async function bundleOf(manifest: string, chance: Chance): Promise<Buffer> {
  const tar = pack();
  const whole = Readable.from(tar).toArray();
  tar.entry({ name: "manifest.json" }, manifest);
  const files = Object.values(CONTENTS).map(({ path, bytes }) => ({ name: path, bytes }));
  if (chance.once(4)) files.reverse();
  if (chance.once(4)) files.push({ name: chance.pick(PATHS) || "extra", bytes: "more" });
  if (chance.once(6)) files.push(files[0]!);
  for (const { name, bytes } of files)
    if (chance.once(8))
      tar.entry({ name, type: chance.pick(["symlink", "link", "directory"]), linkname: "/etc/passwd" });
    else tar.entry({ name }, bytes);
  tar.finalize();
  return Buffer.concat(await whole);
}

test("a file at the path of another file's folder is refused", () => {
  const manifest = MANIFEST.replace('"voices/a.bin"', '"onnx"');
  expect(() => parsePackage("a.json", manifest)).toThrow("files name onnx, which is the folder of another");
});

test(
  "damaged bundles install only what their manifests declare",
  async () => {
    let imported = 0;
    await fuzz(async (chance, number) => {
      const folder = join(root, String(number));
      const weights = join(folder, "weights");
      mkdirSync(folder);
      const manifest = chance.once(2) ? MANIFEST : twisted(MANIFEST, chance);
      const bundle = await bundleOf(manifest, chance);
      writeFileSync(join(folder, "bundle.tar"), chance.once(3) ? bundle : mutate(bundle, chance));
      const failure = await importBundle(join(folder, "bundle.tar"), {
        weights,
        licenseAccepted: true,
        tryOut: UNTRIED,
      }).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure !== null && !(failure instanceof ModelStoreError) && !(failure instanceof PackageError))
        throw failure;
      expect(readdirSync(folder).sort()).toEqual(["bundle.tar", "weights"]);
      const list = openModelStore(weights).list();
      expect(list.length).toBe(failure === null ? 1 : 0);
      for (const { package: installed, folder } of list) {
        imported++;
        expect(filesIn(folder)).toEqual(installed.files.map(({ path }) => path).sort());
        for (const { path, sha256, bytes } of installed.files) {
          expect(statSync(join(folder, path)).size).toBe(bytes!);
          expect(await hashOf(join(folder, path))).toBe(sha256!);
        }
      }
      if (failure !== null)
        expect(filesIn(weights).filter((path) => path.startsWith("packages"))).toEqual([]);
      rmSync(folder, { recursive: true });
    });
    expect(imported).toBeGreaterThan(0);
  },
  FUZZ_TIMEOUT_MS,
);

test(
  "damaged manifests are refused or valid",
  async () => {
    const folder = join(root, "manifests");
    mkdirSync(packagesOf(folder), { recursive: true });
    await fuzz(async (chance) => {
      const once = twisted(MANIFEST, chance);
      const damaged = chance.once(2)
        ? twisted(once, chance)
        : mutate(Buffer.from(once), chance).toString("latin1");
      try {
        const { name, files, sources } = parsePackage("a.json", damaged);
        expect(name).toMatch(/^[a-z0-9][a-z0-9._-]*$/);
        for (const { path, url = "https://" } of files) {
          expect(join("/here", path)).toStartWith("/here/");
          expect(url).toMatch(/^https?:\/\//);
        }
        for (const source of sources) expect(source).toMatch(/^https?:\/\//);
      } catch (error) {
        if (!(error instanceof PackageError)) throw error;
        expect(error.message.split("\n").length).toBeLessThan(3);
      }
      writeFileSync(join(packagesOf(folder), "little.json"), damaged);
      expect(openModelStore(folder).list().length).toBeLessThan(2);
    });
  },
  FUZZ_TIMEOUT_MS,
);
