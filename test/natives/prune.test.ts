/** Promise: an installation without development packages keeps what a server opens on this platform, and its licences. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isPruned, prune } from "../../deploy/prune.mjs";
import { dependencies } from "../../package.json";

const { platform, arch } = process;
const runtime = (on: string) => `onnxruntime-node/bin/napi-v6/${on}/libonnxruntime`;

let modules: string;
beforeEach(() => {
  modules = mkdtempSync(join(tmpdir(), "loquat-prune-"));
});
afterEach(() => rmSync(modules, { recursive: true, force: true }));

function write(paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(modules, path)), { recursive: true });
    writeFileSync(join(modules, path), "");
  }
}
const left = (paths: string[]) => paths.filter((path) => existsSync(join(modules, path)));

test("binaries of other platforms go, this platform's stay", () => {
  const ours = [
    runtime(`${platform}/${arch}`),
    `better-sqlite3/prebuilds/${platform}-${arch}.node`,
    `@evan/opus/node/${arch}-${platform}.node`,
    "@evan/opus/node/index.js",
  ];
  const others = [
    runtime("plan9/x64"),
    runtime(`${platform}/mips`),
    "better-sqlite3/prebuilds/plan9-x64.node",
    "@evan/opus/node/x64-plan9.node",
  ];
  write([...ours, ...others]);
  prune(modules);
  expect(left([...ours, ...others])).toEqual(ours);
  expect(isPruned(modules)).toBe(true);
});

test("a package without a binary for this platform is left alone", () => {
  const other = "better-sqlite3/prebuilds/plan9-x64.node";
  write([other]);
  prune(modules);
  expect(left([other])).toEqual([other]);
});

test("declarations, source maps, texts and tools go; scripts, licences and packages of the server stay", () => {
  const kept = [
    "a/index.js",
    "a/LICENSE.md",
    "a/notice.md",
    ...Object.keys(dependencies).map((name) => `${name}/index.js`),
  ];
  const unread = [
    "a/index.d.ts",
    "a/index.d.mts",
    "a/index.js.map",
    "a/README.md",
    "typescript/lib/tsc.js",
    "bare-fs/index.js",
  ];
  write([...kept, ...unread]);
  prune(modules);
  expect(left([...kept, ...unread])).toEqual(kept);
});
