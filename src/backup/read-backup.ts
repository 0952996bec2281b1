/** Reads a backup into an empty folder, and checks that it is whole: every listed file is there, with its size and hash. */
import { createHash } from "node:crypto";
import { createWriteStream, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import {
  BackupError,
  type BackupManifest,
  MANIFEST_MAX_BYTES,
  MANIFEST_NAME,
  parseManifest,
} from "./backup-manifest.ts";

export async function readBackup(input: Readable, folder: string): Promise<BackupManifest> {
  try {
    return await unpack(input, folder);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`The backup cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function unpack(input: Readable, folder: string): Promise<BackupManifest> {
  const unpacking = extract();
  const reading = pipeline(input, createGunzip(), unpacking);
  reading.catch(() => {}); // awaited below
  let manifest: BackupManifest | null = null;
  const missing = new Map<string, BackupManifest["files"][number]>();
  for await (const entry of unpacking) {
    const { name, size = 0 } = entry.header;
    const content = Readable.from(entry);
    if (manifest === null) {
      if (name !== MANIFEST_NAME || size > MANIFEST_MAX_BYTES)
        throw new BackupError(`This is not a backup of Loquat: it does not begin with ${MANIFEST_NAME}.`);
      manifest = parseManifest(Buffer.concat(await content.toArray()).toString());
      for (const file of manifest.files) missing.set(file.path, file);
    } else {
      const file = missing.get(name);
      if (!file) throw new BackupError(`The backup has ${name}, which its ${MANIFEST_NAME} does not list.`);
      await write(content, join(folder, name), file);
      missing.delete(name);
    }
  }
  await reading;
  if (manifest === null) throw new BackupError("This is not a backup of Loquat: it is empty.");
  for (const path of missing.keys()) throw new BackupError(`The backup is incomplete: ${path} is missing.`);
  return manifest;
}

async function write(content: Readable, path: string, file: BackupManifest["files"][number]): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  content.on("data", (chunk) => hash.update(chunk));
  await pipeline(content, createWriteStream(path, { mode: 0o600 }));
  if (hash.digest("hex") !== file.sha256)
    throw new BackupError(`The backup is damaged: ${file.path} has changed.`);
}
