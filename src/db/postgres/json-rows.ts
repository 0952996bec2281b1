/** Rows of a table as one JSON parameter, and back, by the names of their columns. */
import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

export function rows(table: PgTable, values: object[]): string {
  const columns = Object.entries(getTableColumns(table));
  const row = (value: Record<string, unknown>) =>
    Object.fromEntries(columns.map(([property, { name }]) => [name, value[property] ?? null]));
  return JSON.stringify(values.map((value) => row(value as Record<string, unknown>)));
}

export function fromColumns<T extends PgTable>(table: T, row: object): T["$inferSelect"] {
  const values = row as Record<string, unknown>;
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(columns.map(([property, { name }]) => [property, values[name]])) as never;
}
