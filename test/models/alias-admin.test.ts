/** Promise: an alias that cannot work is refused by its field. */
import { beforeEach, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { type AliasAdmin, type AliasStore, openAliasAdmin } from "../../src/models/alias-admin.ts";
import { type Alias, readAliases } from "../../src/models/aliases.ts";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import { readManifests } from "../../src/models/manifest.ts";

const { folder } = readConfig({}).models;
const shipped = readAliases(folder);
const catalogue = buildCatalogue(readManifests(folder), (engine) => ["flite", "sphinx"].includes(engine));

/** In memory: the databases have their own contract. */
function memory(rows = new Map<string, Alias>()): AliasStore {
  return {
    list: async () => [...rows.values()],
    put: async (alias) => void rows.set(alias.name, alias),
    delete: async ({ name }) => void rows.delete(name),
    clear: async () => rows.clear(),
  };
}

let store: AliasStore;
let aliases: AliasAdmin;
beforeEach(async () => {
  store = memory();
  aliases = await openAliasAdmin({ store, shipped, catalogue, aac: true });
});
const model = (fields: Partial<Alias> = {}): Alias => ({
  ...{ kind: "model", name: "mine", targets: ["svc-tts1"], format: null },
  ...fields,
});

test.each<[string, Partial<Alias>]>([
  ["name", { name: "svc-stt1" }],
  ["name", { name: "a\u0007b" }],
  ["name", { name: "x".repeat(257) }],
  ["name", { kind: "voice", name: "", targets: ["male-deep"] }],
  ["name", { kind: "voice", name: "male-deep", targets: ["female-warm"] }],
  ["targets", { targets: [] }],
  ["targets", { targets: Array(11).fill("svc-tts1") }],
  ["targets", { targets: ["svc-tts9"] }],
  ["targets", { targets: ["svc-tts1", "svc-stt1"] }],
  ["targets", { targets: ["male-deep"] }],
  ["targets", { kind: "voice", targets: ["svc-tts1"] }],
  ["targets", { kind: "session", targets: ["svc-tts1"] }],
  ["response_format", { format: "midi" }],
  ["response_format", { targets: ["svc-stt1"], format: "mp3" }],
  ["response_format", { targets: ["svc-stt1"], format: "aac" }],
  ["response_format", { kind: "voice", targets: ["male-deep"], format: "aac" }],
])("a wrong %s, case %#", async (field, fields) => {
  await expect(aliases.set(model(fields))).rejects.toMatchObject({ code: "validation_error", param: field });
  expect(aliases.current()).toHaveLength(shipped.length);
});

test("AAC may be the default of a model's alias where FFmpeg is installed, and the error names it elsewhere", async () => {
  expect(await aliases.set(model({ format: "aac" }))).toMatchObject({ format: "aac" });
  const without = await openAliasAdmin({ store: memory(), shipped, catalogue, aac: false });
  await expect(without.set(model({ format: "aac" }))).rejects.toMatchObject({
    ...{ code: "validation_error", param: "response_format" },
    message: expect.stringContaining("needs FFmpeg"),
  });
});

test("an operator may have a thousand aliases, and not more", async () => {
  for (let at = 0; at < 1000; at++) await store.put(model({ name: `n${at}` }));
  await aliases.refresh();
  await expect(aliases.set(model())).rejects.toMatchObject({ code: "validation_error", param: "name" });
  expect(await aliases.set(model({ name: "n7", targets: ["svc-tts2"] }))).toMatchObject({ source: "own" });
});
