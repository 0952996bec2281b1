/** A table with a caption and an empty state. Where it is narrow, each row is a small card: see table.css. */
import type { ReactNode } from "react";

export type Column<Row> = {
  name: string;
  of: (row: Row) => ReactNode;
  /** Aligns digits below each other. */
  numeric?: boolean;
  /** In the card of a row: beside its title, or nowhere. */
  phone?: "side" | "hidden";
  /** Shown only where the table is wide. */
  isExtra?: boolean;
  /** What can be done with the row: its name is not shown. */
  isActions?: boolean;
};

export type TableProps<Row> = {
  /** Hidden; read by screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  empty: ReactNode;
  /** The whole row follows the link with the class `row-link` in its first cell. */
  isLinked?: boolean;
  /** The key of the row that is open beside the table. */
  openKey?: string | null;
};

export function Table<Row>({ caption, columns, rows, keyOf, empty, ...links }: TableProps<Row>) {
  if (rows.length === 0) return <div className="empty">{empty}</div>;
  const { isLinked = false, openKey = null } = links;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard
    // biome-ignore lint/a11y/useSemanticElements: not a fieldset
    <div className={isLinked ? "table linked" : "table"} role="group" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)}>
                {column.isActions ? <span className="unseen">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={openKey === keyOf(row) ? "open" : undefined}>
              {columns.map((column) => (
                <td key={column.name} className={classOf(column)} data-name={column.name}>
                  {column.of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>({ numeric, phone, isExtra, isActions }: Column<Row>): string | undefined {
  const names = [
    numeric && "numeric",
    phone === "side" && "side",
    phone === "hidden" && "no-phone",
    isExtra && "extra",
    isActions && "actions-cell",
  ];
  return names.filter(Boolean).join(" ") || undefined;
}
