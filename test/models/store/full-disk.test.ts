/** Promise: a disk that fills while a package is added or imported leaves what was installed, and nothing half done. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installLocal } from "../../../src/models/local/install-local.ts";
import { exportPackage, importBundle, importFolder } from "../../../src/models/store/bundle.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { packageOf, storePackage, UNTRIED } from "../../../testing/packages/model-store.ts";

const mounts = process.platform === "linux" && process.getuid?.() === 0 && Bun.which("mount") !== null;
const root = mkdtempSync(join(tmpdir(), "loquat-full-"));
const weights = join(root, "weights");

const DISK_BYTES = 1_000_000;
const part = (fill: string, bytes: number) => ({ bytes: fill.repeat(bytes), path: `${fill}.bin` });
const SMALL = { model: part("s", 1000) };
/** The first file fits, the second one does not. */
const LARGE = { model: part("a", DISK_BYTES / 2), "voice-b": part("b", DISK_BYTES) };
const large = packageOf("large", "kokoro", { contents: LARGE });
const folder = join(root, "large");
const elsewhere = join(root, "elsewhere");

beforeAll(async () => {
  mkdirSync(folder);
  for (const { path, bytes } of Object.values(LARGE)) writeFileSync(join(folder, path), bytes);
  if (!mounts) return;
  storePackage(elsewhere, large, LARGE);
  await exportPackage(openModelStore(elsewhere).installed("large")!, join(root, "large.tar"));
  mkdirSync(weights);
  const size = `size=${DISK_BYTES}`;
  expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", size, "tmpfs", weights]).exitCode).toBe(0);
  storePackage(weights, packageOf("small", "kokoro", { contents: SMALL }), SMALL);
});
afterAll(() => {
  if (mounts) Bun.spawnSync(["umount", "-l", weights]);
  rmSync(root, { recursive: true, force: true });
});

const options = { weights, licenseAccepted: false, tryOut: UNTRIED };
const files = Object.entries(LARGE).map(([role, { path }]) => ({ role, path, from: join(folder, path) }));
const { files: _, ...manifest } = large;
const WAYS: [name: string, add: () => Promise<unknown>, message: string][] = [
  ["a folder", () => importFolder(folder, large, options), "is on a disk that is full"],
  ["a bundle", () => importBundle(join(root, "large.tar"), options), "is on a disk that is full"],
  [
    "an operator's files",
    () => installLocal(manifest, files, { weights, tryOut: UNTRIED }),
    "1.5 MB are needed",
  ],
  [
    "an operator's files beside another writer",
    () =>
      installLocal(manifest, [files[0]!], {
        weights,
        async tryOut() {
          writeFileSync(join(weights, "filler"), "f".repeat(DISK_BYTES));
          return () => {};
        },
      }),
    "is on a disk that is full",
  ],
];
const why = mounts ? "" : " (skipped: needs to mount a small disk)";
test.skipIf(!mounts).each(WAYS)(
  `%s on a disk that fills changes nothing${why}`,
  async (_name, add, message) => {
    await expect(add()).rejects.toThrow(message);
    rmSync(join(weights, "filler"), { force: true });
    expect(
      openModelStore(weights)
        .list()
        .map(({ package: { name } }) => name),
    ).toEqual(["small"]);
    expect(readdirSync(weights).sort()).toEqual(["incoming", "packages", "store"]);
    expect(readdirSync(join(weights, "incoming"))).toEqual([]);
    const blobs = readdirSync(join(weights, "store"), { recursive: true, withFileTypes: true });
    expect(blobs.filter((entry) => entry.isFile())).toHaveLength(1);
  },
);
