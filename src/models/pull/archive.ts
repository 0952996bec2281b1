/**
 * Files that are published inside an archive (.tar.gz), as npm publishes them: it is downloaded once for all of them, and
 * not kept.
 *
 *   archive ──hash matches──> members, each ──hash matches──> store
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import type { PackageFile } from "../packages/package.ts";
import { incomingOf } from "../store/incoming.ts";
import { ModelStoreError } from "../store/store-error.ts";
import { keepBlob, type LockedFile } from "../store/store-writer.ts";
import { discard, download } from "./download.ts";
import { type Fetching, fromFirst, partName } from "./sources.ts";

export type Archived = PackageFile & { archive: NonNullable<PackageFile["archive"]> };

export const isArchived = (file: PackageFile): file is Archived => file.archive !== undefined;

/** All `files` are of one archive. Their hashes are known. */
export function fetchArchived(
  files: Archived[],
  sources: string[],
  options: Fetching,
): Promise<LockedFile[]> {
  const { hub, name, weights } = options;
  const { archive } = files[0]!;
  return fromFirst(sources, { hub, what: `${name}, ${archive.path}` }, async (url) => {
    const path = incomingOf(weights, partName(`${archive.sha256} ${archive.path}`));
    await fetchWhole(url, { ...options, path, archive });
    try {
      return await unpack(path, files, weights);
    } finally {
      discard(path);
    }
  });
}

type Target = Fetching & { path: string; archive: Archived["archive"] };

async function fetchWhole(url: string, { hub, progress, path, archive }: Target): Promise<void> {
  const { bytes, sha256 } = archive;
  let counted = 0;
  const count = (more: number) => {
    counted += more;
    progress(more);
  };
  try {
    const found = await download(hub, url, { to: path, bytes, sha256, etag: sha256, progress: count });
    if (found === sha256) return;
    discard(path);
    throw new ModelStoreError(
      `${url} sent an archive with the hash ${found}, not ${sha256}: it was damaged in transit, or is another.`,
    );
  } catch (error) {
    progress(-counted);
    throw error;
  }
}

async function unpack(path: string, files: Archived[], weights: string): Promise<LockedFile[]> {
  const unpacking = extract();
  const reading = pipeline(createReadStream(path), createGunzip(), unpacking);
  reading.catch(() => {}); // awaited below
  const kept = new Map<string, LockedFile>();
  for await (const entry of unpacking) {
    const file = files.find(({ archive }) => archive.member === entry.header.name);
    if (file) kept.set(file.path, await keepMember(file, Readable.from(entry), weights));
    else entry.resume();
  }
  await reading;
  return files.map((file) => {
    const locked = kept.get(file.path);
    if (!locked) throw new ModelStoreError(`${file.archive.path} has no ${file.archive.member}.`);
    return locked;
  });
}

async function keepMember(file: Archived, entry: Readable, weights: string): Promise<LockedFile> {
  const to = incomingOf(weights, `member-${file.sha256!.slice(0, 24)}`);
  const hash = createHash("sha256");
  let bytes = 0;
  entry.on("data", (chunk: Buffer) => {
    hash.update(chunk);
    bytes += chunk.length;
  });
  await pipeline(entry, createWriteStream(to));
  const sha256 = hash.digest("hex");
  if (sha256 !== file.sha256) {
    rmSync(to, { force: true });
    throw new ModelStoreError(
      `${file.archive.member} of ${file.archive.path} has the hash ${sha256}, not ${file.sha256}.`,
    );
  }
  keepBlob(weights, to, sha256);
  return { ...file, bytes, sha256 };
}
