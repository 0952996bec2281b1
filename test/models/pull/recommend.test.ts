/** Promise: recommended packages can be pulled, and fit the machine. */
import { expect, test } from "bun:test";
import { readConfig } from "../../../src/config.ts";
import { readPackages } from "../../../src/models/packages/package.ts";
import { recommended } from "../../../src/models/pull/recommend.ts";

const GIGABYTE = 2 ** 30;
const known = readPackages(readConfig({}).models.folder);

test.each([
  ["a small board", { cores: 2, memoryBytes: 2 * GIGABYTE, gpu: false }, "whisper-tiny"],
  ["a laptop", { cores: 2, memoryBytes: 4 * GIGABYTE, gpu: false }, "whisper-base"],
  ["a server", { cores: 16, memoryBytes: 64 * GIGABYTE, gpu: false }, "parakeet-tdt-0.6b-v3"],
  ["a machine with a GPU", { cores: 8, memoryBytes: 16 * GIGABYTE, gpu: true }, "whisper-large-v3-turbo"],
])("the recommended packages fit %s", (_name, machine, vadStream) => {
  const names = recommended(known.values(), machine);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(names.filter((name) => known.get(name)!.license.acceptance)).toEqual([]); // one command, no question
  expect(names).toContain(vadStream);
  expect(names).toContain("silero-vad");
  expect(names.some((name) => known.get(name)!.family === "kokoro")).toBe(true);
});
