/** What edits of operators must do on every database: each leaves its event with who made it, and neither is there without the other. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { actingAs } from "../../src/audit/actor.ts";
import { type Audit, openAudit } from "../../src/audit/audit-events.ts";
import type { Database } from "../../src/db/database.ts";
import {
  auditedConversations,
  auditedPackageRequests,
  auditedUpstreams,
} from "../../src/server/audited-edits.ts";
import type { Definition } from "../../src/upstreams/definition.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const OPERATOR = { type: "operator", id: "user_1", email: "ada@example.com" } as const;
const UPSTREAM = {
  ...{ name: "gpu", preset: "vllm", urls: ["http://10.0.0.5:8000"], added: "2026-11-23" },
  models: [{ type: "stt", model: "gpu-stt", upstream_model: "whisper" }],
} as unknown as Definition;
const PACKAGE = { name: "little", variants: [""], licenseAccepted: true, changedMs: 1 };

export function operatorEditsContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, edits of operators`, () => {
    let fixture: AccountFixture;
    let database: Database;
    let audit: Audit;
    beforeEach(async () => {
      fixture = await prepare();
      database = await fixture.open();
      audit = openAudit(database, heldClock());
    });
    afterEach(async () => {
      await database[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const acting = <T>(work: () => Promise<T>) =>
      actingAs({ ...OPERATOR, address: null, userAgent: null }, work);
    const events = async () =>
      (await database.query.select().from(database.tables.auditEvent)).map(
        ({ type, resourceId, actorId, changes }) => [type, resourceId, actorId, JSON.parse(changes).length],
      );

    /** Each edit, and the events that it leaves. */
    const edits = (with_: Audit) => {
      const made = { database, audit: with_ };
      const [upstreams, conversations, packages] = [
        auditedUpstreams(made),
        auditedConversations(made),
        auditedPackageRequests(made),
      ];
      return {
        "upstream.updated": () => upstreams.put(UPSTREAM),
        "conversation.updated": () => conversations.put({ name: "support" }),
        "package.installed": () => packages.install(PACKAGE, "int8"),
        "package.removed": () => packages.remove({ ...PACKAGE, variants: null }, null),
        "conversation.deleted": () => conversations.delete("support"),
        "upstream.deleted": () => upstreams.delete("gpu"),
      };
    };
    const rows = async () => {
      const { query, tables } = database;
      const all = [tables.upstream, tables.conversation, tables.requestedPackage] as const;
      return Promise.all(all.map(async (table) => query.select().from(table as typeof tables.upstream)));
    };

    test("each leaves one event, with its actor", async () => {
      for (const edit of Object.values(edits(audit))) await acting(edit);
      expect((await events()).toSorted()).toEqual(
        [
          ["conversation.deleted", "support", "user_1", 0],
          ["conversation.updated", "support", "user_1", 0],
          ["package.installed", "little", "user_1", 1],
          ["package.removed", "little", "user_1", 0],
          ["upstream.deleted", "gpu", "user_1", 0],
          ["upstream.updated", "gpu", "user_1", 3],
        ].toSorted(),
      );
    });

    test("none is stored whose event cannot be", async () => {
      const { tables } = database;
      const elsewhere = { ...database, tables: { ...tables, auditEvent: tables.alias } };
      const failing = openAudit(elsewhere as unknown as Database, heldClock());
      const before = await rows();
      for (const [type, edit] of Object.entries(edits(failing))) {
        if (type.endsWith("deleted")) continue;
        await expect(acting(edit)).rejects.toThrow();
      }
      expect(await rows()).toEqual(before);
      await acting(edits(audit)["upstream.updated"]);
      const stored = await rows();
      await expect(acting(edits(failing)["upstream.deleted"])).rejects.toThrow();
      expect(await rows()).toEqual(stored);
    });

    test("deleting what is not there, and what the server writes of an upstream by itself, is no event", async () => {
      await acting(edits(audit)["upstream.deleted"]);
      await edits(audit)["upstream.updated"]();
      expect(await events()).toEqual([]);
    });
  });
}
