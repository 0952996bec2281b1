/** Scripts that tests start as processes, as one file with all that they import: they start in half the time. */
import { mkdirSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { BUNDLE_OPTIONS } from "../scripts/bundle-options.ts";
import { BUNDLE } from "../src/source-bundle.mjs";

const ROOT = join(import.meta.dir, "..");

/** Returns the path of the file, which the next bundle of the checkout removes. */
export async function bundled(script: string): Promise<string> {
  const folder = join(ROOT, BUNDLE); // the sources find other files from a folder directly below the checkout
  const { outputs } = await Bun.build({ entrypoints: [script], root: ROOT, ...BUNDLE_OPTIONS });
  const path = join(folder, relative(ROOT, script).replaceAll(/\W/g, "-"));
  mkdirSync(folder, { recursive: true });
  await Bun.write(`${path}.${process.pid}`, outputs[0]!);
  renameSync(`${path}.${process.pid}`, `${path}.js`); // another process of the tests may be starting it
  return `${path}.js`;
}
