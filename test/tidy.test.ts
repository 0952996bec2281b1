/**
 * Promise: the code keeps those rules of CONTRIBUTING.md that Biome does not check. Each message names the remedy, and
 * each rule is tested on files that break it.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { opening, place } from "../scripts/tidy/files.ts";
import { dependencyFiles, directions, folderCircles } from "../scripts/tidy/imports.ts";
import { parseFile, ROOT, readProject, type SourceFile } from "../scripts/tidy/project.ts";
import type { Rule } from "../scripts/tidy/rule.ts";
import { baseNames, machines, owned, sleeps, words } from "../scripts/tidy/words.ts";

const RULES = {
  opening,
  place,
  directions,
  folderCircles,
  doors: dependencyFiles,
  words,
  baseNames,
  owned,
  machines,
  sleeps,
} satisfies Record<string, Rule>;

const LIMIT_MS = 120_000;

describe("the repository", () => {
  let files: SourceFile[] = [];
  beforeAll(() => {
    files = readProject();
  }, LIMIT_MS);

  test("is read completely: server, workers, pages, tests, benchmarks and the build", () => {
    const paths = files.map(({ path }) => path);
    for (const path of [
      "src/main.ts",
      "workers/vad/vad.ts",
      "src/web/main.tsx",
      "test/tidy.test.ts",
      "bench/main.ts",
      "deploy/build/main.ts",
    ])
      expect(paths).toContain(path);
  });

  test.each(Object.entries(RULES))("keeps the rule %s", (_name, rule) => {
    expect(rule(files)).toEqual([]);
  });

  test("has a reason for every runtime dependency in docs/dependencies.md", () => {
    const page = readFileSync(join(ROOT, "docs", "dependencies.md"), "utf8");
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    );
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

/** The rule, and files that break it. */
const BROKEN: [keyof typeof RULES, Record<string, string>][] = [
  ["opening", { "src/a.ts": "export const a = 1;" }],
  ["place", { "src/utils/a.ts": "" }],
  ["place", { "src/api/index.ts": "" }],
  ["place", { "src/api/v1/realtime/frames/a.ts": "" }],
  ["directions", { "src/speech/a.ts": 'import { a } from "../api/v1/a.ts";' }],
  ["directions", { "src/speech/a.ts": 'type A = import("./b.ts").B; export * from "../billing/a.ts";' }],
  ["directions", { "src/speech/a.ts": 'const a = await import("../../workers/tts/a.ts");' }],
  ["directions", { "workers/tts/a.ts": 'import type { A } from "../../src/api/v1/a.ts";' }],
  ["directions", { "src/server/a.ts": 'import { a } from "../cli/a.ts";' }],
  ["directions", { "src/web/ui/a.tsx": 'import { a } from "../../ledger/a.ts";' }],
  [
    "folderCircles",
    {
      "src/audio/a.ts": 'import "../engine/b.ts";',
      "src/engine/b.ts": "",
      "src/engine/c.ts": 'import type { D } from "../audio/d.ts";',
      "src/audio/d.ts": "",
    },
  ],
  ["doors", { "src/speech/a.ts": 'import { Elysia } from "elysia";' }],
  ["words", { "src/shelf.ts": "" }],
  ["words", { "src/a.ts": "const openShelf = 1;" }],
  ["words", { "src/a.ts": "class A { #ears = 1; }" }],
  ["words", { "workers/a.ts": "for (const [lane] of []) {}" }],
  ["words", { "test/a.ts": "const openTariff = (price) => price;" }],
  ["baseNames", { "src/speech/a.ts": "", "src/audio/a.ts": "" }],
  ["owned", { "src/limits/a.ts": "const now = Date.now();" }],
  ["owned", { "src/web/usage/a.tsx": 'import { lazy } from "react";' }],
  ["sleeps", { "test/a.test.ts": "await Bun.sleep(100);" }],
  ["sleeps", { "test/a.test.ts": "await new Promise((resolve) => setTimeout(resolve, 100));" }],
  ["machines", { "src/a.ts": 'const place = "/home/user/x";' }],
];

describe("a rule detects files that break it", () => {
  test.each(BROKEN)("%s, case %#", (name, files) => {
    const parsed = Object.entries(files).map(([path, text]) => parseFile(path, text));
    expect(RULES[name](parsed)).not.toEqual([]);
  });
});
