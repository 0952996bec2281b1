/** What a database holds, for tests that compare it before and after. */
import { type Database, prepared } from "../../../src/db/database.ts";
import type { Fixture } from "./server-fixture.ts";

/** Every row of the database as text, by its table. One table after another: the server needs its connections too. */
export async function everyRow({ parts: { database } }: Fixture): Promise<string[]> {
  const reads = readsOfAll.get(database) ?? readsOf(database);
  readsOfAll.set(database, reads);
  const all: string[] = [];
  for (const { table, read } of reads) {
    const rows: object[] = await read.execute({});
    all.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`));
  }
  return all.sort();
}

const readsOfAll = new WeakMap<Database, ReturnType<typeof readsOf>>();

const readsOf = ({ query, tables }: Database) =>
  Object.keys(tables).map((table) => {
    const rows = query.select().from(tables[table as "project"]);
    return { table, read: prepared(rows, `all_of_${table}`) };
  });
