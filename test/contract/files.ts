/** What files must do on every database: each project has its own, whole or not at all, and nothing is left of what ended. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAccounts } from "../../src/accounts/accounts.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Database } from "../../src/db/database.ts";
import { openAllowance } from "../../src/limits/allowance.ts";
import { openLog } from "../../src/log/log.ts";
import { machineLimits } from "../../src/plans.ts";
import { type OwnFiles, openOwnFiles } from "../../src/server/own-files.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";
import { twoOrganizations } from "./two-organizations.ts";

const PLACE = { purpose: null, after: null, limit: 10, order: "desc" } as const;
const NAMED = { purpose: "user_data", filename: "a.wav" } as const;
const HOUR_MS = 3_600_000;

export function fileContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, files`, () => {
    const clock = heldClock();
    const folder = mkdtempSync(join(tmpdir(), "loquat-file-contract-"));
    let database: Database;
    let [mine, theirs] = ["", ""];
    let own: OwnFiles | null = null;
    const config = readConfig({ LOQUAT_DATA: folder });
    const ledger = { credit: async () => ({ purchasedMicros: 0 }) };
    const allowance = openAllowance({ ledger, machine: machineLimits(config) });

    twoOrganizations(prepare, clock, (two) => {
      ({ database, mine, theirs } = two);
      rmSync(folder, { recursive: true, force: true });
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    /** What a node opens. */
    async function open(): Promise<OwnFiles> {
      const accounts = openAccounts(database, clock);
      own = await openOwnFiles(config, {
        database,
        accounts,
        allowance,
        clock,
        log: openLog("error", () => {}),
      });
      return own;
    }
    afterEach(() => own?.[Symbol.asyncDispose]());

    const ownerOf = (organizationId: string, projectId = "proj_a") =>
      ({ organizationId, projectId, plan: "prepaid", limitOverrides: null }) as const;
    const parts = () => readdirSync(join(folder, "files")).filter((name) => name.startsWith("part_"));

    async function send({ files }: OwnFiles, text: string, owner = mine) {
      clock.pass(1);
      await using incoming = await files.receive(ownerOf(owner), 0);
      await incoming.write(Buffer.from(text));
      return await incoming.finish({ ...NAMED, keptSeconds: null }); // before it is disposed of
    }
    const textOf = async ({ files }: OwnFiles, file: Awaited<ReturnType<typeof send>>) =>
      Buffer.concat(await Array.fromAsync(files.content(file))).toString();

    test("a project lists its own files, in both orders and by pages", async () => {
      const opened = await open();
      const [first, second] = [await send(opened, "one"), await send(opened, "two")];
      await send(opened, "theirs", theirs);
      const { files } = opened;
      expect(await files.list(ownerOf(mine), PLACE)).toEqual([second, first]);
      expect(await files.list(ownerOf(mine), { ...PLACE, order: "asc" })).toEqual([first, second]);
      expect(await files.list(ownerOf(mine), { ...PLACE, after: second.id })).toEqual([first]);
      expect(await files.list(ownerOf(mine), { ...PLACE, purpose: "batch" })).toEqual([]);
      expect(await files.list(ownerOf(mine, "proj_b"), PLACE)).toEqual([]);
      expect(await files.find(ownerOf(theirs), first.id)).toBeNull();
      expect(await textOf(opened, first)).toBe("one");
    });

    test("another node reads what one has written, and one of them deletes it", async () => {
      const opened = await open();
      const file = await send(opened, "shared");
      await using other = await openOwnFiles(config, {
        ...{
          database,
          accounts: openAccounts(database, clock),
          allowance,
          clock,
          log: openLog("error", () => {}),
        },
      });
      expect(await textOf(other, (await other.files.find(ownerOf(mine), file.id))!)).toBe("shared");
      const removed = await Promise.all([opened.files.remove(file), other.files.remove(file)]);
      expect(removed.toSorted()).toEqual([false, true]);
      await Promise.all([opened.cleanFiles(), other.cleanFiles()]);
      await opened.cleanFiles();
      expect(parts()).toEqual([]);
    });

    test("what a process left while it received is deleted hours later, and what is received stays", async () => {
      const opened = await open();
      const lost = await opened.files.receive(ownerOf(mine), 10);
      await lost.write(Buffer.alloc(3_000_000));
      await opened.cleanFiles();
      expect(parts()).toHaveLength(1);
      clock.pass(3 * HOUR_MS);
      const kept = await send(opened, "kept");
      await opened.cleanFiles();
      expect(parts()).toHaveLength(1);
      await expect(lost.finish({ ...NAMED, keptSeconds: null })).rejects.toMatchObject({
        code: "service_unavailable",
      });
      expect(await textOf(opened, kept)).toBe("kept");
    });

    test("of an upload that is completed and cancelled at once, one happens", async () => {
      const { uploads, files, ...opened } = await open();
      const fields = { ...NAMED, mimeType: "audio/wav", keptSeconds: null };
      for (let round = 0; round < 3; round++) {
        const upload = await uploads.create(ownerOf(mine), { ...fields, bytes: 4 });
        await using incoming = await uploads.receive(ownerOf(mine), upload, 4);
        await incoming.write(Buffer.from("text"));
        const part = await incoming.finish();
        const ends = await Promise.allSettled([
          uploads.complete(upload, { partIds: [part.id], md5: null }),
          uploads.cancel(upload),
        ]);
        expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
        const { status, fileId } = (await uploads.find(ownerOf(mine), upload.id))!;
        const file = fileId && (await files.find(ownerOf(mine), fileId));
        expect(Boolean(file)).toBe(status === "completed");
        if (file) await files.remove(file);
      }
      for (let turn = 0; turn < 2; turn++) await opened.cleanFiles();
      expect(parts()).toEqual([]);
    });

    test("a folder of another installation is refused before anything is written", async () => {
      await Bun.write(join(folder, "files", "loquat-installation"), "another");
      const opened = await open();
      await expect(send(opened, "x")).rejects.toMatchObject({ code: "service_unavailable" });
      expect(await database.query.select().from(database.tables.filePart)).toEqual([]);
    });
  });
}
