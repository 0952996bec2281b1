/** What conversations must do on every database: kept, checked, followed by every node, one of them the default, removed. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Database } from "../../src/db/database.ts";
import { openConversationRows } from "../../src/db/queries/conversation-rows.ts";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import { conversationFrom } from "../../src/models/conversation.ts";
import { openConversationAdmin } from "../../src/models/conversation-admin.ts";
import { readManifests } from "../../src/models/manifest.ts";
import { readPackages } from "../../src/models/packages/package.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const { folder } = readConfig({}).models;
const packages = readPackages(folder);
const catalogue = buildCatalogue(readManifests(folder, packages.keys()), () => true, [...packages.values()]);
const parts = {
  catalogue,
  languageModels: () => [
    { id: "qwen3-8b", theirs: "qwen3:8b" },
    { id: "tiny", theirs: "tiny" },
  ],
};

export function conversationContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, conversations`, () => {
    let fixture: AccountFixture;
    let database: Database;

    beforeEach(async () => {
      fixture = await prepare();
      database = await fixture.open();
    });
    afterEach(async () => {
      await database[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const node = () => openConversationAdmin(openConversationRows(database), parts);
    const names = (admin: ReturnType<typeof node>) =>
      admin.current().map(({ name, isDefault }) => (isDefault ? `${name} by default` : name));

    test("one is in force at once, and on other nodes once they look, as it was written", async () => {
      const [one, other] = [node(), node()];
      const support = {
        ...{ name: "support", llm: "qwen3-8b", stt: "svc-stt1", tts: "svc-tts1", voice: "female-warm" },
        ...{ instructions: "Sei 'freundlich', ❤.\n", greeting: "Hello, this is Ada.", interruption_ms: 0 },
        ...{ max_output_tokens: 200, backchannels: true, resume: false, speculate: "off" as const },
      };
      expect(await one.put({ ...support, llm: "qwen3:8b" })).toEqual({ ...support, isDefault: true });
      expect(other.current()).toEqual([]);
      expect(await other.refresh()).toEqual([]);
      expect(other.current()).toEqual([{ ...support, isDefault: true }]);
      expect(await other.put({ name: "bare" })).toEqual({
        ...conversationFrom({ name: "bare" }),
        isDefault: false,
      });
    });

    test("definitions are read only once something has changed", async () => {
      const rows = openConversationRows(database);
      let reads = 0;
      const list = () => {
        reads++;
        return rows.list();
      };
      const [reader, writer] = [openConversationAdmin({ ...rows, list }, parts), node()];
      const readsOf = async (change: () => Promise<unknown>) => {
        await change();
        const before = reads;
        for (let time = 0; time < 3; time++) await reader.refresh();
        return reads - before;
      };
      expect(await readsOf(async () => {})).toBe(0);
      for (const change of [
        () => writer.put({ name: "support", instructions: "Be kind." }),
        () => writer.put({ name: "support", instructions: "Be rude." }),
        () => writer.put({ name: "night" }),
        () => writer.setDefault("night"),
        () => writer.remove("support"),
      ])
        expect(await readsOf(change)).toBe(1);
      expect(reader.current()).toEqual(writer.current());
    });

    test("one is the default: the first, then the one that is made it, then the first that is left", async () => {
      const [one, other] = [node(), node()];
      for (const name of ["support", "sales", "night"]) await one.put({ name });
      expect(names(one)).toEqual(["night", "sales", "support by default"]);
      expect(await other.setDefault("sales")).toBe(true);
      expect(await other.setDefault("unknown")).toBe(false);
      await one.put({ name: "sales", greeting: "Hi." });
      expect(names(one)).toEqual(["night", "sales by default", "support"]);
      expect(await one.remove("sales")).toBe(true);
      expect(await one.remove("sales")).toBe(false);
      await other.refresh();
      expect(names(other)).toEqual(["night by default", "support"]);
      await other.remove("night");
      await other.remove("support");
      await one.refresh();
      expect(one.current()).toEqual([]);
    });

    test("what is wrong is refused by its field and not stored; what another version wrote is left out", async () => {
      const admin = node();
      await admin.put({ name: "support" });
      const rows = openConversationRows(database);
      await rows.put({ name: "new", speculate: "later" } as { name: string });
      await rows.setDefault("new");
      expect(await admin.refresh()).toEqual(["new: speculate must be one of auto, on, off."]);
      expect(await admin.refresh()).toEqual([]);
      await admin.put({ name: "support" });
      expect(names(admin)).toEqual(["support"]);
      const before = await rows.list();
      for (const [fields, message] of REFUSED)
        await expect(admin.put({ name: "other", ...fields })).rejects.toThrow(message);
      expect(await rows.list()).toEqual(before);
      expect(await admin.remove("new")).toBe(true);
      expect(names(admin)).toEqual(["support by default"]);
    });
  });
}

const REFUSED: [object, string][] = [
  [{ name: "Two words" }, "name"],
  [{ name: "svc-stt1" }, "name is the name of a model already"],
  [{ llm: "gone" }, "llm is gone. Language models: qwen3-8b, tiny"],
  [{ stt: "svc-tts1" }, "stt cannot be used: svc-tts1 is not an STT model"],
  [{ tts: "svc-stt1" }, "tts cannot be used: svc-stt1 is not a TTS model"],
  [{ voice: "unknown" }, "voice cannot be used: There is no voice unknown"],
  [{ greeting: "" }, "greeting is empty"],
  [{ interruption_ms: 2001 }, "interruption_ms must be from 0 to 2000, not 2001"],
  [{ speculate: "maybe" }, "speculate must be one of auto, on, off"],
];
