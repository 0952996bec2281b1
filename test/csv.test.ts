/** Promise: exported rows are valid CSV, and no cell is run as a formula by a spreadsheet. */
import { expect, test } from "bun:test";
import { csvOf } from "../src/csv.ts";

test("a header row comes first; commas, quotes and line breaks are preserved", () => {
  expect(csvOf([{ name: 'a "b", c', note: "two\nlines", cost: 1.5, on: true, none: null }])).toBe(
    '"name","note","cost","on","none"\r\n"a ""b"", c","two\nlines",1.5,true,\r\n',
  );
});

const FORMULAS = [
  "=HYPERLINK(1)",
  "+1",
  "-1+2",
  "@SUM(A1)",
  "\t=1",
  "\n=1",
  "  =1",
  "＝1",
  "＋1",
  "－1",
  "＠A",
];

test.each(FORMULAS)("%p is escaped", (name) => {
  expect(csvOf([{ name }])).toBe(`"name"\r\n"'${name}"\r\n`);
});

test("a cell cannot become two where semicolons separate", () => {
  expect(csvOf([{ name: "a;=1+1" }])).toBe('"name"\r\n"a;=1+1"\r\n');
});

test("a negative number is not escaped", () => {
  expect(csvOf([{ change: -3 }])).toBe('"change"\r\n-3\r\n');
});
