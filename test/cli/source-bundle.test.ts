/** Promise: a start takes the bundle of a checkout, and the sources as soon as one of them, or a package, has changed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleMade, currentBundle } from "../../src/source-bundle.mjs";
import { takes } from "../until.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COMMANDS = `import { said } from "./said.ts";
export const runProcess = async () => {
  const { later } = await import("./later.ts");
  console.log(said, later, import.meta.url.includes("/.bundle/") ? "bundle" : "sources");
};`;

let checkout: string;
beforeEach(async () => {
  checkout = mkdtempSync(join(tmpdir(), "loquat-bundle-"));
  mkdirSync(join(checkout, "src", "cli"), { recursive: true });
  for (const file of ["src/main.ts", "src/resources.ts", "src/source-bundle.mjs", "tsconfig.json"])
    copyFileSync(join(ROOT, file), join(checkout, file));
  writeFileSync(join(checkout, "package-lock.json"), "{}");
  writeFileSync(join(checkout, "src/cli/commands.ts"), COMMANDS);
  write("said", "one");
  write("later", "and");
  await takes(20); // sources that are as young as a bundle count as changed after it
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const write = (name: string, text: string) =>
  writeFileSync(join(checkout, `src/cli/${name}.ts`), `export const ${name} = ${JSON.stringify(text)};`);

async function run(...args: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...args], { stdout: "pipe", stderr: "inherit" });
  const [out, code] = await Promise.all([child.stdout.text(), child.exited]);
  expect(code).toBe(0);
  return out.trim();
}

const start = (...options: string[]) => run(...options, join(checkout, "src/main.ts"));
const bundle = () => run(join(ROOT, "scripts/bundle.ts"), checkout);
const files = () => new Set(readdirSync(join(checkout, ".bundle")));

test("a start takes the bundle where it is of the sources as they are", async () => {
  expect(await start()).toBe("one and sources");
  await bundle();
  expect(await start()).toBe("one and bundle");
  expect(await start("--cpu-prof", `--cpu-prof-dir=${checkout}`)).toBe("one and sources");
});

test.each([
  ["was changed", () => write("said", "two"), "two and sources"],
  ["was changed that is loaded later", () => write("later", "or"), "one or sources"],
])("a start takes the sources where one %s", async (_what, change, said) => {
  await bundle();
  change();
  expect(await start()).toBe(said);
  await bundle();
  expect(await start()).toBe(said.replace("sources", "bundle"));
});

test.each([
  ["the lock file was changed", () => writeFileSync(join(checkout, "package-lock.json"), "{ }")],
  ["a source is missing", () => rmSync(join(checkout, "src/cli/later.ts"))],
  ["the bundle's list is damaged", () => writeFileSync(join(checkout, ".bundle/made.json"), '{"at":')],
  ["a build was cut short", () => rmSync(join(checkout, ".bundle/made.json"))],
  ["the entry is missing", () => rmSync(join(checkout, ".bundle/commands.js"))],
])("the bundle is not used where %s", async (_what, change) => {
  await bundle();
  expect(currentBundle(checkout)).toBe(join(checkout, ".bundle/commands.js"));
  change();
  expect(currentBundle(checkout)).toBeNull();
});

test("the files of the bundle before stay for servers that were started from it; older ones go", async () => {
  const made: string[][] = [];
  for (const said of ["one", "two", "three"]) {
    write("said", said);
    write("later", said);
    await bundle();
    made.push(bundleMade(checkout)!.files);
  }
  const [first, second, third] = made.map((names) => new Set(names)) as [
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  expect(files()).toEqual(second.union(third).union(new Set(["made.json"])));
  expect(first.difference(files()).size).toBeGreaterThan(0);
});
