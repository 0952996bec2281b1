/** Buttons that download the rows of a page, as CSV for spreadsheets and as JSON for programs. */
import { csvOf, type Row } from "../../csv.ts";
import { save } from "../browser/save-file.ts";
import { Button } from "./button.tsx";

type Format = "csv" | "json";

type ExportButtonsProps = {
  /** The base name of the file. */
  name: string;
  isEmpty: boolean;
  rows: () => Row[];
  formats?: Format[];
};

export const ExportButtons = ({ name, isEmpty, rows, formats = ["csv", "json"] }: ExportButtonsProps) =>
  formats.map((format) => (
    <Button key={format} disabled={isEmpty} onClick={() => save(`${name}.${format}`, fileOf(format, rows()))}>
      Export {format.toUpperCase()}
    </Button>
  ));

const fileOf = (format: Format, rows: Row[]): Blob =>
  format === "csv"
    ? new Blob([csvOf(rows)], { type: "text/csv;charset=utf-8" })
    : new Blob([`${JSON.stringify(rows, null, 2)}\n`], { type: "application/json;charset=utf-8" });
