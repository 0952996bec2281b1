/** Rows of a table as one JSON parameter, and back, by the names of their columns. */
import { getTableColumns, type Table } from "drizzle-orm";

type Values = Record<string, unknown>;

const propertiesOf = memoized((table: Table) =>
  Object.entries(getTableColumns(table)).map(([property, { name }]) => [property, name] as const),
);

export function rows(table: Table, values: object[]): string {
  if (values.length === 0) return "[]";
  const columns = propertiesOf(table);
  return JSON.stringify(
    values.map((value) => {
      const row: Values = {};
      for (const [property, name] of columns) row[name] = (value as Values)[property]; // null where it is left out
      return row;
    }),
  );
}

export function fromColumns<T extends Table>(table: T, row: object): T["$inferSelect"] {
  const value: Values = {};
  for (const [property, name] of propertiesOf(table)) value[property] = (row as Values)[name];
  return value as never;
}

/** Names of rows as two parameters: their owners and their ids. */
export const columnsOf = (names: [organizationId: string, id: string][]) => [
  names.map(([owner]) => owner),
  names.map(([, id]) => id),
];

function memoized<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
