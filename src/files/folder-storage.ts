/** Contents of files in a folder, which nodes of a database share. An object is written beside its name, and then renamed. */
import { mkdir, open, readdir, readFile, rename, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Disk, diskOf } from "../disk.ts";
import type { FileStorage } from "./file-storage.ts";

/** The share of its disk that is left free. */
const FREE_SHARE = 0.1;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

async function unlessMissing<T, Absent>(work: Promise<T>, absent: Absent): Promise<T | Absent> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return absent;
    throw error;
  }
}

export function openFolderStorage(
  folder: string,
  disk: (folder: string) => Disk | null = diskOf,
): FileStorage {
  const pathOf = (name: string) => join(folder, name);
  return {
    place: folder,
    async put(name, bytes) {
      const path = pathOf(name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await using file = await open(`${path}.new`, "w", 0o600);
      await file.writeFile(bytes);
      await file.datasync();
      await rename(`${path}.new`, path);
    },
    get: (name) => unlessMissing(readFile(pathOf(name)), null),
    async remove(name) {
      const path = pathOf(name);
      for (const each of [path, `${path}.new`]) await unlessMissing(unlink(each), undefined);
      await rmdir(dirname(path)).catch(() => {}); // others may be left in it
    },
    isEmpty: async () => (await unlessMissing(readdir(folder), [])).length === 0,
    hasRoom(bytes) {
      const now = disk(folder) ?? disk(dirname(folder));
      return now === null || now.freeBytes - bytes >= FREE_SHARE * now.totalBytes;
    },
  };
}
