/** Promise: a live session gets a model that supports it, or a refusal that names those that do. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import { chooseRealtime } from "../../src/models/choose.ts";
import { type Manifest, readManifests } from "../../src/models/manifest.ts";
import { readPackages } from "../../src/models/packages/package.ts";

const folder = fileURLToPath(new URL("../../models", import.meta.url));
const manifests = readManifests(folder);
const packages = [...readPackages(folder).values()];
const [recognition] = manifests.filter((manifest) => manifest.type === "stt");

/** The same recogniser as another model, for files only. */
const filesOnly: Manifest = {
  ...recognition!,
  model: "svc-files",
  recognition: {
    ...recognition!.recognition,
    engines: recognition!.recognition.engines.map((engine) => ({ ...engine, uses: ["batch"] })),
  },
};
const catalogue = (installed: boolean) =>
  buildCatalogue([filesOnly, ...manifests], () => installed, packages);
const choose = (model: string | null, installed = true) =>
  chooseRealtime(catalogue(installed), { model, language: null }).model;

test("without a named model, the first that supports live sessions is used", () => {
  expect(choose(null)).toBe("svc-stt1");
});

test("a model without realtime support is refused, with the models that support it", () => {
  const refused = expect(() => choose("svc-files"));
  refused.toThrow(expect.objectContaining({ code: "realtime_not_supported", param: "model" }));
  expect(() => choose("svc-files")).toThrow(/svc-files .*svc-stt1/);
});

test.each([
  ["svc-tts1", "invalid_model"],
  ["unknown", "invalid_model"],
])("for a live session, %s is %s", (model, code) => {
  expect(() => choose(model)).toThrow(expect.objectContaining({ code }));
});

test("a listed model that is not installed is unavailable", () => {
  expect(() => choose(null, false)).toThrow(expect.objectContaining({ code: "model_unavailable" }));
});
