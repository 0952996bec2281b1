/** The TypeScript of this repository as syntax trees, and files that only exist in memory as the same. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EcmaScriptModule, type Node, type Program, parseSync, visitorKeys } from "oxc-parser";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = new Bun.Glob("{src,workers,scripts,testing,test,bench,deploy}/**/*.{ts,tsx,mts}");

/** `path` is relative to the repository; `imports` are specifiers as they are written. */
export type SourceFile = { path: string; text: string; tree: Program; imports: string[] };

export const readProject = (): SourceFile[] =>
  [...SOURCES.scanSync({ cwd: ROOT })].map((path) => parseFile(path, readFileSync(join(ROOT, path), "utf8")));

export function parseFile(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text, { astType: "ts" });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  return { path, text, tree: program, imports: importsOf(module, text) };
}

/** The specifiers of static, type-only and dynamic imports, and of exports from other files. */
function importsOf(
  { staticImports, staticExports, dynamicImports }: EcmaScriptModule,
  text: string,
): string[] {
  const exported = staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest));
  const literals = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...exported.flatMap((request) => (request ? [request.value] : [])),
    ...literals.filter((literal) => /^["']/.test(literal)).map((literal) => literal.slice(1, -1)),
  ];
}

/** Every node of a tree with its parent, in the order of the text. */
export function nodesOf(tree: Program): { node: Node; parent: Node }[] {
  const nodes: { node: Node; parent: Node }[] = [];
  const visit = (parent: Node) => {
    for (const key of visitorKeys[parent.type] ?? [])
      for (const node of [Reflect.get(parent, key)].flat())
        if (isNode(node)) {
          nodes.push({ node, parent });
          visit(node);
        }
  };
  visit(tree);
  return nodes;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value;

export const folderOf = (path: string): string => dirname(path);

/** The line of a position, from 1. */
export const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length;
