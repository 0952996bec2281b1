/**
 * Installation without a network: bundles, which hold a manifest and all of its files, and folders of files. Every file
 * must have the hash in the manifest.
 */

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";
import { filesOf, type Package, PackageError, type PackageFile, parsePackage } from "../packages/package.ts";
import { incomingOf } from "./incoming.ts";
import { installKept, type TryOut } from "./installed-variants.ts";
import { requireLicense } from "./license.ts";
import { inLock } from "./lock.ts";
import type { Installed } from "./model-store.ts";
import { diskFailure, ModelStoreError } from "./store-error.ts";
import { hashOf, isLocked, type Locked, type LockedFile } from "./store-writer.ts";

const MANIFEST = "manifest.json";
const MANIFEST_MAX_BYTES = 1024 * 1024;

/** The manifest is the first entry, so that a reader knows what follows. */
export async function exportPackage({ package: pkg, folder }: Installed, out: string): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createWriteStream(out));
  tar.entry({ name: MANIFEST }, `${JSON.stringify(pkg, null, 2)}\n`);
  for (const { path } of pkg.files) {
    const file = join(folder, path);
    const entry = tar.entry({ name: path, size: statSync(file).size });
    await pipeline(createReadStream(file), entry);
  }
  tar.finalize();
  await written;
}

type Importing = { weights: string; licenseAccepted: boolean; tryOut: TryOut };

/** A bundle that `exportPackage` wrote. */
export function importBundle(path: string, options: Importing): Promise<Locked> {
  return inLock(options.weights, () =>
    withStaged(async (staged) => {
      const locked = await unpack(path, { ...options, staged }).catch((error) => {
        throw isKnown(error)
          ? error
          : new ModelStoreError(`${path} cannot be read: ${(error as Error).message}.`);
      });
      return finish(locked, staged, options);
    }),
  );
}

/** A file on its way into the store, under the path of its package. */
type Staged = { path: string; to: string; sha256: string };

/** A failure, such as a disk that is full, leaves none of the files behind. */
async function withStaged<T>(work: (staged: Staged[]) => Promise<T>): Promise<T> {
  const staged: Staged[] = [];
  try {
    return await work(staged);
  } finally {
    for (const { to } of staged) rmSync(to, { force: true });
  }
}

const stagingPath = (weights: string, staged: Staged[]) => incomingOf(weights, `import-${staged.length}`);

const isKnown = (error: unknown) =>
  error instanceof ModelStoreError || error instanceof PackageError || diskFailure(error) !== null;

type Unpacking = Importing & { staged: Staged[] };

async function unpack(path: string, { weights, licenseAccepted, staged }: Unpacking): Promise<Locked> {
  const unpacking = extract();
  const reading = pipeline(createReadStream(path), unpacking);
  reading.catch(() => {}); // awaited below
  let locked: Locked | null = null;
  for await (const entry of unpacking) {
    const { name, size = 0 } = entry.header;
    if (locked === null) {
      if (name !== MANIFEST || size > MANIFEST_MAX_BYTES)
        throw new ModelStoreError(`${path} is not a bundle: it does not begin with ${MANIFEST}.`);
      locked = await manifestOf(path, Readable.from(entry));
      requireLicense(locked, licenseAccepted);
    } else await stageEntry({ locked, name, size, entry: Readable.from(entry) }, weights, staged);
  }
  await reading;
  if (locked === null) throw new ModelStoreError(`${path} is not a bundle: it has no ${MANIFEST}.`);
  return locked;
}

async function manifestOf(path: string, entry: Readable): Promise<Locked> {
  const read = parsePackage(path, Buffer.concat(await entry.toArray()).toString(), true);
  if (!isLocked(read)) throw new ModelStoreError(`${path} lacks the hash of some file.`);
  return read;
}

type Entry = { locked: Locked; name: string; size: number; entry: Readable };

async function stageEntry(
  { locked, name, size, entry }: Entry,
  weights: string,
  staged: Staged[],
): Promise<void> {
  const file = locked.files.find(({ path }) => path === name);
  if (!file)
    throw new ModelStoreError(`${locked.name}: the bundle has ${name}, which its manifest does not list.`);
  checkBytes(file, size);
  const to = stagingPath(weights, staged);
  staged.push({ path: name, to, sha256: file.sha256 });
  const hash = createHash("sha256");
  entry.on("data", (chunk) => hash.update(chunk));
  await pipeline(entry, createWriteStream(to));
  checkHash(file, hash.digest("hex"));
}

function checkBytes({ path, bytes }: PackageFile, actual: number): void {
  if (bytes !== null && bytes !== actual)
    throw new ModelStoreError(`${path} has ${actual} bytes, not ${bytes} as in its manifest.`);
}

function checkHash(file: LockedFile, sha256: string): void {
  if (sha256 === file.sha256) return;
  throw new ModelStoreError(
    `${file.path} has the hash ${sha256}, not ${file.sha256}: it is damaged, or another file.`,
  );
}

async function finish(locked: Locked, staged: Staged[], { weights, tryOut }: Importing): Promise<Locked> {
  const missing = locked.files.find((file) => !staged.some(({ path }) => path === file.path));
  if (missing) throw new ModelStoreError(`${locked.name}: ${missing.path} is missing.`);
  await installKept(weights, locked, {
    tryOut,
    files: staged.map(({ to, sha256 }) => ({ from: to, sha256 })),
  });
  return locked;
}

/** A folder with the files of a package, at their paths or all in one place; `known` where it has no manifest. */
export function importFolder(folder: string, known: Package | null, options: Importing): Promise<Locked> {
  return inLock(options.weights, () =>
    withStaged(async (staged) => {
      const pkg = known ?? manifestIn(folder);
      requireLicense(pkg, options.licenseAccepted);
      const files = await stageFolder(folder, pkg, { ...options, staged });
      return finish({ ...pkg, files }, staged, options);
    }),
  );
}

/** The files of the first variant that is there whole. */
async function stageFolder(
  folder: string,
  pkg: Package,
  { weights, staged }: Unpacking,
): Promise<LockedFile[]> {
  const variants = [...new Set([...pkg.variants.cpu, ...pkg.variants.gpu])];
  const variant =
    variants.find((each) => filesOf(pkg, each).every(({ path }) => placeOf(folder, path))) ?? variants[0];
  const files: LockedFile[] = [];
  for (const file of filesOf(pkg, variant ?? null)) {
    const from = placeOf(folder, file.path);
    if (from === null) throw new ModelStoreError(`${folder} lacks ${file.path} of ${pkg.name}.`);
    checkBytes(file, statSync(from).size);
    const to = stagingPath(weights, staged);
    staged.push({ path: file.path, to, sha256: "" });
    await pipeline(createReadStream(from), createWriteStream(to));
    const sha256 = await hashOf(to);
    staged.at(-1)!.sha256 = sha256;
    const locked = { ...file, bytes: statSync(to).size, sha256: file.sha256 ?? sha256 };
    checkHash(locked, sha256);
    files.push(locked);
  }
  return files;
}

function placeOf(folder: string, path: string): string | null {
  return [join(folder, path), join(folder, basename(path))].find(existsSync) ?? null;
}

function manifestIn(folder: string): Package {
  const path = join(folder, MANIFEST);
  if (!existsSync(path))
    throw new ModelStoreError(`${folder} has no ${MANIFEST}: name the package with --as NAME.`);
  return parsePackage(path, readFileSync(path, "utf8"));
}
