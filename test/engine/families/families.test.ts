/** Promise: every entry of the table of families names a worker that exists. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { EMBEDDED_FAMILIES, FAMILY_NAMES, familyOf } from "../../../src/engine/families/families.ts";
import { worker } from "../../../src/resources.ts";

const workers = [
  ...FAMILY_NAMES.flatMap((family) => familyOf(family).worker ?? []),
  ...Object.values(EMBEDDED_FAMILIES).map((family) => family.worker),
];

test.each(workers)("the worker %s exists", (path) => {
  expect(existsSync(worker(path))).toBe(true);
});
