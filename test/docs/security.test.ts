/** Promise: SECURITY.md promises nothing without naming the tests that hold it, and each of those exists and runs. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const page = read("SECURITY.md");
const section = page.split("## What is promised")[1]!.split("\n## ")[0]!;
const PROMISES: [name: string, text: string][] = section
  .split(/\n(?=\*\*)/)
  .slice(1)
  .map((text) => [/^\*\*([^*]+?)\.?\*\*/.exec(text)![1]!, text]);
const named = (text: string) => [...text.matchAll(/^- `([^`]+)`: \S/gm)].map(([, what]) => what!);

/** Every test file, and the contracts that test files run. */
const tests = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => `test/${path}`);

/** Whether `bun test` runs it: by itself, or by a file that imports it, or by one that imports that. */
function runs(path: string, depth = 0): boolean {
  if (path.endsWith(".test.ts")) return true;
  const isImported = (by: string) => read(by).includes(`/${basename(path)}"`);
  const contracts = readdirSync(join(ROOT, "test/contract"), { recursive: true, encoding: "utf8" })
    .filter((each) => each.endsWith(".ts"))
    .map((each) => `test/contract/${each}`);
  return (
    tests.some(isImported) ||
    (depth < 2 && contracts.some((each) => each !== path && isImported(each) && runs(each, depth + 1)))
  );
}

/** Its own, or those of a contract that it runs. */
const hasTests = (path: string) => /\btest(?:\.\w+)?\(|Contract\(/.test(read(path));

test("there are promises, each with a name", () => {
  expect(PROMISES.length).toBeGreaterThan(7);
  expect(new Set(PROMISES.map(([name]) => name)).size).toBe(PROMISES.length);
});

/** Source files that listen, and the rows of the table of ports that say who may use what they open. */
const LISTENING: Record<string, string[]> = {
  "src/server/network.ts": ["`PORT`"],
  "src/server/plain-http.ts": ["`PORT` with `--lan`"],
  "src/server/engine-node/engine-port.ts": ["`PORT` with `LOQUAT_ROLE=engine`"],
  "src/server/metrics-port.ts": ["`LOQUAT_METRICS_PORT`"],
  "src/wyoming/listener.ts": ["`LOQUAT_WYOMING_PORT`"],
  "src/wyoming/announcement.ts": ["UDP 5353, while Wyoming's is open"],
};
const LISTENS =
  /Bun\.(serve|listen|udpSocket)[(<]|\b(createServer|createSocket|getResponder)\(|\bapp\.listen\(/;

test("every port has its row, with who may use it and how it is bounded", () => {
  const files = ["src", "workers"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => `${folder}/${path}`),
  );
  expect(files.filter((path) => LISTENS.test(read(path))).sort()).toEqual(Object.keys(LISTENING).sort());
  const table = section.split("\n").filter((line) => line.startsWith("| "));
  const ports = table.map((line) => line.split("|")[1]!.trim()).filter((name) => !/^(Port|-+)$/.test(name));
  expect(ports.sort()).toEqual(Object.values(LISTENING).flat().sort());
});

describe.each(PROMISES)("%s", (_name, text) => {
  test("names tests, which exist and run", () => {
    expect(text).toContain("_Tested by_");
    const paths = named(text);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths.filter((each) => !each.startsWith("npm "))) {
      expect({ path, exists: existsSync(join(ROOT, path)) }).toEqual({ path, exists: true });
      expect({ path, hasTests: hasTests(path) }).toEqual({
        path,
        hasTests: true,
      });
      expect({ path, runs: runs(path) }).toEqual({ path, runs: true });
    }
  });

  test("names benchmarks that there are", () => {
    const benches = read("bench/main.ts");
    for (const command of named(text).filter((each) => each.startsWith("npm ")))
      expect(benches).toContain(`  ${command.replace("npm run bench -- ", "")}: `);
  });
});
