/**
 * A package onto the shelf, from its sources.
 *
 *   licence ──> what do the sources say of each file? ──> room on the disk ──> download, hash ──> store ──> installed
 *
 * A hash that is known beforehand must be right. One that is not is what the source declares, or what came; either way
 * it is written into the installed manifest, and is what the file must be from then on.
 */
import { existsSync, statfsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { familyOf } from "../../engine/families/families.ts";
import { durationsGraph } from "../../onnx/durations-graph.ts";
import { filesOf, type Package, type PackageFile } from "../package.ts";
import { download, forget, type Hub, type Probed, probe } from "./hub.ts";
import { inLock } from "./lock.ts";
import { openModelStore } from "./model-store.ts";
import { ModelStoreError } from "./store-error.ts";
import {
  blobOf,
  hashOf,
  incomingOf,
  install,
  keepBlob,
  type Locked,
  type LockedFile,
} from "./store-writer.ts";

export type Progress = { file: string; bytes: number; total: number };

export type PullOptions = {
  weights: string;
  device: "cpu" | "gpu";
  /** A precision by name instead of the device's first. */
  variant: string | null;
  licenseAccepted: boolean;
  hub: Hub;
  report: (progress: Progress) => void;
};

const FILES_AT_ONCE = 4;
const SPARE = 1.02; // of the disk: notes, folders, a manifest

export async function pull(wanted: Package, options: PullOptions): Promise<Locked> {
  requireLicense(wanted, options.licenseAccepted);
  const files = filesOf(wanted, chooseVariant(wanted, options));
  return inLock(options.weights, async () => {
    const locked = asInstalled(wanted, files, options.weights);
    const found = await inTurns(locked, (file) => look(wanted, file, options));
    checkRoom(found, options.weights);
    const total = found.reduce((sum, { probed, file }) => sum + (probed?.bytes ?? file.bytes ?? 0), 0);
    let bytes = 0;
    const fetched = await inTurns(found, (each) =>
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

/** What was pulled of this version once is what it must be: another content is another version, or not to be trusted. */
function asInstalled({ name, version }: Package, files: PackageFile[], weights: string): PackageFile[] {
  const before = openModelStore(weights).installed(name)?.package;
  if (before?.version !== version) return files;
  return files.map((file) => {
    const same = before.files.find(({ path }) => path === file.path);
    return same ? { ...file, bytes: file.bytes ?? same.bytes, sha256: file.sha256 ?? same.sha256 } : file;
  });
}

/** One that restricts the use of a package is shown, and nothing is done before it was accepted. */
export function requireLicense(
  { name, license }: Pick<Package, "name" | "license">,
  accepted: boolean,
): void {
  if (!license.acceptance || accepted) return;
  throw new ModelStoreError(
    `${name} is under ${license.spdx}, which restricts its use: ${license.url}\n` +
      `Read it; if you agree, run the command again with --accept-license.`,
  );
}

/** Null where the package comes in one precision alone. */
export function chooseVariant(
  { name, variants }: Package,
  { device, variant }: Pick<PullOptions, "device" | "variant">,
): string | null {
  const known = [...new Set([...variants.cpu, ...variants.gpu])];
  if (variant === null) return variants[device][0] ?? null;
  if (known.includes(variant)) return variant;
  throw new ModelStoreError(`${name} has no variant ${variant}: ${known.join(", ") || "there is only one"}.`);
}

/** A file and what is known of it; `probed` null: the store has it already. */
type Found = { file: PackageFile; probed: Probed | null };

async function look(wanted: Package, file: PackageFile, { weights, hub }: PullOptions): Promise<Found> {
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

/** What the source says must not contradict what is known. */
function checkDeclared(file: PackageFile, { bytes, sha256 }: Probed, url: string): void {
  if (file.sha256 !== null && sha256 !== null && sha256 !== file.sha256)
    throw new ModelStoreError(
      `${url} is not the file that ${file.path} must be: its hash is ${sha256}, not ${file.sha256}.`,
    );
  if (file.bytes !== null && bytes !== null && bytes !== file.bytes)
    throw new ModelStoreError(
      `${url} is not the file that ${file.path} must be: it has ${bytes} bytes, not ${file.bytes}.`,
    );
  if (bytes === null && file.bytes === null) throw new ModelStoreError(`${url} does not say how long it is.`);
}

function checkRoom(found: Found[], weights: string): void {
  const needed =
    found.reduce((sum, { probed, file }) => sum + (probed ? (probed.bytes ?? file.bytes ?? 0) : 0), 0) *
    SPARE;
  const { bavail, bsize } = statfsSync(weights);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new ModelStoreError(
    `There is room for ${megabytes(free)} on the disk of ${weights}, and ${megabytes(needed)} are to come. Make room, or set LOQUAT_WEIGHTS to a folder elsewhere.`,
  );
}

export const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString("en-US")} MB`;

async function fetchFile(
  { file, probed }: Found,
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
    forget(to);
    throw new ModelStoreError(
      `${file.path} came with the hash ${sha256}, not ${known}: it was damaged on the way, or is not what it says. Pull it again, or from another source (LOQUAT_MIRROR).`,
    );
  }
  keepBlob(weights, to, sha256);
  forget(to);
  return { ...file, bytes, sha256 };
}

/** What is made of what came: of Kokoro, the graph that knows how long a text will be. */
async function derive({ family }: Package, files: LockedFile[], weights: string): Promise<LockedFile[]> {
  const model = files.find(({ role }) => role === "model");
  if (!familyOf(family).durationsGraph || !model) return [];
  const pruned = durationsGraph(await readFile(blobOf(weights, model.sha256)));
  if (pruned === null) return []; // its clips are said before their length is known
  const to = incomingOf(weights, `durations-${model.sha256.slice(0, 24)}`);
  await writeFile(to, pruned);
  const sha256 = await hashOf(to);
  keepBlob(weights, to, sha256);
  return [{ role: "durations", path: "derived/durations.onnx", bytes: pruned.length, sha256 }];
}

const partName = (url: string) =>
  `${new Bun.CryptoHasher("sha256").update(url).digest("hex").slice(0, 24)}.part`;

/** Results in order, a few at a time; after the first failure nothing new is begun. */
async function inTurns<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(items[at]!);
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
