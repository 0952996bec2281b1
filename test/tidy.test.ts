/** Promise: the house keeps its style. Each ban names what to do instead. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { REACHES, ROOTS, WORKERS_REACH } from "./import-map.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["src", "workers", "test", "bench"];

type Source = { path: string; text: string };
/** Says what is wrong with a file, or nothing. */
type Rule = (source: Source) => string[];

/** One door per dependency: where its name may be imported. */
const DOORS: [RegExp, RegExp][] = [
  [/^(elysia|@elysiajs\/.*)$/, /^src\/(server\/app\.ts|api\/)/],
  [
    /^(drizzle-orm.*|better-sqlite3|pg)$/,
    /^(src\/(db\/|accounts\/|identity\/|billing\/|(ledger|limits)\/(sqlite|postgres|audit)\.ts)|bench\/)/,
  ],
  [/^ioredis$/, /^src\/limits\/redis\.ts$/],
  [/^piscina$/, /^(src\/engine\/thread-pool\.ts|workers\/)/],
  [/^onnxruntime-node$/, /^(workers\/onnx|bench)\//],
  [/^node-av/, /^(workers|test|bench)\//],
  [/^typebox/, /^src\/(schema\.ts|models\/(manifest|package)\.ts|api\/)/],
  [/^stripe$/, /^src\/billing\/stripe\.ts$/],
  [/^better-auth/, /^src\/identity\/better-auth\.ts$/],
  [/^nodemailer$/, /^src\/identity\/mail\.ts$/],
  [/^(react|react-dom|wouter|uplot|@tanstack\/.*)(\/|$)/, /^src\/web\//],
];

/** Words that belong to one file. */
const OWNED: [RegExp, string, string][] = [
  [/\bDate\.now\b/, "src/clock.ts", "take a Clock"],
  [/\bprocess\.env\b(?!\.(NODE_ENV"|LOQUAT_KEY))/, "src/config.ts", "take the Config"],
  [/\bconsole\./, "src/log.ts", "take a Log"],
];

const ANYWHERE =
  /(?<![\w.])\/(?:work|home|root|Users|tmp)\/[\w.-]|registry\.npmjs|https?:\/\/[\w.-]*(?:artifactory|nexus)/;

const lines: Rule = ({ text }) => {
  const count = text.split("\n").length - 1;
  return count > 300 ? [`has ${count} lines, 300 at most: split it by what it knows`] : [];
};

/** Functions as the formatter leaves them: from the line that opens one to the line that closes it at its indent. */
const functions: Rule = ({ path, text }) => {
  if (path.startsWith("test/contract/")) return []; // a suite is one function, and reads like a list
  const rows = text.split("\n");
  return rows.flatMap((row, at) => {
    const opening =
      /^(\s*)(?:export )?(?:default )?(?:async )?(?:function\b|\w+\(.*\) ?(?::.*)?\{$|const \w+ = (?:async )?\(.*=> \{$)/.exec(
        row,
      );
    if (!opening || !row.endsWith("{")) return [];
    const length = rows.slice(at).findIndex((later) => later.startsWith(`${opening[1]}}`));
    return length > 60 ? [`line ${at + 1}: a function of ${length} lines, 60 at most: name its parts`] : [];
  });
};

const parameters: Rule = ({ text }) =>
  [
    ...text.matchAll(/^\s*(?:export )?(?:default )?(?:async )?function\*? \w*(?:<[^(]*>)?\(([^)]*)\)/gm),
  ].flatMap(([, list = ""]) => {
    const count = list
      .replace(/\{[^}]*\}|<[^>]*>|\[[^\]]*\]|=.*/g, "")
      .split(",")
      .filter((part) => part.includes(":") || /^\s*\w+\s*$/.test(part)).length;
    return count > 3 ? [`${count} parameters in (${list.trim()}): take an object`] : [];
  });

const opening: Rule = ({ text }) =>
  /^(#!.*\n)?\/\*\*/.test(text) ? [] : ["opens without a doc comment: say what it owns"];

const place: Rule = ({ path }) => {
  if (/\/(utils?|helpers?|common|types|misc)(\/|\.ts$)/.test(path))
    return ["is a drawer for anything: name what it holds"];
  if (/\/index\.ts$/.test(path)) return ["is a barrel: import from the file that owns the name"];
  return /^(src|workers)\//.test(path) && path.split("/").length > 5
    ? ["lies too deep: three folders below the top at most"]
    : [];
};

const importsOf = (text: string) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name]) => name!);

const folderOf = (path: string) => path.split("/").slice(0, -1).join("/");

const directions: Rule = ({ path, text }) => {
  const folder = folderOf(path);
  const top = path.split("/")[0]!;
  if (top !== "src" && top !== "workers") return [];
  if (path.startsWith("src/web/")) return webDirections({ path, text });
  const isRoot = ROOTS.includes(path) || ROOTS.includes(folder);
  const allowed = top === "workers" ? WORKERS_REACH : (REACHES[folder] ?? []);
  return importsOf(text).flatMap((name) => {
    if (!name.startsWith(".")) return [];
    const target = join(path, "..", name);
    const targetFolder = folderOf(target);
    if (top === "src" && target.startsWith("workers/"))
      return [`imports ${target}: name a worker by its URL`];
    if (top === "workers" && target.startsWith("workers/")) return [];
    const isBelow = targetFolder === "src" || targetFolder === "" || targetFolder === folder;
    const isHigher = targetFolder === "src/cli" || (targetFolder === "src/server" && folder !== "src/cli");
    if (isRoot && path !== "src/main.ts" && isHigher && targetFolder !== folder)
      return [`imports ${target}: the arrow turns back`];
    return isRoot || isBelow || allowed.includes(targetFolder)
      ? []
      : [`imports ${target}: the arrow turns back`];
  });
};

/** The web pages know of the server what the schema of the management API says, and nothing else. */
const webDirections: Rule = ({ path, text }) =>
  importsOf(text).flatMap((name) => {
    const target = join(path, "..", name);
    return !name.startsWith(".") ||
      target.startsWith("src/web/") ||
      /^src\/(api\/management\/schema\/.*|clock\.ts|errors\.ts)$/.test(target)
      ? []
      : [`imports ${target}: the arrow turns back`];
  });

const doors: Rule = ({ path, text }) =>
  importsOf(text).flatMap((name) =>
    DOORS.some(([names, files]) => names.test(name) && !files.test(path) && !path.startsWith("test/"))
      ? [`imports ${name} beside its door: go through the file that owns it`]
      : [],
  );

const owned: Rule = ({ path, text }) =>
  OWNED.flatMap(([word, owner, instead]) =>
    /^(src|workers)\//.test(path) && path !== owner && word.test(text)
      ? [`uses ${word.source}, which is ${owner}'s: ${instead}`]
      : [],
  );

const machines: Rule = ({ text }) => {
  const found = ANYWHERE.exec(text);
  return found ? [`names a place of one machine, ${found[0]}: say it without`] : [];
};

const RULES: Record<string, Rule> = {
  lines,
  functions,
  parameters,
  opening,
  place,
  directions,
  doors,
  owned,
  machines,
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : /\.tsx?$/.test(name) ? [path] : [];
  });
}

const sources: Source[] = FOLDERS.flatMap((folder) => filesUnder(join(ROOT, folder))).map((path) => ({
  path: relative(ROOT, path),
  text: readFileSync(path, "utf8"),
}));

describe("the house", () => {
  test.each(Object.entries(RULES).filter(([name]) => name !== "machines"))("%s", (_name, rule) => {
    expect(sources.flatMap((source) => rule(source).map((fault) => `${source.path} ${fault}`))).toEqual([]);
  });

  test("machines", () => {
    const shipped = sources.filter(({ path }) => !path.startsWith("test/"));
    expect(shipped.flatMap((source) => machines(source).map((fault) => `${source.path} ${fault}`))).toEqual(
      [],
    );
  });

  test("an area holds at most 14 files", () => {
    const areas = Map.groupBy(
      sources.filter(({ path }) => /^(src|workers)\//.test(path)),
      ({ path }) => folderOf(path),
    );
    expect([...areas].filter(([, files]) => files.length > 14).map(([area]) => `${area}: split it`)).toEqual(
      [],
    );
  });

  test("every runtime dependency has its reason in the README", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    );
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("the rules can fail", () => {
  const bad: [keyof typeof RULES, string, string][] = [
    ["lines", "src/a.ts", "x\n".repeat(301)],
    ["functions", "src/a.ts", `function f() {\n${"  x;\n".repeat(61)}}\n`],
    ["parameters", "src/a.ts", "function f(a: A, b: B, c: C, d: D, e: E) {}"],
    ["opening", "src/a.ts", "export const a = 1;"],
    ["place", "src/utils/a.ts", ""],
    ["place", "src/api/v1/realtime/frames/a.ts", ""],
    ["directions", "src/speech/a.ts", 'import { a } from "../api/v1/a.ts";'],
    ["directions", "src/speech/a.ts", 'import a from "../../workers/tts/a.ts";'],
    ["directions", "workers/tts/a.ts", 'import { a } from "../../src/api/v1/a.ts";'],
    ["directions", "src/web/ui/a.tsx", 'import { a } from "../../ledger/a.ts";'],
    ["doors", "src/speech/a.ts", 'import { Elysia } from "elysia";'],
    ["owned", "src/limits/a.ts", "const now = Date.now();"],
    ["machines", "src/a.ts", 'const place = "/home/somebody/x";'],
  ];
  test.each(bad)("%s refuses %s", (name, path, text) => {
    expect(RULES[name]!({ path, text })).not.toEqual([]);
  });
});
