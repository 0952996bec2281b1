/**
 * Promise: every installed package keeps the bounds of what its family does, in each of its installed variants. For
 * `npm run test:weights`, which ends with one table; what is not installed is named in one line for each task.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { type FamilyTask, familyOf } from "../../src/engine/families/families.ts";
import { fileSetsOf } from "../../src/models/packages/file-sets.ts";
import { readPackages } from "../../src/models/packages/package.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { measurePackage } from "./measured-package.ts";
import { type MeasuredRow, tableText, USUAL_BOUNDS } from "./measurement.ts";

const LONGEST_MS = 6 * 60 * 60 * 1000; // a large model, fifty sentences a language, two cores
const EVERYTHING = { sentences: 50, languages: 100, recordings: 100 };

const { models } = readConfig();
const store = openModelStore(models.weights);
const installed = store.list().map((each) => each.package);
const missing = [...readPackages(models.folder).values()].filter(
  ({ name }) => store.installed(name) === null,
);
const tasks = [...Map.groupBy([...installed, ...missing], ({ family }) => familyOf(family).task).keys()];
const does = (task: FamilyTask) => (pkg: (typeof missing)[number]) => familyOf(pkg.family).task === task;

const rows: MeasuredRow[] = [];
afterAll(() => {
  if (rows.length > 0) process.stdout.write(`\n${tableText(rows)}\n`);
});

describe.each(tasks)("%s", (task) => {
  const cases = installed.filter(does(task)).flatMap((pkg) =>
    fileSetsOf(pkg, "cpu").map(({ variant }) => ({
      pkg,
      variant,
      name: variant === null ? pkg.name : `${pkg.name} ${variant}`,
    })),
  );
  if (cases.length > 0)
    test.each(cases)(
      "$name keeps its bounds",
      async ({ pkg, variant }) => {
        const options = { pkg, variant, extent: EVERYTHING, bounds: USUAL_BOUNDS, environment: process.env };
        const measured = await measurePackage(options);
        rows.push(...measured);
        expect(measured.filter(({ result }) => result === "fails")).toEqual([]);
      },
      LONGEST_MS,
    );
  const names = missing.filter(does(task)).map(({ name }) => name);
  if (names.length > 0) test.skip(`packages that are not installed: ${names.join(", ")}`, () => {});
});
