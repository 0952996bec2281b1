/**
 * Where everything is that is not code: beside the sources in a checkout, or inside the executable. Nothing else, except
 * the natives that an executable unpacks, knows which of the two is running.
 *
 *                checkout                          executable (made by deploy/build)
 *   resource     ROOT/models                       /$bunfs/root/models: node:fs reads it, other programs cannot
 *   worker       ROOT/workers/NAME.ts              /$bunfs/root/workers/NAME.js
 *   readAsset    a file of an npm package          /$bunfs/root/packed/FILE.zst, inflated in memory
 */
import { existsSync, openSync, readFileSync, readSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const isPacked = /\/(\$bunfs|~BUN)\//.test(import.meta.url);

const INSIDE = process.platform === "win32" ? "B:\\~BUN\\root\\" : "/$bunfs/root/";
const ROOT = isPacked ? INSIDE : fileURLToPath(new URL("../", import.meta.url));
const EXTENSION = isPacked ? ".js" : ".ts";

/** The first argument of an executable that is to run a worker. */
export const RUN_WORKER = "--run-worker";

/** Whether a file is inside the executable, whose build has checked it. */
export const isBuiltIn = (path: string): boolean => isPacked && path.startsWith(INSIDE);

/** The path of a file or folder of the repository, such as `models`. */
export const resource = (path: string): string => join(ROOT, path);

/** `name`: the path below `workers/`, without its extension. */
export const worker = (name: string): URL => pathToFileURL(resource(`workers/${name}${EXTENSION}`));

/** The inverse of `worker`. */
export const workerName = (script: URL): string =>
  relative(resource("workers"), fileURLToPath(script)).replaceAll("\\", "/").slice(0, -EXTENSION.length);

/** A packed file: its hash and size once inflated, and the sizes of the compressed frames it consists of. */
export type PackedFile = { sha256: string; sizeBytes: number; frames: number[] };

export type PackedIndex = {
  /** Of the executable: whether it holds the GPL packages. */
  flavour: "full" | "apache";
  /** Versions of the npm packages that were packed, by name. */
  packages: Record<string, string>;
  files: Record<string, PackedFile>;
  /** Native libraries that are unpacked together into one folder; the first is the one that is loaded. */
  groups: string[][];
};

let index: PackedIndex | null = null;

/** Only in an executable. */
export function packedIndex(): PackedIndex {
  index ??= JSON.parse(readFileSync(resource("packed/index.json"), "utf8")) as PackedIndex;
  return index;
}

/** Null for a checkout. */
export const flavour = (): PackedIndex["flavour"] | null => (isPacked ? packedIndex().flavour : null);

/** Whether an optional npm package is installed, or was packed; found without loading it. */
export function hasPackage(name: string): boolean {
  if (isPacked) return Object.hasOwn(packedIndex().packages, name);
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** The bytes of a file of an npm package, such as `ogv/dist/ogv-decoder-audio-vorbis-wasm.wasm`. */
export function readAsset(specifier: string): Buffer<ArrayBuffer> {
  if (!isPacked) return readFileSync(fileURLToPath(import.meta.resolve(specifier)));
  return Buffer.concat([...inflatedFrames(basename(specifier))]);
}

/** Reads `into.length` bytes of a file from `offset` on. */
export type ReadAsset = (into: Uint8Array, offset: number) => void;

/** Opens a file of an npm package, of which parts are read as they are needed; it stays the same after an upgrade. */
export function openAsset(specifier: string): ReadAsset {
  if (isPacked) return openPacked(specifier);
  const file = openSync(fileURLToPath(import.meta.resolve(specifier)), "r");
  return (into, offset) => {
    if (readSync(file, into, 0, into.length, offset) < into.length)
      throw new Error(`${specifier} ends before byte ${offset + into.length}`);
  };
}

/** Reads that follow one another inflate the file once. */
function openPacked(specifier: string): ReadAsset {
  let inflated = new WeakRef(Buffer.alloc(0));
  return (into, offset) => {
    const known = inflated.deref();
    const bytes = known?.length ? known : readAsset(specifier);
    if (bytes !== known) inflated = new WeakRef(bytes);
    into.set(bytes.subarray(offset, offset + into.length));
  };
}

/** A packed file in pieces, so that the largest needs little memory. */
export function* inflatedFrames(name: string): Generator<Uint8Array<ArrayBuffer>> {
  const bytes = readFileSync(resource(`packed/${name}.zst`));
  let offset = 0;
  for (const sizeBytes of packedIndex().files[name]!.frames) {
    yield Bun.zstdDecompressSync(bytes.subarray(offset, offset + sizeBytes)) as Buffer<ArrayBuffer>;
    offset += sizeBytes;
  }
}

/** Whether the executable was built with this worker: without the GPL packages it lacks those that need them. */
export const hasWorker = (name: string): boolean => existsSync(fileURLToPath(worker(name)));
