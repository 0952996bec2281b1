/** Entries of an archive that is hostile, in memory: nothing is written, and none is inflated beyond the size that it announces. */
import Zip from "adm-zip";
import { DocumentFailure } from "./document-failure.ts";

const ENTRIES_MAX = 20_000;
const ENTRY_BYTES_MAX = 16 * 1024 * 1024;
/** Of all that are read. */
const TOTAL_BYTES_MAX = 64 * 1024 * 1024;
const ENCRYPTED = 1;

export type ZipEntries = {
  has(name: string): boolean;
  /** Null where there is none. Refuses one that is encrypted, or more than what may be read. */
  read(name: string): Buffer | null;
};

export function openZip(bytes: Buffer): ZipEntries {
  const entries = new Map(entriesOf(bytes).map((entry) => [entry.entryName, entry]));
  let left = TOTAL_BYTES_MAX;
  return {
    has: (name) => entries.has(name),
    read(name) {
      const entry = entries.get(name);
      if (!entry || entry.isDirectory) return null;
      const { size, flags } = entry.header;
      if ((flags & ENCRYPTED) !== 0) throw new DocumentFailure("protected", "a password");
      left -= size;
      if (size > ENTRY_BYTES_MAX || left < 0) throw new DocumentFailure("too_large");
      return unpacked(entry);
    },
  };
}

function entriesOf(bytes: Buffer): Zip.IZipEntry[] {
  try {
    const zip = new Zip(bytes);
    if (zip.getEntryCount() > ENTRIES_MAX) throw new DocumentFailure("too_large");
    return zip.getEntries();
  } catch (error) {
    throw error instanceof DocumentFailure ? error : new DocumentFailure("damaged");
  }
}

function unpacked(entry: Zip.IZipEntry): Buffer {
  try {
    return entry.getData();
  } catch {
    throw new DocumentFailure("damaged");
  }
}
