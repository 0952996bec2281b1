/** The licence that files beside a model state: a model card of Piper, or the head of a README as hubs have it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesAt } from "./file-list.ts";

/** The lines of a file that may state it. */
const BESIDE: [name: string, lines: (text: string) => string[]][] = [
  ["MODEL_CARD", (text) => text.split("\n")],
  ["README.md", headOf],
];

/** Between two lines of three hyphens, at the beginning. */
function headOf(text: string): string[] {
  const [first, ...rest] = text.split("\n").map((line) => line.trimEnd());
  const end = rest.indexOf("---");
  return first === "---" && end >= 0 ? rest.slice(0, end) : [];
}

/** The value of the first line "License: VALUE", which may be an item of a list. */
function statedIn(lines: string[]): string | null {
  for (const line of lines) {
    const [key = "", ...value] = line.split(":");
    const isLicense = /^(?:\* *)?licen[sc]e$/i.test(key.trim());
    if (isLicense && value.length > 0) return value.join(":").replaceAll(/["']/g, "").trim();
  }
  return null;
}

/** As cards write them; an SPDX identifier is its own. */
const NAMES: Record<string, string> = {
  cc0: "CC0-1.0",
  "cc0-1.0": "CC0-1.0",
  "cc-by-4.0": "CC-BY-4.0",
  "cc-by-sa-4.0": "CC-BY-SA-4.0",
  mit: "MIT",
  "apache-2.0": "Apache-2.0",
  "bsd-3-clause": "BSD-3-Clause",
  "public-domain": "LicenseRef-public-domain",
};

/** Null where they state none, or one that has no identifier. */
export function licenseBeside(path: string): { spdx: string; from: string } | null {
  const { root, files } = filesAt(path);
  for (const [name, lines] of BESIDE) {
    if (!files.includes(name)) continue;
    const stated = statedIn(lines(readFileSync(join(root, name), "utf8")));
    const spdx = stated && NAMES[stated.toLowerCase().replace(/[\s_]+/g, "-")];
    if (spdx) return { spdx, from: name };
  }
  return null;
}
