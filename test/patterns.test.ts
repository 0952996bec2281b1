/** Promise: none of our patterns takes more than linear time on any text. */
import { beforeAll, describe, expect, test } from "bun:test";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Diagnostics } from "recheck";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";
import { ENGLISH_RULES } from "../src/speech/text/english/order.ts";
import { CHINESE_RULES } from "../workers/g2p/chinese/numbers.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROJECTS = ["tsconfig.json", "src/web/tsconfig.json"].map((name) => `${ROOT}${name}`);
const LIMIT_MS = 400_000;

type Pattern = { path: string; source: string; flags: string };
/** What the tree holds: patterns as they are written, and places that put one together while they run. */
type Findings = { patterns: Pattern[]; composed: string[] };

/**
 * Files that compose patterns of tables: rules; and those that repeat nothing: units of eSpeak NG's languages, scripts, words
 * that begin phrases.
 */
const COMPOSING =
  /^(src\/speech\/(text\/(english\/|amounts\/|grouped-digits|name-ranges)|pronounceable\.ts)|workers\/g2p\/(chinese\/numbers|espeak-text)\.ts)/;
/** A sign of repetition without end, outside classes and escapes. */
const ENDLESS = /[*+]|\{\d+,\}/;

process.env.RECHECK_BACKEND = "pure"; // no process, no Java
process.env.RECHECK_SYNC_BACKEND = "pure";
const { checkSync } = await import("recheck");

/** A pattern without its classes and escapes. */
const outside = (source: string) => source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, "-");

/** A pattern as it is written: Bun escapes characters beyond ASCII. */
const plain = (source: string) =>
  source.replace(/\\u([0-9A-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** What is wrong with a pattern, or null. The verdict does not depend on time: there is no limit but of steps. */
function fault({ source, flags }: Pick<Pattern, "source" | "flags">): string | null {
  if (!ENDLESS.test(outside(source))) return null;
  const limits = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };
  const diagnostics: Diagnostics = checkSync(source, flags, limits);
  if (diagnostics.status === "safe") return null;
  return diagnostics.status === "unknown"
    ? `unknown: ${diagnostics.error.kind}`
    : `${diagnostics.complexity.summary}: ${diagnostics.attack.pattern}`;
}

async function patternsOf(): Promise<Findings> {
  const api = new API({ cwd: ROOT });
  const findings: Findings = { patterns: [], composed: [] };
  try {
    const snapshot = await api.updateSnapshot({ openProjects: PROJECTS });
    for (const project of snapshot.getProjects()) {
      for (const file of project.rootFiles) {
        const path = relative(ROOT, file);
        if (!/^(src|workers)\//.test(path)) continue;
        const source = await project.program.getSourceFile(file);
        if (source) collect(path, source, findings);
      }
    }
    return findings;
  } finally {
    await api.close();
  }
}

type Literal = Node & { text: string };
const textOf = (node: Node | undefined): string | null =>
  node?.kind === SyntaxKind.StringLiteral || node?.kind === SyntaxKind.NoSubstitutionTemplateLiteral
    ? (node as Literal).text
    : null;

function collect(path: string, node: Node, findings: Findings): void {
  if (node.kind === SyntaxKind.RegularExpressionLiteral) {
    const { text } = node as Literal;
    const end = text.lastIndexOf("/");
    findings.patterns.push({ path, source: text.slice(1, end), flags: text.slice(end + 1) });
  }
  if (node.kind === SyntaxKind.NewExpression || node.kind === SyntaxKind.CallExpression) {
    const { expression, arguments: args = [] } = node as Node & {
      expression: Literal;
      arguments?: readonly Node[];
    };
    if (expression.kind === SyntaxKind.Identifier && expression.text === "RegExp") {
      const source = textOf(args[0]);
      if (source === null) findings.composed.push(path);
      else findings.patterns.push({ path, source, flags: textOf(args[1]) ?? "" });
    }
  }
  if (node.kind === SyntaxKind.PropertyAssignment) {
    const { name, initializer } = node as Node & { name: Literal; initializer: Node };
    const source = name.text === "pattern" ? textOf(initializer) : null; // of a schema
    if (source !== null) findings.patterns.push({ path, source, flags: "u" });
  }
  node.forEachChild((child) => {
    collect(path, child, findings);
  });
}

describe("patterns", () => {
  let findings: Findings;
  beforeAll(async () => {
    findings = await patternsOf();
  }, LIMIT_MS);

  test("are found as literals, in schemas and in the pages", () => {
    const all = findings.patterns.map(({ path }) => path);
    expect(all).toContain("src/models/packages/package.ts");
    expect(all).toContain("workers/tts/supertonic/characters.ts");
    expect(all).toContain("src/web/account/browser.ts");
    expect(all.length).toBeGreaterThan(150);
  });

  test(
    "take linear time",
    () => {
      const unique = Map.groupBy(findings.patterns, ({ source, flags }) => `/${source}/${flags}`);
      const faults = [...unique].flatMap(([name, alike]) => {
        const wrong = fault(alike[0]!);
        return wrong === null ? [] : alike.map(({ path }) => `${path} ${name} is ${wrong}`);
      });
      expect(faults).toEqual([]);
    },
    LIMIT_MS,
  );

  test("are composed at run time only by rules of languages", () => {
    expect(findings.composed.length).toBeGreaterThan(10);
    expect(findings.composed.filter((path) => !COMPOSING.test(path))).toEqual([]);
  });

  test("of the rules of English repeat nothing without end", () => {
    const endless = ENGLISH_RULES.filter(({ pattern }) => ENDLESS.test(outside(pattern.source)));
    expect(endless.map(({ name }) => name)).toEqual([]);
  });

  test("of the rules of Chinese repeat nothing without end where they are composed", () => {
    const written = new Set(findings.patterns.map(({ source }) => source));
    const sources = CHINESE_RULES.map(({ pattern }) => plain(pattern.source));
    const composed = sources.filter((source) => !written.has(source));
    expect(composed.length).toBeGreaterThan(5);
    expect(composed.filter((source) => ENDLESS.test(outside(source)))).toEqual([]);
  });
});

test.each([
  [String.raw`^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>"]+$`, ""],
  ["(?<=^|; *)svc_session", ""],
  [" +$", ""],
  ["(a|a)*b", ""],
])("the pattern %s is refused", (source, flags) => {
  expect(fault({ source, flags })).toMatch(/polynomial|exponential/);
});
