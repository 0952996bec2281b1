/**
 * Makes the bundle of a checkout, which set-up asks for before a start: src/source-bundle.mjs.
 *
 *   bun scripts/bundle.ts [CHECKOUT]
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { BUNDLE, bundleMade, ENTRY, MADE } from "../src/source-bundle.mjs";
import { BUNDLE_OPTIONS } from "./bundle-options.ts";

/** The times of files are that much late. */
const CLOCK_STEP_MS = 10;

const checkout = resolve(process.argv[2] ?? join(import.meta.dir, ".."));
const folder = join(checkout, BUNDLE);
const at = Date.now() - CLOCK_STEP_MS;
const { outputs, metafile } = await Bun.build({
  entrypoints: [join(checkout, "src", "cli", "commands.ts")],
  root: checkout,
  ...BUNDLE_OPTIONS,
  splitting: true,
  metafile: true,
  naming: { entry: ENTRY, chunk: "[name]-[hash].js", asset: "[name]-[hash].[ext]" },
});
const paths = Object.keys(metafile!.inputs).map((path) => relative(checkout, resolve(path)));
const sources = paths.filter((path) => !path.includes("node_modules"));
const files = outputs.map(({ path }) => path.replace(/^\.\//, ""));

// A running server loads files of the bundle that it was started from, so those of the one before stay.
const before = bundleMade(checkout)?.files ?? [];
mkdirSync(folder, { recursive: true });
rmSync(join(folder, MADE), { force: true });
for (const [index, output] of outputs.entries()) await replace(files[index]!, await output.text());
await replace(MADE, JSON.stringify({ at, of: ["package-lock.json", ...sources], files }));
const kept = new Set([...before, ...files, MADE]);
for await (const file of new Bun.Glob("**").scan({ cwd: folder, dot: true }))
  if (!kept.has(file)) rmSync(join(folder, file));

/** By a rename: a start reads the old file or the new one. */
async function replace(name: string, text: string): Promise<void> {
  const next = join(folder, `${name}.next`);
  writeFileSync(next, text);
  renameSync(next, join(folder, name));
}
