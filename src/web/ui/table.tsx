/** A table with a caption, that scrolls on narrow screens and has an empty state. */
import type { ReactNode } from "react";

export type Column<Row> = {
  name: string;
  of: (row: Row) => ReactNode;
  /** Aligns digits below each other. */
  numeric?: boolean;
};

type TableProps<Row> = {
  /** Hidden; read by screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  empty: ReactNode;
};

export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <div className="empty">{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard
    <section className="table" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, numeric }) => (
              <th key={name} scope="col" className={numeric ? "numeric" : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, of, numeric }) => (
                <td key={name} className={numeric ? "numeric" : undefined}>
                  {of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
