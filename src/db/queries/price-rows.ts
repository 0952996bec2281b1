/** The operator's own prices of models: a small table, read whole. */
import { and, asc, eq, type SQLWrapper } from "drizzle-orm";
import { type Database, prepared, type Tables } from "../database.ts";

type Row = Tables["price"]["$inferSelect"];

/** `row`: as it becomes; without its prices where it is deleted. */
export type ChangePrice = (
  change: SQLWrapper,
  row: Pick<Row, "model" | "validFrom"> & Partial<Row>,
) => Promise<boolean>;

/** `change`: makes a change, with what else is written with it; whether a row was changed. */
export function openPriceRows({ query, tables: { price } }: Database, change: ChangePrice) {
  const { model, validFrom } = price;
  const all = prepared<Row[]>(query.select().from(price).orderBy(asc(model), asc(validFrom)), "prices");
  return {
    list: async () => all.execute({}),
    async put(row: Row): Promise<void> {
      const { micros, backgroundMicros, createdAt } = row;
      const put = query
        .insert(price)
        .values(row)
        .onConflictDoUpdate({ target: [model, validFrom], set: { micros, backgroundMicros, createdAt } });
      await change(put, row);
    },
    delete(row: Pick<Row, "model" | "validFrom">): Promise<boolean> {
      const named = { model: row.model, validFrom: row.validFrom };
      return change(
        query.delete(price).where(and(eq(model, named.model), eq(validFrom, named.validFrom))),
        named,
      );
    },
  };
}
