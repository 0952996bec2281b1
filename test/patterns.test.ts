/** Promise: none of our patterns takes more than linear time on any text. */
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { Argument, Node } from "oxc-parser";
import type { Diagnostics } from "recheck";
import { nodesOf, readProject } from "../scripts/tidy/project.ts";
import { ENGLISH_RULES } from "../src/speech/text/english/english.ts";
import { CHINESE_RULES } from "../workers/g2p/chinese/numbers.ts";

const LIMIT_MS = 400_000;

type Pattern = { path: string; source: string; flags: string };
/** What the tree holds: patterns as they are written, and places that put one together while they run. */
type Findings = { patterns: Pattern[]; composed: string[] };

/**
 * Files that compose patterns of tables: rules; and those that repeat nothing: units of eSpeak NG's languages, scripts, words
 * that begin phrases.
 */
const COMPOSING =
  /^(src\/speech\/(text\/(english\/|amounts\/|every-language)|pronounceable\.ts)|workers\/g2p\/(chinese\/numbers|espeak-text)\.ts)/;
/** A sign of repetition without end, outside classes and escapes. */
const ENDLESS = /[*+]|\{\d+,\}/;

/** A program of the package, which takes a seventh of the time; where it has none for a platform, JavaScript. */
const PROGRAM = `recheck-${process.platform === "darwin" ? "macos" : process.platform}-${process.arch}`;
const hasProgram = existsSync(new URL(`../node_modules/${PROGRAM}`, import.meta.url));
process.env.RECHECK_BACKEND = hasProgram ? "native" : "pure";
const { check } = await import("recheck");

/** A pattern without its classes and escapes. */
const outside = (source: string) => source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, "-");

/** A pattern as it is written: Bun escapes characters beyond ASCII. */
const plain = (source: string) =>
  source.replace(/\\u([0-9A-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** What is wrong with a pattern, or null. The verdict does not depend on time: there is no limit but of steps. */
async function fault({ source, flags }: Pick<Pattern, "source" | "flags">): Promise<string | null> {
  if (!ENDLESS.test(outside(source))) return null;
  const limits = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };
  const diagnostics: Diagnostics = await check(source, flags, limits);
  if (diagnostics.status === "safe") return null;
  return diagnostics.status === "unknown"
    ? `unknown: ${diagnostics.error.kind}`
    : `${diagnostics.complexity.summary}: ${diagnostics.attack.pattern}`;
}

function patternsOf(): Findings {
  const findings: Findings = { patterns: [], composed: [] };
  for (const { path, tree } of readProject())
    if (/^(src|workers)\//.test(path)) for (const { node } of nodesOf(tree)) collect(path, node, findings);
  return findings;
}

function textOf(node: Argument | undefined): string | null {
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]!.value.cooked;
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : null;
}

function collect(path: string, node: Node, { patterns, composed }: Findings): void {
  if (node.type === "Literal" && "regex" in node)
    patterns.push({ path, source: node.regex.pattern, flags: node.regex.flags });
  if (node.type === "NewExpression" || node.type === "CallExpression") {
    const { callee, arguments: args } = node;
    if (callee.type !== "Identifier" || callee.name !== "RegExp") return;
    const source = textOf(args[0]);
    if (source === null) composed.push(path);
    else patterns.push({ path, source, flags: textOf(args[1]) ?? "" });
  }
  if (node.type === "Property" && node.key.type === "Identifier" && node.key.name === "pattern") {
    const source = node.value.type === "Literal" ? textOf(node.value) : null; // of a schema
    if (source !== null) patterns.push({ path, source, flags: "u" });
  }
}

describe("patterns", () => {
  let findings: Findings;
  beforeAll(() => {
    findings = patternsOf();
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
    async () => {
      const unique = Map.groupBy(findings.patterns, ({ source, flags }) => `/${source}/${flags}`);
      const faults: string[] = [];
      for (const [name, alike] of unique) {
        const wrong = await fault(alike[0]!);
        if (wrong !== null) faults.push(...alike.map(({ path }) => `${path} ${name} is ${wrong}`));
      }
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
])("the pattern %s is refused", async (source, flags) => {
  expect(await fault({ source, flags })).toMatch(/polynomial|exponential/);
});
