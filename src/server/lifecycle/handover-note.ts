/**
 * What `loquat upgrade` and a running server tell each other about a handover: a file in the data directory, which names
 * the executable of the successor, and why it could not take over.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `failure` null: it is under way. */
export type HandoverNote = { executable: string; failure: string | null };

const pathIn = (folder: string) => join(folder, "handover.json");

/** Null where no handover was asked for. */
export function readHandoverNote(folder: string): HandoverNote | null {
  try {
    const { executable, failure } = JSON.parse(readFileSync(pathIn(folder), "utf8")) as Partial<HandoverNote>;
    return typeof executable === "string" ? { executable, failure: failure ?? null } : null;
  } catch {
    return null; // there is none, or it is damaged
  }
}

/** Renamed into place: root may write it for a server of another user, who must not lead it to another file. */
export function writeHandoverNote(folder: string, note: HandoverNote): void {
  const temporary = `${pathIn(folder)}.${process.pid}`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(note), { flag: "wx", mode: 0o644 });
  renameSync(temporary, pathIn(folder));
}

export const removeHandoverNote = (folder: string): void => rmSync(pathIn(folder), { force: true });
