/** Promise: the documentation agrees with the code: variables, imports, the OpenAPI document, links and paths. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig, VARIABLES } from "../../src/config.ts";
import { withCommands } from "./commands.ts";
import { withDrawings } from "./drawing.ts";
import { withPackageTables } from "./models.ts";
import { generateOpenApi } from "./openapi.ts";
import { withRules } from "./rules.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

describe("environment variables", () => {
  const names = Object.keys(VARIABLES).sort();

  test("VARIABLES lists exactly the environment variables that config.ts reads", () => {
    const asked = new Set<string>();
    const values: Record<string, string> = { STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "whsec" };
    readConfig(
      new Proxy(values, {
        get(target, name) {
          asked.add(String(name));
          return target[String(name)];
        },
      }),
    );
    expect([...asked].sort()).toEqual(names);
  });

  test("docs/configuration.md explains every variable with its default", () => {
    const rows = [...read("docs/configuration.md").matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| .+\|$/gm)];
    const documented = rows.map(([, name, fallback]) => [name, fallback!.replaceAll("`", "")]);
    const declared = Object.entries(VARIABLES).map(([name, { fallback }]) => [name, fallback]);
    expect(documented).toEqual(declared);
  });
});

test("docs/architecture.md draws the import table; `npm run docs` updates it", () => {
  const page = read("docs/architecture.md");
  expect(page).toContain("<!-- layers -->");
  expect(page).toContain("<!-- imports -->");
  expect(withDrawings(page)).toBe(page);
});

test("docs/models.md lists the packages of the manifests; `npm run docs` updates it", () => {
  const page = read("docs/models.md");
  expect(page).toContain("<!-- packages -->");
  expect(withPackageTables(page)).toBe(page);
});

test("docs/command-line.md describes every command; `npm run docs` updates it", async () => {
  const page = read("docs/command-line.md");
  expect(page).toContain("### loquat serve");
  expect(await withCommands(page)).toBe(page);
});

test("docs/text.md lists the rules of English; `npm run docs` updates it", () => {
  const page = read("docs/text.md");
  expect(page).toContain("- **ISO date**: ");
  expect(withRules(page)).toBe(page);
});

test("openapi.json is what the server generates; `npm run docs` updates it", async () => {
  expect(await generateOpenApi()).toBe(read("openapi.json"));
});

test("README.md has 120 lines at most and says what this is in its first sentence", () => {
  const readme = read("README.md");
  expect(readme.split("\n").length - 1).toBeLessThanOrEqual(120);
  expect(readme).toMatch(/^# Loquat\n\nA self-hosted, OpenAI-compatible speech API/);
});

describe("links and paths", () => {
  test.each(pages)("%s links to files that exist", (page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(
      ([, target]) => target!,
    );
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });

  test.each(pages)("%s names files and folders that exist", (page) => {
    const names = [...read(page).matchAll(/`((?:src|test|bench|docs|examples|workers)\/[\w./-]+)`/g)];
    const isPlaceholder = (name: string) => /[A-Z]{4,}/.test(name);
    const missing = names
      .map(([, name]) => name!)
      .filter((name) => !isPlaceholder(name) && !existsSync(join(ROOT, name)));
    expect(missing).toEqual([]);
  });
});
