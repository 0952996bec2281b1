/** What aliases must do on every database: the operator's own are kept, checked, followed by every node, and undone. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Database } from "../../src/db/database.ts";
import { openAliasRows } from "../../src/db/queries/alias-rows.ts";
import { type AliasAdmin, openAliasAdmin } from "../../src/models/alias-admin.ts";
import { type Alias, type AliasKind, readAliases } from "../../src/models/aliases.ts";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import { readManifests } from "../../src/models/manifest.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const { folder } = readConfig({}).models;
const shipped = readAliases(folder);
const catalogue = buildCatalogue(readManifests(folder), (engine) => ["flite", "sphinx"].includes(engine));

export function aliasContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, aliases`, () => {
    let fixture: AccountFixture;
    let database: Database;
    let aliases: AliasAdmin;

    beforeEach(async () => {
      fixture = await prepare();
      database = await fixture.open();
      aliases = await node();
    });
    afterEach(async () => {
      await database[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const node = () => openAliasAdmin({ store: openAliasRows(database), shipped, catalogue, aac: true });
    const model = (fields: Partial<Alias> = {}): Alias => ({
      ...{ kind: "model", name: "mine", targets: ["svc-tts1"], format: null },
      ...fields,
    });
    const found = (name: string, kind: AliasKind = "model", from = aliases) =>
      from.current().find((each) => each.name === name && each.kind === kind);

    test("aliases start as shipped", () => {
      expect(aliases.current()).toHaveLength(shipped.length);
      expect(found("tts-1")).toMatchObject({ source: "shipped", format: "mp3" });
    });

    test("of the operator are in force at once, at the next start, and on other nodes once they look", async () => {
      const other = await node();
      const before = other.current();
      await aliases.set(model({ name: " TTS-1 ", targets: ["svc-tts2", "svc-tts1"], format: "wav" }));
      const saved = { targets: ["svc-tts2", "svc-tts1"], format: "wav", source: "changed" };
      expect(found("tts-1")).toMatchObject(saved);
      expect(other.current()).toBe(before);
      await other.refresh();
      expect(found("tts-1", "model", other)).toMatchObject(saved);
      expect(found("tts-1", "model", await node())).toMatchObject(saved);
      const same = other.current();
      await other.refresh();
      expect(other.current()).toBe(same);
    });

    test("of one name replace each other; a model and a voice may share one", async () => {
      await aliases.set(model());
      await aliases.set(model({ targets: ["svc-tts2"] }));
      await aliases.set(model({ kind: "voice", targets: ["male-deep"] }));
      expect(found("mine")).toMatchObject({ targets: ["svc-tts2"], source: "own" });
      expect(found("mine", "voice")).toMatchObject({ targets: ["male-deep"] });
    });

    test("are removed: shipped ones are switched off, and come back with a reset", async () => {
      await aliases.set(model());
      expect(await aliases.remove("model", "mine")).toBe(true);
      expect(found("mine")).toBeUndefined();
      expect(await aliases.remove("model", "")).toBe(true);
      expect(found("")).toMatchObject({ targets: [], source: "changed" });
      expect(await aliases.reset("model", "")).toBe(true);
      expect(found("")).toMatchObject({ targets: ["svc-stt1"], source: "shipped" });
      expect(await aliases.remove("model", "nobody")).toBe(false);
      expect(await aliases.reset("voice", "nobody")).toBe(false);
    });

    test("all aliases are reset together", async () => {
      await aliases.set(model());
      await aliases.remove("voice", "alloy");
      await aliases.resetAll();
      expect(aliases.current()).toHaveLength(shipped.length);
      expect(found("alloy", "voice")?.source).toBe("shipped");
    });

    test("are refused where the catalogue has no such thing, and nothing is stored", async () => {
      await expect(aliases.set(model({ targets: ["svc-tts9"] }))).rejects.toMatchObject({
        code: "validation_error",
        param: "targets",
      });
      expect((await node()).current()).toHaveLength(shipped.length);
    });
  });
}
