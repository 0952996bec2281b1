/** A table that says what it is of, scrolls where the screen is narrow, and says so where there is nothing. */
import type { ReactNode } from "react";

export type Column<Row> = {
  name: string;
  of: (row: Row) => ReactNode;
  /** Figures stand under each other. */
  numeric?: boolean;
};

type TableProps<Row> = {
  /** For those who do not see it. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  empty: ReactNode;
};

export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <div className="empty">{empty}</div>;
  return (
    // a region that scrolls can be reached and scrolled with the keyboard
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
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
