/** What definitions of upstreams must do on every database: kept, checked, followed by every node, and removed. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Database } from "../../src/db/database.ts";
import { openUpstreamRows } from "../../src/db/queries/upstream-rows.ts";
import { openUpstreamAdmin } from "../../src/upstreams/edits.ts";
import { openUpstreamSet } from "../../src/upstreams/upstreams.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const { folder } = readConfig({}).models;

export function upstreamContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, upstreams`, () => {
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

    const node = () => {
      const set = openUpstreamSet(folder);
      return { set, admin: openUpstreamAdmin(openUpstreamRows(database), set) };
    };
    const definition = (fields: object = {}) => ({
      ...{ name: "gpu", preset: "vllm", urls: ["http://10.0.0.5:8000"], credential: { env: "GPU_KEY" } },
      ...{ flags: { max_in_flight: 4, timeouts: { whole_ms: 9000 } }, added: "2026-11-23" },
      models: [
        { type: "stt", model: "gpu-stt", upstream_model: 'Ünï/whisper "large"', languages: ["en", "de"] },
      ],
      ...fields,
    });
    const names = ({ set }: ReturnType<typeof node>) => set.list().map(({ definition: { name } }) => name);

    test("an upstream is in force at once, and on other nodes once they look, as it was written", async () => {
      const [one, other] = [node(), node()];
      await one.admin.put(definition());
      expect(one.set.find("gpu/gpu-stt")?.preset.max_in_flight).toBe(4);
      expect(names(other)).toEqual([]);
      expect(await other.admin.refresh()).toEqual([]);
      expect(other.set.list().map((each) => each.definition as object)).toEqual([definition()]);
      expect(other.set.find("gpu/gpu-stt")?.preset.timeouts.whole_ms).toBe(9000);
    });

    test("one of the same name replaces it, and a removed one is gone on every node", async () => {
      const [one, other] = [node(), node()];
      await one.admin.put(definition());
      await one.admin.put(definition({ name: "another" }));
      await one.admin.put(definition({ urls: ["http://10.0.0.6:8000"] }));
      await other.admin.refresh();
      expect(names(other)).toEqual(["another", "gpu"]);
      expect(other.set.find("gpu/gpu-stt")?.definition.urls).toEqual(["http://10.0.0.6:8000"]);
      expect(await other.admin.remove("gpu")).toBe(true);
      expect(await other.admin.remove("gpu")).toBe(false);
      await one.admin.refresh();
      expect(names(one)).toEqual(["another"]);
    });

    test("what is wrong is refused by its field and not stored; what another version wrote is left out", async () => {
      const { set, admin } = node();
      await expect(admin.put(definition({ models: [] }))).rejects.toThrow("models");
      await expect(admin.put(definition({ preset: "of-the-future" }))).rejects.toThrow(
        "preset must be one of",
      );
      await openUpstreamRows(database).put(definition({ preset: "of-the-future" }));
      expect(await admin.refresh()).toEqual([expect.stringContaining("preset must be one of")]);
      expect(set.list()).toEqual([]);
    });
  });
}
