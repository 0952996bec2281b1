/** Letters of a server without a mail server, which lie in a folder until their links have expired: those about an organization are deleted with it. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Deletes the letters in which one of the ids stands, as in their links. */
export async function deleteLetters(folder: string, ids: string[]): Promise<void> {
  for (const name of await unlessMissing(readdir(folder), [])) {
    const file = join(folder, name);
    const text = await unlessMissing(readFile(file, "utf8"), "");
    if (ids.some((id) => text.includes(id))) await rm(file, { force: true });
  }
}

const unlessMissing = <T>(read: Promise<T>, otherwise: T): Promise<T> =>
  read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return otherwise;
    throw error;
  });
