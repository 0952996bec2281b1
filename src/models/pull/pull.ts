/**
 * Installs a package from its sources into the model store.
 *
 *   licence ──> sizes of all files ──> disk space ──> download, hash ──> store ──> run once ──> installed
 *
 * A hash that is known beforehand must match. Otherwise the declared or the computed hash is written into the installed
 * manifest, and the file must match it from then on.
 */

import { readFile, writeFile } from "node:fs/promises";
import { unlessAborted } from "../../clock.ts";
import { familyOf } from "../../engine/families/families.ts";
import { durationsGraph } from "../../onnx/durations-graph.ts";
import { filesOf, type Package, type PackageFile } from "../packages/package.ts";
import { variantFor } from "../packages/variants.ts";
import { requireSpace } from "../store/disk-space.ts";
import { incomingOf } from "../store/incoming.ts";
import { installTried, type TryOut } from "../store/installed-variants.ts";
import { requireLicense } from "../store/license.ts";
import { inLock } from "../store/lock.ts";
import { openModelStore } from "../store/model-store.ts";
import { ModelStoreError } from "../store/store-error.ts";
import { blobOf, hashOf, keepBlob, type Locked, type LockedFile } from "../store/store-writer.ts";
import { fetchArchived, isArchived } from "./archive.ts";
import type { Hub } from "./hub.ts";
import { type Fetching, fetchFile, type Planned, plan } from "./sources.ts";

/** Of all files together. `bytes` falls where a source failed and its part is discarded. */
export type Progress = { bytes: number; total: number };

export type PullOptions = {
  weights: string;
  device: "cpu" | "gpu";
  /** A precision by name, instead of the first for the device. */
  variant: string | null;
  licenseAccepted: boolean;
  hub: Hub;
  /** First called when the sizes of all files are known, before anything is downloaded. */
  report: (progress: Progress) => void;
  tryOut: TryOut;
};

const FILES_AT_ONCE = 4;
const DISK_MARGIN = 1.02; // for notes, folders, a manifest

export async function pull(pkg: Package, options: PullOptions): Promise<Locked> {
  const { weights, hub, report } = options;
  requireSource(pkg);
  requireLicense(pkg, options.licenseAccepted);
  const files = filesOf(pkg, chooseVariant(pkg, options));
  if (files.length === 0)
    throw new ModelStoreError(`${pkg.name} is not published for ${process.platform}-${process.arch}.`);
  return inLock(weights, async () => {
    const known = asInstalled(pkg, files, weights);
    const planned = await mapConcurrently(known, (file) => plan(pkg, file, options));
    checkDiskSpace(planned, weights);
    const groups = grouped(planned);
    const total = groups.reduce((sum, group) => sum + downloadBytes(group), 0);
    let bytes = 0;
    report({ bytes, total });
    const fetched = await mapConcurrently(groups, (group) => {
      const progress = (more: number) => {
        bytes += more;
        report({ bytes, total });
      };
      return fetchGroup(group, { hub, weights, name: pkg.name, progress });
    });
    const derived = await derive(pkg, fetched.flat(), weights);
    const installed: Locked = { ...pkg, files: [...fetched.flat(), ...derived] };
    await installTried(weights, installed, (staged) => unlessAborted(hub.signal, options.tryOut(staged)));
    return installed;
  });
}

/** Files of an operator are published nowhere. */
function requireSource({ name, sources, files }: Package): void {
  if (sources.length > 0 || files.every(({ url }) => url !== undefined)) return;
  throw new ModelStoreError(
    `${name} was made of files on this machine, and cannot be downloaded. Add them again: loquat models add PATH`,
  );
}

/** What is fetched together: the files of one archive, or one file. */
const grouped = (planned: Planned[]): Planned[][] => [
  ...Map.groupBy(planned, ({ file }) => file.archive?.sha256 ?? file).values(),
];

const isArchive = (group: Planned[]) =>
  isArchived(group[0]!.file) && group.some(({ sources }) => sources.length > 0);

const downloadBytes = (group: Planned[]): number =>
  isArchive(group) ? group[0]!.file.archive!.bytes : group.reduce((sum, { bytes }) => sum + bytes, 0);

async function fetchGroup(group: Planned[], options: Fetching): Promise<LockedFile[]> {
  if (!isArchive(group)) return Promise.all(group.map((each) => fetchFile(each, options)));
  const { sources } = group.find((each) => each.sources.length > 0)!;
  return fetchArchived(group.map(({ file }) => file).filter(isArchived), sources, options);
}

/** Files of an installed version keep their hashes: other content is another version, or not to be trusted. */
function asInstalled({ name, version }: Package, files: PackageFile[], weights: string): PackageFile[] {
  const before = openModelStore(weights).installed(name)?.package;
  if (before?.version !== version) return files;
  return files.map((file) => {
    const same = before.files.find(({ path }) => path === file.path);
    if (!same) return file;
    const bytes = file.bytes ?? same.bytes;
    const sha256 = file.sha256 ?? same.sha256;
    const isContent = same.sha256 === sha256 && same.revision !== undefined;
    return { ...file, bytes, sha256, ...(isContent ? { revision: same.revision } : {}) };
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

function checkDiskSpace(planned: Planned[], weights: string): void {
  const missing = planned.filter(({ sources }) => sources.length > 0);
  const archives = grouped(missing).filter(isArchive).map(downloadBytes);
  const sizes = [...missing.map(({ bytes }) => bytes), ...archives];
  requireSpace(weights, sizes.reduce((sum, bytes) => sum + bytes, 0) * DISK_MARGIN);
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
  const { variant } = model;
  const path = variant === undefined ? "derived/durations.onnx" : `derived/durations-${variant}.onnx`;
  return [{ role: "durations", path, bytes: pruned.length, sha256, ...(variant && { variant }) }];
}

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
