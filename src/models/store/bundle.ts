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
import { addInstallation } from "./installed-variants.ts";
import { requireLicense } from "./license.ts";
import { inLock } from "./lock.ts";
import type { Installed } from "./model-store.ts";
import { diskFailure, ModelStoreError } from "./store-error.ts";
import { hashOf, isLocked, keepBlob, type Locked, type LockedFile } from "./store-writer.ts";

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

type Importing = { weights: string; licenseAccepted: boolean };

/** A bundle that `exportPackage` wrote. */
export function importBundle(path: string, options: Importing): Promise<Locked> {
  return inLock(options.weights, async () => {
    const { locked, kept } = await unpack(path, options).catch((error) => {
      throw isKnown(error)
        ? error
        : new ModelStoreError(`${path} cannot be read: ${(error as Error).message}.`);
    });
    return finish(locked, kept, options.weights);
  });
}

const isKnown = (error: unknown) =>
  error instanceof ModelStoreError || error instanceof PackageError || diskFailure(error) !== null;

async function unpack(path: string, { weights, licenseAccepted }: Importing) {
  const unpacking = extract();
  const reading = pipeline(createReadStream(path), unpacking);
  reading.catch(() => {}); // awaited below
  const kept: string[] = [];
  let locked: Locked | null = null;
  for await (const entry of unpacking) {
    const { name, size = 0 } = entry.header;
    if (locked === null) {
      if (name !== MANIFEST || size > MANIFEST_MAX_BYTES)
        throw new ModelStoreError(`${path} is not a bundle: it does not begin with ${MANIFEST}.`);
      locked = await manifestOf(path, Readable.from(entry));
      requireLicense(locked, licenseAccepted);
    } else kept.push(await keepEntry({ locked, name, size, entry: Readable.from(entry), weights }));
  }
  await reading;
  if (locked === null) throw new ModelStoreError(`${path} is not a bundle: it has no ${MANIFEST}.`);
  return { locked, kept };
}

async function manifestOf(path: string, entry: Readable): Promise<Locked> {
  const read = parsePackage(path, Buffer.concat(await entry.toArray()).toString(), true);
  if (!isLocked(read)) throw new ModelStoreError(`${path} lacks the hash of some file.`);
  return read;
}

type Entry = { locked: Locked; name: string; size: number; entry: Readable; weights: string };

async function keepEntry({ locked, name, size, entry, weights }: Entry): Promise<string> {
  const file = locked.files.find(({ path }) => path === name);
  if (!file)
    throw new ModelStoreError(`${locked.name}: the bundle has ${name}, which its manifest does not list.`);
  checkBytes(file, size);
  const to = incomingOf(weights, `import-${file.sha256.slice(0, 24)}`);
  const hash = createHash("sha256");
  entry.on("data", (chunk) => hash.update(chunk));
  try {
    await pipeline(entry, createWriteStream(to));
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
  keep(file, { to, sha256: hash.digest("hex"), weights });
  return name;
}

function checkBytes({ path, bytes }: PackageFile, actual: number): void {
  if (bytes !== null && bytes !== actual)
    throw new ModelStoreError(`${path} has ${actual} bytes, not ${bytes} as in its manifest.`);
}

function keep(
  file: LockedFile,
  { to, sha256, weights }: { to: string; sha256: string; weights: string },
): void {
  if (sha256 !== file.sha256) {
    rmSync(to, { force: true });
    throw new ModelStoreError(
      `${file.path} has the hash ${sha256}, not ${file.sha256}: it is damaged, or another file.`,
    );
  }
  keepBlob(weights, to, sha256);
}

function finish(locked: Locked, kept: string[], weights: string): Locked {
  const missing = locked.files.find(({ path }) => !kept.includes(path));
  if (missing) throw new ModelStoreError(`${locked.name}: ${missing.path} is missing.`);
  addInstallation(weights, locked);
  return locked;
}

/** A folder with the files of a package, at their paths or all in one place; `known` where it has no manifest. */
export function importFolder(folder: string, known: Package | null, options: Importing): Promise<Locked> {
  return inLock(options.weights, async () => {
    const pkg = known ?? manifestIn(folder);
    requireLicense(pkg, options.licenseAccepted);
    const variants = [...new Set([...pkg.variants.cpu, ...pkg.variants.gpu])];
    const variant =
      variants.find((each) => filesOf(pkg, each).every(({ path }) => placeOf(folder, path))) ?? variants[0];
    const files: LockedFile[] = [];
    for (const file of filesOf(pkg, variant ?? null)) {
      const from = placeOf(folder, file.path);
      if (from === null) throw new ModelStoreError(`${folder} lacks ${file.path} of ${pkg.name}.`);
      checkBytes(file, statSync(from).size);
      const to = incomingOf(options.weights, `import-${basename(file.path)}`);
      await pipeline(createReadStream(from), createWriteStream(to));
      const sha256 = await hashOf(to);
      const locked = { ...file, bytes: statSync(to).size, sha256: file.sha256 ?? sha256 };
      keep(locked, { to, sha256, weights: options.weights });
      files.push(locked);
    }
    return finish(
      { ...pkg, files },
      files.map(({ path }) => path),
      options.weights,
    );
  });
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
