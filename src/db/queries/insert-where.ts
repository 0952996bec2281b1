/** An insert that depends on a condition, in one statement: for transactions that cannot read before they write. */
import { getTableColumns, type SQL, type SQLWrapper, sql, type Table } from "drizzle-orm";

/** A row whose key is known changes nothing. Only for columns of text and whole numbers; others have their default. */
export function insertWhere(table: Table, row: object, when: SQL): SQLWrapper {
  const columns = getTableColumns(table);
  const given = Object.entries(row).map(([property, value]) => ({ column: columns[property]!, value }));
  const names = given.map(({ column }) => sql.identifier(column.name));
  // PostgreSQL takes a parameter that is selected for text
  const values = given.map(({ column, value }) =>
    column.dataType === "number" ? sql`cast(${value} as bigint)` : sql`${value}`,
  );
  return sql`insert into ${table} (${sql.join(names, sql`, `)})
    select ${sql.join(values, sql`, `)} where ${when} on conflict do nothing`;
}
