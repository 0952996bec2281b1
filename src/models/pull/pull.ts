/**
 * Installs a package from its sources into the model store.
 *
 *   licence ──> probe the source of each file ──> disk space ──> download, hash ──> store ──> installed
 *
 * A hash that is known beforehand must match. Otherwise the declared or the computed hash is written into the installed
 * manifest, and the file must match it from then on.
 */
import { existsSync, statfsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { familyOf } from "../../engine/families/families.ts";
import { durationsGraph } from "../../onnx/durations-graph.ts";
import { filesOf, type Package, type PackageFile } from "../package.ts";
import { byteText } from "../size.ts";
import { requireLicense } from "../store/license.ts";
import { inLock } from "../store/lock.ts";
import { openModelStore } from "../store/model-store.ts";
import { ModelStoreError } from "../store/store-error.ts";
import {
  blobOf,
  hashOf,
  incomingOf,
  install,
  keepBlob,
  type Locked,
  type LockedFile,
} from "../store/store-writer.ts";
import { variantFor } from "../variants.ts";
import { discard, download } from "./download.ts";
import { type Hub, type Probed, probe } from "./hub.ts";

export type Progress = { file: string; bytes: number; total: number };

export type PullOptions = {
  weights: string;
  device: "cpu" | "gpu";
  /** A precision by name, instead of the first for the device. */
  variant: string | null;
  licenseAccepted: boolean;
  hub: Hub;
  report: (progress: Progress) => void;
};

const FILES_AT_ONCE = 4;
const DISK_MARGIN = 1.02; // for notes, folders, a manifest

export async function pull(wanted: Package, options: PullOptions): Promise<Locked> {
  requireLicense(wanted, options.licenseAccepted);
  const files = filesOf(wanted, chooseVariant(wanted, options));
  return inLock(options.weights, async () => {
    const locked = asInstalled(wanted, files, options.weights);
    const probed = await mapConcurrently(locked, (file) => probeFile(wanted, file, options));
    checkDiskSpace(probed, options.weights);
    const total = probed.reduce((sum, { probed, file }) => sum + (probed?.bytes ?? file.bytes ?? 0), 0);
    let bytes = 0;
    const fetched = await mapConcurrently(probed, (each) =>
      fetchFile(each, options, (more) => {
        bytes += more;
        options.report({ file: each.file.path, bytes, total });
      }),
    );
    const derived = await derive(wanted, fetched, options.weights);
    const installed: Locked = { ...wanted, files: [...fetched, ...derived] };
    install(options.weights, installed);
    return installed;
  });
}

/** Files of an installed version keep their hashes: other content is another version, or not to be trusted. */
function asInstalled({ name, version }: Package, files: PackageFile[], weights: string): PackageFile[] {
  const before = openModelStore(weights).installed(name)?.package;
  if (before?.version !== version) return files;
  return files.map((file) => {
    const same = before.files.find(({ path }) => path === file.path);
    return same ? { ...file, bytes: file.bytes ?? same.bytes, sha256: file.sha256 ?? same.sha256 } : file;
  });
}

/** Null where the package has one precision only. */
export function chooseVariant(
  { name, variants }: Package,
  { device, variant }: Pick<PullOptions, "device" | "variant">,
): string | null {
  const known = [...new Set([...variants.cpu, ...variants.gpu])];
  if (variant === null) return variantFor({ variants }, device);
  if (known.includes(variant)) return variant;
  throw new ModelStoreError(`${name} has no variant ${variant}: ${known.join(", ") || "there is only one"}.`);
}

/** A file and what its source declares; `probed` null: the store has it already. */
type ProbedFile = { file: PackageFile; probed: Probed | null };

async function probeFile(
  wanted: Package,
  file: PackageFile,
  { weights, hub }: PullOptions,
): Promise<ProbedFile> {
  if (file.sha256 !== null && file.bytes !== null && existsSync(blobOf(weights, file.sha256)))
    return { file, probed: null };
  const urls = file.url ? [file.url] : wanted.sources.map((source) => source + file.path);
  let failure: unknown = null;
  for (const url of urls) {
    try {
      const probed = await probe(hub, url);
      checkDeclared(file, probed, url);
      return { file, probed: { ...probed, url } };
    } catch (error) {
      if (!(error instanceof ModelStoreError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** What the source declares must match the manifest. */
function checkDeclared(file: PackageFile, { bytes, sha256 }: Probed, url: string): void {
  if (file.sha256 !== null && sha256 !== null && sha256 !== file.sha256)
    throw new ModelStoreError(
      `${url} is not the file that ${file.path} must be: its hash is ${sha256}, not ${file.sha256}.`,
    );
  if (file.bytes !== null && bytes !== null && bytes !== file.bytes)
    throw new ModelStoreError(
      `${url} is not the file that ${file.path} must be: it has ${bytes} bytes, not ${file.bytes}.`,
    );
  if (bytes === null && file.bytes === null) throw new ModelStoreError(`${url} declares no size.`);
}

function checkDiskSpace(files: ProbedFile[], weights: string): void {
  const needed =
    files.reduce((sum, { probed, file }) => sum + (probed ? (probed.bytes ?? file.bytes ?? 0) : 0), 0) *
    DISK_MARGIN;
  const { bavail, bsize } = statfsSync(weights);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new ModelStoreError(
    `The disk of ${weights} has ${byteText(free)} free; ${byteText(needed)} are needed. Free some space, or set LOQUAT_WEIGHTS to a folder on another disk.`,
  );
}

async function fetchFile(
  { file, probed }: ProbedFile,
  { weights, hub }: PullOptions,
  progress: (bytes: number) => void,
): Promise<LockedFile> {
  if (probed === null) {
    progress(file.bytes!);
    return file as LockedFile;
  }
  const bytes = probed.bytes ?? file.bytes!;
  const to = incomingOf(weights, partName(probed.url));
  const known = file.sha256 ?? probed.sha256;
  const sha256 = await download(hub, probed.url, {
    to,
    bytes,
    etag: probed.etag,
    ranges: probed.ranges,
    progress,
  });
  if (known !== null && sha256 !== known) {
    discard(to);
    throw new ModelStoreError(
      `${file.path} has the hash ${sha256}, not ${known}: it was damaged in transit, or is another file. Pull it again, or from another source (LOQUAT_MIRROR).`,
    );
  }
  keepBlob(weights, to, sha256);
  discard(to);
  return { ...file, bytes, sha256 };
}

/** Files made of those that were downloaded: the graph of durations, which tells how long a text will be. */
async function derive({ family }: Package, files: LockedFile[], weights: string): Promise<LockedFile[]> {
  const model = files.find(({ role }) => role === "model");
  if (!familyOf(family).durationsGraph || !model) return [];
  const pruned = durationsGraph(await readFile(blobOf(weights, model.sha256)));
  if (pruned === null) return []; // a clip is synthesized before its length is known
  const to = incomingOf(weights, `durations-${model.sha256.slice(0, 24)}`);
  await writeFile(to, pruned);
  const sha256 = await hashOf(to);
  keepBlob(weights, to, sha256);
  return [{ role: "durations", path: "derived/durations.onnx", bytes: pruned.length, sha256 }];
}

const partName = (url: string) =>
  `${new Bun.CryptoHasher("sha256").update(url).digest("hex").slice(0, 24)}.part`;

/** Results in order, a few at a time; after the first failure no more work is started. */
async function mapConcurrently<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, worker));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return results;
}
