/** Promise: what a library links to is read from its file, whatever the file is. */
import { expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linkedLibraries } from "../../../src/engine/gpu/linked-libraries.ts";
import { installedRuntime } from "../../../src/engine/gpu/runtime.ts";
import { freshFolder } from "./stand-in.ts";

const runtime = installedRuntime();
const library =
  process.platform === "linux" && runtime?.libraries
    ? join(runtime.libraries, "onnxruntime_binding.node")
    : null;

test.skipIf(library === null)("the runtime's addon links to the runtime", () => {
  expect(linkedLibraries(library!)).toEqual(expect.arrayContaining(["libonnxruntime.so.1", "libc.so.6"]));
});

test.skipIf(library === null)("a damaged library links to nothing, or to what can be read", () => {
  const bytes = readFileSync(library!);
  const damaged = join(freshFolder(), "damaged.so");
  for (let seed = 1; seed <= 200; seed++) {
    const copy = Buffer.from(bytes);
    for (let at = 0; at < 64; at += 7) copy[at] = (copy[at]! * seed + at) & 0xff;
    writeFileSync(damaged, copy);
    truncateSync(damaged, Math.floor((bytes.length * seed) / 200));
    expect(Array.isArray(linkedLibraries(damaged))).toBe(true);
  }
});

test("a file that is no library links to nothing", () => {
  const path = join(freshFolder(), "text.so");
  writeFileSync(path, "no library");
  expect(linkedLibraries(path)).toEqual([]);
});
