/** Promise: files and uploads that are refused get the code that is documented, and store nothing. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { OpenAI } from "openai";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { FILE_TABLE } from "./file-table.ts";

let harness: Harness;
let client: OpenAI;
beforeAll(async () => {
  harness = await openHarness({ startMs: Date.UTC(2026, 0, 2), environment: { LOQUAT_FILE_MB: "4" } });
  client = clientOf(harness.key);
});
afterAll(() => harness[Symbol.asyncDispose]());

const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${harness.url}/v1`, apiKey, maxRetries: 0 });

/** What a call is refused with; null where it is not. */
const refusalOf = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await call;
    return null;
  } catch (error) {
    return error;
  }
};

const fileOf = (bytes: number, name = "talk.mp3") => new File([content(bytes)], name);
const content = (bytes: number) => Buffer.alloc(bytes, "0123456789abcdef");

/** The objects that are stored, beside the marker. */
function stored(): string[] {
  const folder = join(harness.parts.config.data.folder, "files");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.includes("/"));
}

async function emptied(): Promise<void> {
  for await (const { id } of client.files.list()) await client.files.delete(id);
  await harness.parts.cleanFiles();
  await harness.parts.cleanFiles();
}

afterEach(async () => {
  await emptied();
  expect(stored()).toEqual([]);
  const { database } = harness.parts;
  const parts = await database.query.select().from(database.tables.filePart);
  expect(parts).toEqual([]);
});

const USER_DATA = { purpose: "user_data" } as const;

const NEW = { filename: "talk.wav", mime_type: "audio/wav", ...USER_DATA };

type Sent = [path: string, init: RequestInit];
const sent = ([path, init]: Sent) => harness.ask(`/v1${path}`, init);

function formWith(fields: Record<string, string | File>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return { method: "POST", body };
}

const jsonOf = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

describe("what is refused stores nothing", () => {
  const cases: Record<string, [Sent, string]> = {
    "a body that is no form": [["/files", jsonOf({})], "422 validation_error"],
    "a form without a file": [["/files", formWith(USER_DATA)], "422 validation_error file"],
    "a field named file": [["/files", formWith({ file: "text", ...USER_DATA })], "422 validation_error file"],
    "an empty file": [["/files", formWith({ file: fileOf(0), ...USER_DATA })], "422 validation_error file"],
    "a file without a purpose": [["/files", formWith({ file: fileOf(9) })], "422 validation_error purpose"],
    "another purpose": [
      ["/files", formWith({ file: fileOf(9), purpose: "fine-tune" })],
      "422 validation_error purpose",
    ],
    "a time that is too short": [
      [
        "/files",
        formWith({
          ...{ file: fileOf(9), ...USER_DATA },
          ...{ "expires_after[anchor]": "created_at", "expires_after[seconds]": "60" },
        }),
      ],
      "422 validation_error expires_after.seconds",
    ],
    "an upload of no bytes": [["/uploads", jsonOf({ ...NEW, bytes: 0 })], "422 validation_error bytes"],
    "an upload of too many bytes": [
      ["/uploads", jsonOf({ ...NEW, bytes: 4 * 1024 * 1024 + 1 })],
      "422 validation_error bytes",
    ],
    "an upload without a name": [
      ["/uploads", jsonOf({ ...NEW, bytes: 1, filename: "" })],
      "422 validation_error filename",
    ],
    "a part of an unknown upload": [
      ["/uploads/upload_x/parts", formWith({ data: fileOf(1) })],
      "404 not_found",
    ],
    "an unknown file": [["/files/file_x", {}], "404 not_found"],
    "a content of an unknown file": [["/files/file_x/content", {}], "404 not_found"],
  };
  test.each(Object.entries(cases))("%s", async (_what, [request, expected]) => {
    const { status, code, param } = await errorOf(await sent(request));
    expect([status, code, param ?? ""].join(" ").trim()).toBe(expected);
  });

  test.each(Object.keys(FILE_TABLE))("%s, with a key that may neither transcribe nor speak", async (name) => {
    const { accounts } = harness.parts;
    const { id: projectId } = (await accounts.defaultProject(harness.organizationId))!;
    const fields = { projectId, name: "a", environment: "live", expiresAt: null } as const;
    const { secret } = await accounts.createKey({ ...fields, scopes: ["catalog:read", "realtime:connect"] });
    const [method, path] = name.replace(/:\w+/, "file_x").split(" ") as [string, string];
    const response = await harness.ask(path, { method, headers: { authorization: `Bearer ${secret}` } });
    expect(await errorOf(response)).toMatchObject({ status: 403, code: "insufficient_scope" });
  });

  test("a file that breaks off, and one that is longer than a file may be", async () => {
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const cut = await sent(["/files", { method: "POST", headers, body: head + "x".repeat(100_000) }]);
    expect(await errorOf(cut)).toMatchObject({ status: 422, code: "validation_error" });
    const long = await sent(["/files", formWith({ file: fileOf(4 * 1024 * 1024 + 1), ...USER_DATA })]);
    expect(await errorOf(long)).toMatchObject({ status: 400, code: "file_too_large", param: "file" });
  });

  test("more than an organization may store, also by files that come at once", async () => {
    const { query, tables } = harness.parts.database;
    const taken = { id: "part_taken", ownerId: "file_taken", organizationId: harness.organizationId };
    const bytes = 2_000_000_000 - 1_000_000;
    await query.insert(tables.filePart).values({ ...taken, bytes, state: "stored", createdAt: 0 });
    const refused = { status: 409, code: "too_many_files" };
    const send = (bytes: number) => client.files.create({ file: fileOf(bytes), ...USER_DATA });
    expect(await refusalOf(client.uploads.create({ ...NEW, bytes: 1_000_001 }))).toMatchObject(refused);
    expect(await refusalOf(send(1_000_001))).toMatchObject(refused);
    const both = await Promise.allSettled([send(600_000), send(600_000)]);
    expect(both.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
    await query.delete(tables.filePart).where(eq(tables.filePart.id, taken.id));
    await harness.parts.accounts.setLimits(harness.organizationId, { storedBytes: 1_000_000 });
    harness.clock.pass(2000); // principals are read again
    expect(await refusalOf(send(1_000_001))).toMatchObject(refused);
  });
});
