/** Promise: what is installed is offered, whether or not this version of the catalogue has it. */
import { expect, test } from "bun:test";
import { readConfig } from "../../../src/config/config.ts";
import { chooseRecognition } from "../../../src/models/choose.ts";
import { readPackages } from "../../../src/models/packages/package.ts";
import { catalogueReader } from "../../../src/models/store/installed-catalogue.ts";
import type { InstalledPackages } from "../../../src/models/store/model-store.ts";

const { folder } = readConfig({}).models;
const packages = readPackages(folder);

test.each(["parakeet-ctc-0.6b", "whisper-medium"])("%s, which is no longer offered", (name) => {
  const family = name.startsWith("whisper") ? "whisper-small" : "parakeet-tdt-0.6b-v2";
  const installed = { package: { ...packages.get(family)!, name } };
  const store: InstalledPackages = {
    installed: (asked) => (asked === name ? installed : null),
    list: () => [installed],
  };
  const catalogue = catalogueReader({ folder, weights: folder }, { store, embedded: () => new Set() })();
  const request = { model: "svc-stt1", language: "en", streaming: false };
  expect(chooseRecognition(catalogue, request).engine).toBe(name);
});
