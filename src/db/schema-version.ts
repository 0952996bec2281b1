/**
 * Which migrations a database has had, compared with those of this program. A database that a newer program has migrated
 * is refused: this one would write rows that miss what the newer one relies on.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A database of a newer program; the message says what to do. */
class SchemaError extends Error {}

type Journal = { entries: { tag: string; when: number }[] };

/** The newest migration that this program knows, from the folder of its dialect. */
export function newestMigration(migrations: string): { tag: string; when: number } {
  const { entries } = JSON.parse(readFileSync(join(migrations, "meta/_journal.json"), "utf8")) as Journal;
  return entries.at(-1)!;
}

/** `applied`: when the newest migration of the database was made, in milliseconds; null for an empty database. */
export function refuseNewer(applied: number | null, migrations: string): void {
  const { tag, when } = newestMigration(migrations);
  if (applied === null || applied <= when) return;
  const made = new Date(applied).toISOString().slice(0, 10);
  throw new SchemaError(
    `its schema, of ${made}, is newer than this version of Loquat, which knows ${tag}. ` +
      "Start the newer version again, or restore a backup of this one.",
  );
}
