/**
 * One file of a package, from the first of its sources that delivers it.
 *
 *   known size and hash ──────────────> download from source 1 ──fails──> source 2 …
 *   otherwise: probe source 1, 2 … ───> download from the one that answered
 */

import { existsSync } from "node:fs";
import { byteText } from "../../byte-text.ts";
import type { Package, PackageFile } from "../packages/package.ts";
import { incomingOf } from "../store/incoming.ts";
import { ModelStoreError } from "../store/store-error.ts";
import { blobOf, keepBlob, type LockedFile } from "../store/store-writer.ts";
import { checkDeclared, discard, download } from "./download.ts";
import { type Declared, type Hub, probe } from "./hub.ts";

/** Of a file whose size the manifest does not say; the largest known graph has 2.5 GB. */
const UNKNOWN_BYTES_MAX = 8e9;

/** A file to fetch. `sources` are URLs, the best first; none: the store has the content already. */
export type Planned = {
  file: PackageFile;
  sources: string[];
  bytes: number;
  /** What the first source declared; null: nothing had to be asked. */
  declared: Declared | null;
};

/** Asks the sources for what the manifest does not say. */
export async function plan(
  { name, sources }: Package,
  file: PackageFile,
  { hub, weights }: { hub: Hub; weights: string },
): Promise<Planned> {
  const { bytes, sha256 } = file;
  const { path } = file.archive ?? file;
  const urls = file.url ? [file.url].flat() : sources.map((source) => source + path);
  if (bytes !== null && sha256 !== null) {
    const isStored = existsSync(blobOf(weights, sha256));
    return { file, sources: isStored ? [] : urls, bytes, declared: null };
  }
  return fromFirst(urls, { hub, what: `${name}, ${file.path}` }, async (url, rest) => {
    const declared = await probeFile(hub, file, url);
    return { file, sources: [url, ...rest], bytes: declared.bytes, declared };
  });
}

async function probeFile(hub: Hub, file: PackageFile, url: string): Promise<Declared & { bytes: number }> {
  const declared = await probe(hub, url);
  checkDeclared(file, declared, url);
  const bytes = declared.bytes ?? file.bytes;
  if (bytes === null) throw new ModelStoreError(`${url} declares no size.`);
  if (file.bytes === null && bytes > UNKNOWN_BYTES_MAX)
    throw new ModelStoreError(
      `${url} declares ${byteText(bytes)}. A file whose size the manifest does not say may have at most ${byteText(UNKNOWN_BYTES_MAX)}.`,
    );
  return { ...declared, bytes };
}

export type Fetching = { hub: Hub; weights: string; name: string; progress: (bytes: number) => void };

/** Downloads a file into the store. A hash that is known, from the manifest or its source, must match. */
export async function fetchFile(planned: Planned, options: Fetching): Promise<LockedFile> {
  const { file, sources, bytes, declared } = planned;
  const { hub, name } = options;
  if (sources.length === 0) {
    options.progress(bytes);
    return file as LockedFile;
  }
  return fromFirst(sources, { hub, what: `${name}, ${file.path}` }, async (url) => {
    const isPinned = file.sha256 !== null && file.bytes !== null;
    const known = isPinned
      ? { bytes, sha256: file.sha256, etag: file.sha256, revision: null }
      : declared !== null && url === sources[0]
        ? { ...declared, bytes }
        : await probeFile(hub, file, url);
    const { revision: declaredRevision, etag } = known;
    const sha256 = file.sha256 ?? known.sha256;
    return fetchFrom(url, { ...file, bytes: known.bytes, sha256, etag, declaredRevision }, options);
  });
}

type Known = PackageFile & { bytes: number; etag: string | null; declaredRevision: string | null };

async function fetchFrom(
  url: string,
  { etag, declaredRevision, ...file }: Known,
  { hub, weights, progress }: Fetching,
): Promise<LockedFile> {
  // content that is known by its hash continues where another source broke off
  const to = incomingOf(
    weights,
    partName(etag !== null && etag === file.sha256 ? `${etag} ${file.path}` : url),
  );
  let counted = 0;
  let revision = declaredRevision;
  const count = (more: number) => {
    counted += more;
    progress(more);
  };
  try {
    const { bytes } = file;
    const sha256 = await download(hub, url, {
      ...{ to, bytes, sha256: file.sha256, etag, progress: count },
      declared: (found) => {
        revision = found.revision ?? revision;
      },
    });
    if (file.sha256 !== null && sha256 !== file.sha256) {
      discard(to);
      throw new ModelStoreError(
        `${url} sent a file with the hash ${sha256}, not ${file.sha256}: it was damaged in transit, or is another file.`,
      );
    }
    keepBlob(weights, to, sha256);
    discard(to);
    return { ...file, bytes, sha256, ...(revision === null ? {} : { revision }) };
  } catch (error) {
    progress(-counted);
    throw error;
  }
}

export const partName = (identity: string) =>
  `${new Bun.CryptoHasher("sha256").update(identity).digest("hex").slice(0, 24)}.part`;

/** What `work` makes of the first source that does not fail; the failure of the last one is final. */
export async function fromFirst<T>(
  sources: string[],
  { hub, what }: { hub: Hub; what: string },
  work: (url: string, rest: string[]) => Promise<T>,
): Promise<T> {
  for (const [index, url] of sources.entries()) {
    const rest = sources.slice(index + 1);
    try {
      return await work(url, rest);
    } catch (error) {
      if (!(error instanceof ModelStoreError) || rest.length === 0 || hub.signal.aborted) throw error;
      hub.notice(`${what}: ${error.summary} Trying ${new URL(rest[0]!).host}.`);
    }
  }
  throw new ModelStoreError(`${what} has no source.`);
}
