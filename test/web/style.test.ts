/** Promise: the one style sheet has no class that no element carries, and no element a class without a style. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("../../src/web", import.meta.url));

async function read(pattern: string): Promise<string[]> {
  const names = [...new Bun.Glob(pattern).scanSync(WEB)];
  return Promise.all(names.map((name) => Bun.file(`${WEB}/${name}`).text()));
}

const wordsOf = (text: string): string[] => text.match(/[a-z][\w-]*/gi) ?? [];

async function styledClasses(): Promise<Set<string>> {
  const sheets = (await read("style/**/*.css")).join("\n").replace(/\/\*[\s\S]*?\*\/|url\([^)]*\)/g, "");
  const selectors = [...sheets.matchAll(/([^{}]+)\{/g)].map(([, selector]) => selector!);
  return new Set(selectors.flatMap((all) => [...all.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name!)));
}

/** The strings and templates of the pages, those that stand on one line. */
async function texts(): Promise<string[]> {
  const lines = (await read("**/*.{ts,tsx,html}")).join("\n").split("\n");
  const quoted = (line: string) => line.match(/"[^"]*"|`[^`]*`/g) ?? [];
  return lines.flatMap((line) => [...quoted(line), ...quoted(line.replaceAll(/`[^`]*`/g, ""))]);
}

test("every class of the style sheet stands in the code of a page", async () => {
  const words = new Set((await texts()).flatMap(wordsOf));
  const styled = await styledClasses();
  expect(styled.size).toBeGreaterThan(100);
  expect([...styled].filter((name) => !words.has(name))).toEqual([]);
});

test("every class that an element always has is styled", async () => {
  const styled = await styledClasses();
  const code = (await read("**/*.tsx")).join("\n");
  const names = [...code.matchAll(/className="([^"]+)"/g)].flatMap(([, all]) => all!.split(" "));
  expect(names.length).toBeGreaterThan(100);
  expect([...new Set(names)].filter((name) => !styled.has(name))).toEqual([]);
});

test("every sheet is part of the page", async () => {
  const [main] = await read("style/main.css");
  const sheets = [...new Bun.Glob("**/*.css").scanSync(`${WEB}/style`)].filter((name) => name !== "main.css");
  const imported = [...main!.matchAll(/@import "\.\/([^"]+)"/g)].map(([, name]) => name!);
  expect(imported.toSorted()).toEqual(sheets.toSorted());
});
