/** Promise: joined modules export what the package exports, share their state, and nothing changes where joining fails. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { joinModules } from "../../deploy/join-modules.mjs";

let modules: string;
beforeEach(() => {
  modules = join(mkdtempSync(join(tmpdir(), "loquat-join-")), "node_modules");
});
afterEach(() => rmSync(dirname(modules), { recursive: true }));

const EXPORTS = { ".": "./build/index.mjs", "./value": "./build/value/index.mjs" };
const FILES = {
  "build/index.mjs": 'export * from "./count.mjs"; export * as Words from "./words.mjs";',
  "build/value/index.mjs": 'import { next } from "../count.mjs"; export const value = () => next();',
  "build/count.mjs": "let count = 0; export const next = () => ++count;",
  "build/words.mjs": 'export const first = "one";',
};

function install(name: string, files: Record<string, string>): void {
  const exports = Object.fromEntries(Object.entries(EXPORTS).map(([key, path]) => [key, { import: path }]));
  mkdirSync(join(modules, name, "build/value"), { recursive: true });
  writeFileSync(join(modules, name, "package.json"), JSON.stringify({ name, exports }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(modules, name, path), text);
}

const read = (path: string) => readFileSync(join(modules, "typebox", path), "utf8");

/** What a program prints that imports the package, with the condition or without it. */
function printed(...options: string[]): string {
  const script = `
    import { next, Words } from "typebox";
    import { value } from "typebox/value";
    console.log(next(), value(), Words.first, import.meta.resolve("typebox").includes("joined"));`;
  const file = join(modules, "../script.mjs");
  writeFileSync(file, script);
  return Bun.spawnSync([process.execPath, ...options, file])
    .stdout.toString()
    .trim();
}

test("with the condition, a name is one file of those that share what they shared", () => {
  install("typebox", FILES);
  joinModules(modules, process.execPath);
  expect(printed()).toBe("1 2 one false");
  rmSync(join(modules, "typebox/build"), { recursive: true });
  expect(printed("--conditions=joined")).toBe("1 2 one true");
});

test("joining again changes nothing", () => {
  install("typebox", FILES);
  joinModules(modules, process.execPath);
  const once = [read("package.json"), read("joined/index.mjs")];
  joinModules(modules, process.execPath);
  expect([read("package.json"), read("joined/index.mjs")]).toEqual(once);
});

test("a package that cannot be joined stays as it was", () => {
  install("typebox", { ...FILES, "build/words.mjs": "export const first = ;" });
  const description = read("package.json");
  expect(joinModules(modules, process.execPath)).toBe(false);
  expect(joinModules(modules, join(modules, "no-such-program"))).toBe(false);
  expect(read("package.json")).toBe(description);
  expect(read("build/index.mjs")).toBe(FILES["build/index.mjs"]);
});

test("a package that is not installed is left out", () => {
  expect(joinModules(modules, process.execPath)).toBe(false);
});

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const IMPORTED = /from "((?:drizzle-orm|typebox)(?:\/[\w/-]+)?)"/g;

test("every name that the sources import of these packages is joined: one that is not loads the package twice", () => {
  const sources = [...new Bun.Glob("{src,workers}/**/*.ts").scanSync(ROOT)];
  const texts = sources.map((path) => readFileSync(join(ROOT, path), "utf8"));
  const names = new Set(texts.flatMap((text) => [...text.matchAll(IMPORTED)].map(([, name]) => name!)));
  const plain = [...names].filter((name) => !isJoined(name));
  expect(names.size).toBeGreaterThan(5);
  expect(plain).toEqual([]);
});

function isJoined(name: string): boolean {
  const [pkg, ...path] = name.split("/");
  const { exports } = JSON.parse(readFileSync(join(ROOT, "node_modules", pkg!, "package.json"), "utf8"));
  return typeof exports[[".", ...path].join("/")]?.joined === "string";
}
