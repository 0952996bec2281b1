/** Promise: CONTRIBUTING.md names every list that a new family, error code or table belongs to. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import * as tables from "../../src/db/sqlite/tables.ts";
import { FAMILY_NAMES } from "../../src/engine/families/families.ts";
import { CODES } from "../../src/error-codes.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const SOURCES = new Glob("{src,workers,scripts,testing,bench,deploy}/**/*.{ts,tsx}");
const sources = [...SOURCES.scanSync(ROOT)].map((path) => ({
  path,
  words: new Set(read(path).match(/[A-Za-z][\w-]*/g)),
}));

/** The files that name four of ten of the words or more: they are lists of them. */
const listsOf = (words: readonly string[]) =>
  sources
    .filter((source) => words.filter((word) => source.words.has(word)).length >= 0.4 * words.length)
    .map(({ path }) => path)
    .sort();

test.each([
  ["Add a model family", FAMILY_NAMES, 4],
  ["Add an error code", CODES, 2],
  ["Change the database", Object.keys(tables), 3],
] as const)("%s: names the files that list them all", (title, words, count) => {
  const [, section = ""] = read("CONTRIBUTING.md").split(`## ${title}\n`);
  const [text = ""] = section.split("\n## ");
  const lists = listsOf(words);
  expect(lists).toHaveLength(count); // one list more is one place more to forget
  expect(lists.filter((path) => !text.includes(`\`${path}\``))).toEqual([]);
});
