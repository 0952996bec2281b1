/** How long files and functions may be, how many parameters, how deep and how full folders. */
import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isSetAccessorDeclaration,
  type Node,
  type SignatureDeclaration,
} from "typescript/unstable/ast";
import { lineAt, nodesOf, type SourceFile } from "./project.ts";
import { eachFile, type Rule } from "./rule.ts";

const FILE_LINES = 300;
const FUNCTION_LINES = 60;
const PARAMETERS = 3;
const FOLDERS_BELOW_THE_TOP = 3;

const KINDS = [
  isFunctionDeclaration,
  isFunctionExpression,
  isArrowFunction,
  isMethodDeclaration,
  isConstructorDeclaration,
  isGetAccessorDeclaration,
  isSetAccessorDeclaration,
];

/** A function with a body: declared, a method, an arrow, in whatever place. */
const functionsOf = ({ tree }: SourceFile): (Node & SignatureDeclaration)[] =>
  [...nodesOf(tree)].filter((node) => KINDS.some((is) => is(node))) as (Node & SignatureDeclaration)[];

function linesOf({ text, tree }: SourceFile, node: Node): { first: number; count: number } {
  const first = lineAt(text, node.getStart(tree));
  return { first, count: lineAt(text, node.end) - first + 1 };
}

export const fileLines: Rule = eachFile(({ text }) => {
  const count = text.split("\n").length - 1;
  return count > FILE_LINES ? [`has ${count} lines, ${FILE_LINES} at most: split it by what it knows`] : [];
});

/** What a test's function is given to: `describe`, `test` and their tables. */
function callOf({ path }: SourceFile, { parent }: Node): string {
  const isCall = path.startsWith("test/") && parent !== undefined && isCallExpression(parent);
  return isCall ? parent.expression.getText() : "";
}

/** A suite of tests is one function, and reads like a list. */
const isSuite = (file: SourceFile, node: Node): boolean =>
  file.path.startsWith("test/contract/") || /^describe\b/.test(callOf(file, node));

export const functionLines: Rule = eachFile((file) =>
  functionsOf(file).flatMap((node) => {
    const { first, count } = linesOf(file, node);
    return count > FUNCTION_LINES && !isSuite(file, node)
      ? [`line ${first}: a function of ${count} lines, ${FUNCTION_LINES} at most: name its parts`]
      : [];
  }),
);

/** Implements functions whose parameters WASI fixes. */
const FOREIGN_SIGNATURES = "workers/tts/flite/wasi.ts";

export const parameters: Rule = eachFile((file) =>
  functionsOf(file).flatMap((node) =>
    node.parameters.length > PARAMETERS &&
    file.path !== FOREIGN_SIGNATURES &&
    !/\.each\b/.test(callOf(file, node)) // a row has as many as it has columns
      ? [
          `line ${linesOf(file, node).first}: ${node.parameters.length} parameters, ${PARAMETERS} at most: take an object`,
        ]
      : [],
  ),
);

export const opening: Rule = eachFile(({ text }) =>
  /^(#!.*\n)?\/\*\*/.test(text) ? [] : ["opens without a doc comment: say what it owns"],
);

export const place: Rule = eachFile(({ path }) => {
  if (/\/(utils?|helpers?|common|types|misc)(\/|\.tsx?$)/.test(path))
    return ["is a drawer for anything: name what it holds"];
  if (/\/index\.tsx?$/.test(path)) return ["is a barrel: import from the file that owns the name"];
  return path.split("/").length > FOLDERS_BELOW_THE_TOP + 2
    ? [`lies too deep: ${FOLDERS_BELOW_THE_TOP} folders below the top at most`]
    : [];
});
