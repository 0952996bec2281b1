/**
 * Loads the native addons of an executable. deploy/build puts calls of `loadAddon` where packages look for their addon on
 * the disk; a checkout never comes here.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { ConfigError, readCacheFolder } from "../config/config.ts";
import { inflatedFrames, packedIndex } from "../resources.ts";
import { cacheFolder, groupFolder, type Library, unpackGroup } from "./cache.ts";
import { pulledLibrary } from "./programs.ts";

let folder: string | null = null;

/** Where this process unpacks libraries, and finds those that are unpacked. */
export function nativesFolder(): string {
  folder ??= cacheFolder(readCacheFolder());
  return folder;
}

/** The exports of an addon, such as `sqlite.node`. @public */
export function loadAddon(name: string): unknown {
  const path = unpack(name);
  const loaded = { exports: {} };
  try {
    process.dlopen(loaded, path);
  } catch (error) {
    const { message } = error as Error;
    if (message.includes("failed to map segment")) throw notExecutable(message);
    if (!MISSING_RUNTIME.test(message)) throw error;
    for (const library of CPP_RUNTIME) loadGlobally(unpack(library));
    process.dlopen(loaded, path);
  }
  return loaded.exports;
}

/** Where the libraries of an addon lie once they are unpacked; null if the executable has none. */
export function addonFolder(name: string): string | null {
  const group = groupOf(name);
  return group ? groupFolder(nativesFolder(), group) : null;
}

/** Unpacks all libraries now. Returns their paths. */
export const unpackAll = (): string[] =>
  packedIndex().groups.flatMap((names) => unpackGroup(nativesFolder(), names.map(libraryOf)));

/** Null where the executable has no such addon. */
function groupOf(addon: string): Library[] | null {
  return (
    packedIndex()
      .groups.find((names) => names[0] === addon)
      ?.map(libraryOf) ?? null
  );
}

const libraryOf = (name: string): Library => ({
  ...packedIndex().files[name]!,
  name,
  pieces: () => inflatedFrames(name),
});

function unpack(name: string): string {
  const group = groupOf(name);
  const pulled = group ? null : pulledLibrary(name);
  if (pulled !== null) return pulled;
  if (!group) throw new Error(`${name} is not part of this executable`);
  return unpackGroup(nativesFolder(), group)[0]!;
}

const notExecutable = (message: string) =>
  new ConfigError(
    `Libraries in LOQUAT_CACHE or LOQUAT_WEIGHTS may not be executed. Set it to another folder. ${message}`,
  );

/** What addons need that the C library does not have. The second needs the first. */
const CPP_RUNTIME = ["libgcc_s.so.1", "libstdc++.so.6"];
const MISSING_RUNTIME = /lib(stdc\+\+|gcc_s)\.so/;
const RTLD_NOW_GLOBAL = 0x102;

/** The loader finds a library that is loaded already by its name. */
function loadGlobally(path: string): void {
  const { symbols } = dlopen("libc.so.6", {
    dlopen: { args: [FFIType.ptr, FFIType.i32], returns: FFIType.ptr },
  });
  if (!symbols.dlopen(ptr(Buffer.from(`${path}\0`)), RTLD_NOW_GLOBAL))
    throw new Error(`${path} cannot be loaded`);
}
