/** What `loquat doctor` finds of the storage of files: whether it answers, is this installation's, and has what was stored. */
import type { Config } from "../../config/config.ts";
import { BELONGING_FAULTS, type Belonging, belongingOf } from "../../files/file-storage.ts";
import { installationId, newestPart, openFileStorage } from "../../server/own-files.ts";
import { hasDatabase, openStorage } from "../../server/storage.ts";
import { printFinding } from "../base/output.ts";

/** Null where there is no database yet. `missing`: what is wrong, in a sentence. */
type FilesReport = { place: string; missing: string | null } | null;

export async function examineFiles(config: Config): Promise<FilesReport> {
  if (!hasDatabase(config)) return null;
  const storage = await openFileStorage(config);
  const { place } = storage;
  try {
    await using database = await openStorage(config);
    const belonging = await belongingOf(storage, await installationId(database.accounts));
    const fault = (BELONGING_FAULTS as Partial<Record<Belonging, string>>)[belonging];
    if (fault) return { place, missing: fault };
    const part = await newestPart(database.database);
    if (part !== null && (await storage.get(part)) === null) return { place, missing: NOT_SHARED };
    return { place, missing: storage.hasRoom(0) ? null : "its disk is 90 % full: files are refused" };
  } catch (error) {
    return { place, missing: (error as Error).message };
  }
}

const NOT_SHARED = "it lacks files that were sent: all nodes of a database need the same storage";

export function printFiles(report: FilesReport): void {
  if (report === null) return;
  const { place, missing } = report;
  printFinding(
    missing === null ? `  ready    files in ${place}` : `  missing  files in ${place}: ${missing}`,
  );
}
