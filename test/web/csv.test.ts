/** Promise: an exported row reads back as what was shown, and no spreadsheet runs what somebody wrote into a name. */
import { expect, test } from "bun:test";
import { csvOf } from "../../src/web/lib/csv.ts";

test("names first, then rows; commas, quotes and lines are kept", () => {
  expect(csvOf([{ name: 'a "b", c', note: "two\nlines", cost: 1.5, on: true, none: null }])).toBe(
    'name,note,cost,on,none\r\n"a ""b"", c","two\nlines",1.5,true,\r\n',
  );
});

test.each(["=HYPERLINK(1)", "+1", "-1+2", "@SUM(A1)", "\t=1"])("%p stays text", (name) => {
  expect(csvOf([{ name }])).toBe(`name\r\n'${name}\r\n`);
});

test("a negative number is a number", () => {
  expect(csvOf([{ change: -3 }])).toBe("change\r\n-3\r\n");
});
