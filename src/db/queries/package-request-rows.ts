/** Which packages every node should have, and which it should no longer have: a small table, read whole. */
import { asc, eq, type SQLWrapper } from "drizzle-orm";
import { type Database, prepared, type Tables } from "../database.ts";

type Row = Tables["requestedPackage"]["$inferSelect"];

export function openPackageRequestRows({ query, tables: { requestedPackage } }: Database) {
  const { name } = requestedPackage;
  const all = prepared<Row[]>(query.select().from(requestedPackage).orderBy(asc(name)), "requested_packages");
  return {
    list: async () => all.execute({}),
    async find(key: string): Promise<Row | null> {
      const [row] = await query.select().from(requestedPackage).where(eq(name, key));
      return row ?? null;
    },
    /** The statement that writes it. */
    putting: ({ name: key, ...row }: Row): SQLWrapper =>
      query
        .insert(requestedPackage)
        .values({ name: key, ...row })
        .onConflictDoUpdate({ target: name, set: row }),
    async delete(key: string): Promise<void> {
      await query.delete(requestedPackage).where(eq(name, key));
    },
  };
}
