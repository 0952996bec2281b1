/** Promise: a backup holds what is committed, and one that is damaged or incomplete is refused. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { openAccounts } from "../../src/accounts/accounts.ts";
import { readBackup } from "../../src/backup/read-backup.ts";
import { writeBackup } from "../../src/backup/write-backup.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openVoices } from "../../src/voices/voices.ts";
import { heldClock } from "../harness.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-backup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CONTENT = {
  version: "1.0.0",
  created_at: "2026-01-02T03:04:05.000Z",
  schema: "0000_start",
  packages: [],
};

/** A data directory with one row, whose database stays open. */
async function backedUp(): Promise<Buffer> {
  const data = join(folder, "data");
  mkdirSync(join(data, "mail"), { recursive: true });
  writeFileSync(join(data, "first-key"), "sk_live_first\n");
  writeFileSync(join(data, "mail/mail_1.txt"), "To: ada@example.com\n");
  writeFileSync(join(data, "limits.db"), "not worth keeping");
  await using database = openSqlite(data);
  await database.query
    .insert(database.tables.stripeEvent)
    .values({ id: "evt_1", type: "committed", handledAt: 1 });
  const bytes = await written(data);
  expect(readdirSync(data).filter((name) => name.startsWith("backup-"))).toEqual([]);
  return bytes;
}

async function written(data: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk, _encoding, written) {
      chunks.push(chunk);
      written();
    },
  });
  await writeBackup(data, CONTENT, output);
  return Buffer.concat(chunks);
}

const read = (bytes: Uint8Array) => readBackup(Readable.from([bytes]), join(folder, "restored"));

test("what is committed, the first key and mails come back; limits do not", async () => {
  const manifest = await read(await backedUp());
  expect(manifest.files.map(({ path }) => path)).toEqual(["loquat.db", "first-key", "mail/mail_1.txt"]);
  const restored = join(folder, "restored");
  expect(readFileSync(join(restored, "first-key"), "utf8")).toBe("sk_live_first\n");
  await using database = openSqlite(restored);
  expect(await database.query.select().from(database.tables.stripeEvent)).toMatchObject([{ id: "evt_1" }]);
});

const VOICES = {
  clock: heldClock(),
  max: 1,
  secrets: { configured: "the secret of both servers", generated: async () => "another" },
};

test("voices come back as they were encrypted, and open with the same secret", async () => {
  const data = join(folder, "data");
  mkdirSync(data);
  await using before = openSqlite(data);
  const { id: organizationId } = await openAccounts(before, VOICES.clock).createOrganization("Mine");
  const voice = await openVoices(before, VOICES).create({
    ...{ organizationId, name: "Ada", model: "svc-tts1", consent: "statement" },
    parts: { consent: Buffer.from("I agree to it.") },
  });
  await read(await written(data));
  await using after = openSqlite(join(folder, "restored"));
  const voices = openVoices(after, VOICES);
  expect(await voices.list(organizationId)).toEqual([voice]);
  expect((await voices.read(voice, "consent"))!.toString()).toBe("I agree to it.");
});

/** A tar of these entries, compressed. */
async function archive(entries: [name: string, content: string][]): Promise<Uint8Array> {
  const tar = pack();
  for (const [name, content] of entries) tar.entry({ name }, content);
  tar.finalize();
  return gzipSync(Buffer.concat(await Readable.from(tar).toArray()));
}

const listing = (path: string) =>
  JSON.stringify({
    format: "loquat-backup/1",
    ...CONTENT,
    files: [{ path, bytes: 1, sha256: "0".repeat(64) }],
  });

test.each([
  ["that is cut off", async () => (await backedUp()).subarray(0, -100), "cannot be read"],
  ["with a changed byte", async () => changed(await backedUp()), "damaged: first-key"],
  ["that is another archive", () => archive([["readme", "x"]]), "does not begin with backup.json"],
  ["without files", () => archive([]), "it is empty"],
  ["without a listed file", () => archive([["backup.json", listing("loquat.db")]]), "loquat.db is missing"],
  [
    "with a path outside of its folder",
    () => archive([["backup.json", listing("mail/../../x")]]),
    "not valid: files",
  ],
  [
    "with a file that is not listed",
    () =>
      archive([
        ["backup.json", listing("loquat.db")],
        ["../x", "x"],
      ]),
    "does not list",
  ],
  [
    "of a later format",
    () => archive([["backup.json", listing("loquat.db").replace("/1", "/2")]]),
    "not valid: format",
  ],
  ["whose list is not JSON", () => archive([["backup.json", "{"]]), "cannot be read"],
  ["that is not compressed", async () => Buffer.from("not a backup"), "cannot be read"],
])("a backup %s is refused", async (_name, bytesOf, message) => {
  await expect(read(await bytesOf())).rejects.toThrow(message);
});

function changed(backup: Uint8Array): Uint8Array {
  const tar = gunzipSync(backup);
  tar.write("sk_live_other", tar.indexOf("sk_live_first"));
  return gzipSync(tar);
}
