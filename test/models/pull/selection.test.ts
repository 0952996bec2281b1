/** Promise: a name that an earlier version of the catalogue had still stands for something. */
import { expect, test } from "bun:test";
import { readConfig } from "../../../src/config/config.ts";
import { readPackages } from "../../../src/models/packages/package.ts";
import { selectPackages } from "../../../src/models/pull/selection.ts";
import type { ModelStore } from "../../../src/models/store/model-store.ts";

const packages = readPackages(readConfig({}).models.folder);
const machine = { cores: 4, memoryBytes: 8 * 2 ** 30, gpu: false };
const empty: ModelStore = { installed: () => null, list: () => [], damaged: () => new Map() };
const namesOf = (names: string[], store = empty) =>
  selectPackages(names, { packages, machine, store, speedOf: () => null }).map(({ name }) => name);

test.each([
  ["parakeet-ctc-0.6b", "parakeet-tdt-0.6b-v2"],
  ["parakeet-rnnt-0.6b", "parakeet-tdt-0.6b-v2"],
  ["whisper-small.en", "whisper-small"],
  ["whisper-medium", "whisper-large-v3-turbo"],
  ["whisper-medium.en", "whisper-large-v3-turbo"],
])("%s, which is no longer offered, stands for %s", (name, successor) => {
  expect(packages.has(name)).toBe(false);
  expect(namesOf([name])).toEqual([successor]);
});

test("it is selected once beside its successor, and as itself where it is installed", () => {
  expect(namesOf(["whisper-medium", "whisper-large-v3-turbo"])).toEqual(["whisper-large-v3-turbo"]);
  const medium = { ...packages.get("whisper-small")!, name: "whisper-medium" };
  const installed = { package: medium, folder: "/nowhere" };
  const store: ModelStore = {
    installed: (name) => (name === "whisper-medium" ? installed : null),
    list: () => [installed],
    damaged: () => new Map(),
  };
  expect(namesOf(["whisper-medium"], store)).toEqual(["whisper-medium"]);
});

test("a name that no version had is refused", () => {
  expect(() => namesOf(["whisper-huge"])).toThrow("There is no package whisper-huge");
  expect(() => namesOf(["constructor"])).toThrow("There is no package constructor");
});
