/** Promise: the lock file has the packages of every platform, each with its hash, and the version of Node.js that is said is theirs. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

type Entry = {
  version: string;
  integrity?: string;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
  engines?: { node?: string };
};

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const packages: Record<string, Entry> = JSON.parse(read("package-lock.json")).packages;
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
const names = new Set(Object.keys(packages).map(nameOf));

/** Their registry entries could not be read where the lock file was written. */
const WITHOUT_HASH = ["darwin-arm64", "darwin-x64", "linux-arm64", "win32-x64"].map(
  (platform) => `sentencex-${platform}`,
);

test("every optional package of every platform has its entry", () => {
  const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(optional.length).toBeGreaterThan(50);
  expect(optional.filter((name) => !names.has(name))).toEqual([]);
});

test("every package has the hash of its content", () => {
  const without = Object.entries(packages).filter(([path, { integrity }]) => path !== "" && !integrity);
  expect(without.map(([path]) => nameOf(path)).sort()).toEqual(WITHOUT_HASH);
});

test("the version of Node.js that is said is the first that every package of the server accepts", () => {
  const { "": loquat, ...others } = packages;
  const first = (range: string) =>
    Math.max(...[...range.matchAll(/>=\s?(\d{1,3})/g)].map(([, major]) => Number(major)));
  const needed = Object.values(others)
    .filter(({ dev }) => !dev)
    .map(({ engines }) => engines?.node ?? "")
    .filter((range) => /^>=\s?\d/.test(range))
    .map(first);
  const major = Math.max(...needed);
  expect(loquat!.engines!.node).toBe(`>=${major}`);
  for (const page of ["README.md", "docs/own-server.md"])
    expect(read(page)).toContain(`Node.js ${major} or Bun`);
});
