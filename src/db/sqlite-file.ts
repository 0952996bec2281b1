/** A SQLite database as a file: copied while it is written, and read without being changed. */
import Sqlite from "better-sqlite3";

/** A consistent copy of all that is committed, without a log beside it. Writers go on meanwhile. */
export function copySqlite(from: string, to: string): void {
  const connection = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    connection.prepare("vacuum into ?").run(to);
  } finally {
    connection.close();
  }
}

/** When the newest migration of a database was made, in milliseconds; null where it has had none. */
export function newestApplied(connection: Pick<Sqlite.Database, "prepare">): number | null {
  const table = connection
    .prepare("select 1 from sqlite_master where type = 'table' and name = '__drizzle_migrations'")
    .get();
  if (!table) return null;
  const { newest } = connection
    .prepare("select max(created_at) as newest from __drizzle_migrations")
    .get() as {
    newest: number | null;
  };
  return newest;
}
