/**
 * The folder in which an executable unpacks its native libraries, because the system's loader reads files only.
 *
 *   CACHE/<hash of the group>/sqlite.node        one folder for libraries that are loaded together
 *
 * A library is complete when it has its size and the time stamp that is set after it was written; anything else is
 * compared by its hash and replaced if it differs. So a damaged file, one of another version and one that a crash cut
 * short are all repaired, and a start reads no file twice.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ConfigError } from "../config/config.ts";

/** `pieces`: its bytes, in order. */
export type Library = { name: string; sha256: string; sizeBytes: number; pieces(): Iterable<Uint8Array> };

/** Set on a complete file; whatever changes it later changes its time too. */
const COMPLETE = new Date("2001-01-01T00:00:00Z");

/** A folder that can be used, or an error that names all that were tried. `asked`: LOQUAT_CACHE, then the only one. */
export function cacheFolder(asked: string | null): string {
  const candidates =
    asked === null
      ? [join(homedir(), ".cache", "loquat"), join(tmpdir(), `loquat-${process.getuid?.() ?? "cache"}`)]
      : [resolve(asked)];
  const problems: string[] = [];
  for (const folder of candidates) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      refuseOthers(folder);
      return folder;
    } catch (error) {
      problems.push(`${folder}: ${(error as Error).message}`);
    }
  }
  throw new ConfigError(
    `No folder to unpack libraries into. Set LOQUAT_CACHE to one that can be written. ${problems.join("; ")}`,
  );
}

/** What is loaded runs with the rights of this process: no other user but root may write there. */
function refuseOthers(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  if (process.getuid && ![0, process.getuid()].includes(uid)) throw new Error("it belongs to another user");
  if (process.platform !== "win32" && (mode & 0o022) !== 0) throw new Error("other users can write there");
}

/** The folder of a group: libraries that need each other are found beside each other. */
export function groupFolder(cache: string, group: readonly Library[]): string {
  const hashes = group.map(({ sha256 }) => sha256);
  return join(cache, createHash("sha256").update(hashes.join()).digest("hex").slice(0, 16));
}

/** Unpacks what is missing or damaged. Returns the paths, in the order of the group. */
export function unpackGroup(cache: string, group: readonly Library[]): string[] {
  const folder = groupFolder(cache, group);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  refuseOthers(folder);
  return group.map((library) => {
    const path = join(folder, library.name);
    if (!isComplete(path, library)) write(path, library.pieces());
    return path;
  });
}

function isComplete(path: string, { sizeBytes, sha256 }: Library): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size !== sizeBytes) return false;
  if (found.mtimeMs === COMPLETE.getTime()) return true;
  if (createHash("sha256").update(readFileSync(path)).digest("hex") !== sha256) return false;
  try {
    utimesSync(path, COMPLETE, COMPLETE);
  } catch {
    // a read-only image: its hash is compared each time
  }
  return true;
}

/** Written beside and renamed, so that several processes may do it at once and none sees a part. */
function write(path: string, pieces: Iterable<Uint8Array>): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const file = openSync(temporary, "wx", 0o755);
    try {
      for (const piece of pieces)
        for (let offset = 0; offset < piece.length; ) offset += writeSync(file, piece, offset);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    utimesSync(temporary, COMPLETE, COMPLETE);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
