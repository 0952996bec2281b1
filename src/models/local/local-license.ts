/** The licence that files beside a model state: a model card of Piper, or the head of a README as hubs have it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesAt } from "./file-list.ts";

const BESIDE: [name: string, pattern: RegExp][] = [
  ["MODEL_CARD", /^\s*\*?\s*licen[sc]e:\s*(.+?)\s*$/im],
  ["README.md", /^---\n[\s\S]*?^license:\s*["']?([\w. -]+?)["']?\s*$[\s\S]*?^---$/im],
];

/** As cards write them; an SPDX identifier is its own. */
const NAMES: Record<string, string> = {
  cc0: "CC0-1.0",
  "cc0-1.0": "CC0-1.0",
  "cc-by-4.0": "CC-BY-4.0",
  "cc-by-sa-4.0": "CC-BY-SA-4.0",
  mit: "MIT",
  "apache-2.0": "Apache-2.0",
  "bsd-3-clause": "BSD-3-Clause",
};

/** Null where they state none, or one that has no identifier. */
export function licenseBeside(path: string): { spdx: string; from: string } | null {
  const { root, files } = filesAt(path);
  for (const [name, pattern] of BESIDE) {
    if (!files.includes(name)) continue;
    const stated = pattern.exec(readFileSync(join(root, name), "utf8"))?.[1];
    const spdx = stated && NAMES[stated.toLowerCase().replace(/[\s_]+/g, "-")];
    if (spdx) return { spdx, from: name };
  }
  return null;
}
