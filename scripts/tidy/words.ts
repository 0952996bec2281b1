/** Names: none twice, none that needs a story, and some that belong to one file. */
import { basename } from "node:path";
import type { Node } from "oxc-parser";
import { folderOf, lineAt, nodesOf, type SourceFile } from "./project.ts";
import { eachFile, type Rule } from "./rule.ts";

/** A coined noun of earlier versions, and the field's word for it. */
const WORDS = new Map([
  ["shelf", "model store"],
  ["shelve", "storePackage"],
  ["workshop", "engine registry"],
  ["studio", "synthesizer"],
  ["recipe", "engine spec"],
  ["recipes", "engine specs"],
  ["books", "storage, batch or overview"],
  ["ear", "VAD stream"],
  ["ears", "VAD streams"],
  ["conductor", "session runner"],
  ["judge", "turn detector"],
  ["fare", "stream billing"],
  ["inbox", "frame queue"],
  ["patience", "timeouts"],
  ["hearing", "recognition"],
  ["hearer", "recognizer"],
  ["seal", "signature"],
  ["seals", "signatures"],
  ["notices", "webhooks"],
  ["tariff", "price"],
  ["lane", "thread or queue"],
  ["stranger", "what is unknown about the caller"],
  ["strangers", "what is unknown about the callers"],
  ["door", "what is opened: server, proxy, action"],
  ["doors", "what is opened: servers, proxies, actions"],
]);

/** No member that is used and no key of a literal, which may be the data of others. */
const isOurs = (node: Node, parent: Node): boolean =>
  !(parent.type === "MemberExpression" && parent.property === node) &&
  !(parent.type === "Property" && parent.key === node);

const wordsOf = (name: string): string[] => name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? [];

export const words: Rule = eachFile(({ path, text, tree }) => {
  const inPath = path.split(/[/.-]/).filter((word) => WORDS.has(word));
  const faults = inPath.map((word) => `is named ${word}: say ${WORDS.get(word)}`);
  for (const { node, parent } of nodesOf(tree)) {
    if (node.type !== "Identifier" && node.type !== "PrivateIdentifier") continue;
    const word = wordsOf(node.name).find((each) => WORDS.has(each.toLowerCase()));
    const instead = WORDS.get(word?.toLowerCase() ?? "");
    if (instead && isOurs(node, parent))
      faults.push(`line ${lineAt(text, node.start)}: ${node.name}: say ${instead}`);
  }
  return faults;
});

/**
 * Files of the same name where that says something: a route and a command are named after what they serve, both databases
 * and all families have the same parts, a task's two sides are called alike, and so are the texts of an area in each language.
 */
const SAME_NAME = [
  /^src\/(api\/v1|api\/management|cli|engine\/protocol|db\/(sqlite|postgres))\//,
  /^src\/web\/language\/[a-z]{2}\//,
  /^src\/(ledger|limits)\/(sqlite|postgres|redis|memory)\.ts$/,
  /^workers\/(tts|asr)\/[^/]+\//,
];

export const baseNames: Rule = (files) => {
  const named = files.filter(
    ({ path }) => /^(src|workers)\//.test(path) && !SAME_NAME.some((pattern) => pattern.test(path)),
  );
  const sides = Map.groupBy(
    named,
    ({ path }) => `${path.startsWith("src/web/") ? "web" : path.split("/")[0]} ${basename(path)}`,
  );
  return [...sides.values()]
    .filter((same) => same.length > 1)
    .map(
      (same) =>
        `${basename(same[0]!.path)} is in ${same.map(({ path }) => folderOf(path)).join(", ")}: one name, one meaning`,
    );
};

/** What one file owns, and what to do instead. */
const OWNED: [RegExp, string, string][] = [
  [/^Date\.now$/, "src/clock.ts", "take a Clock"],
  [/^process\.env$/, "src/config/config.ts", "take the Config"],
  [/^console\.\w+$/, "src/log/log.ts", "take a Log"],
  [/^lazy$/, "src/web/ui/code.tsx", "use part, which says so where the code cannot be fetched"],
];

export const owned: Rule = eachFile((file) =>
  /^(src|workers)\//.test(file.path) ? nodesOf(file.tree).flatMap(({ node }) => ownedAt(file, node)) : [],
);

function ownedAt({ path, text }: SourceFile, { type, start, end }: Node): string[] {
  if (type !== "MemberExpression" && type !== "ImportSpecifier") return [];
  const used = text.slice(start, end);
  const [, owner, instead] = OWNED.find(([name]) => name.test(used)) ?? [];
  return owner && path !== owner ? [`line ${lineAt(text, start)}: ${used} is ${owner}'s: ${instead}`] : [];
}

const TESTS = /^test(ing)?\//;

/** Where tests may wait for a time: in the functions that say why, and where a node must have time to fail. */
const WAITING = /^test\/(until|tidy\.test)\.ts|^test\/faults\//;

export const sleeps: Rule = eachFile(({ path, text }) =>
  TESTS.test(path) && !WAITING.test(path)
    ? [...text.matchAll(/\b(?:Bun\.sleep|setTimeout\(resolve)\b/g)].map(
        ({ 0: call, index }) =>
          `line ${lineAt(text, index)}: ${call}: wait for what happens with until, or say why with quietFor or takes (test/until.ts)`,
      )
    : [],
);

const MACHINE =
  /(?<![\w.])\/(?:work|home|root|Users|tmp)\/[\w.-]|registry\.npmjs|https?:\/\/[\w.-]*(?:artifactory|nexus)/;

export const machines: Rule = eachFile(({ path, text }) => {
  const match = TESTS.test(path) ? null : MACHINE.exec(text);
  return match ? [`names a place of one machine, ${match[0]}: say it without`] : [];
});
