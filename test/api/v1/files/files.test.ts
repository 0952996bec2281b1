/**
 * Promise: a stock client sends, lists, reads and deletes files, whole and in parts; and what another project or organization has
 * is as if it did not exist.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OpenAI } from "openai";
import { type Harness, openHarness } from "../../../harness.ts";

let harness: Harness;
let client: OpenAI;
let foreigner: string;
let neighbour: string;
beforeAll(async () => {
  harness = await openHarness({ startMs: Date.UTC(2026, 0, 2) });
  client = clientOf(harness.key);
  const { accounts } = harness.parts;
  neighbour = await keyIn((await accounts.createProject(harness.organizationId, "Other")).id);
  const others = await accounts.createOrganization("Others", { plan: "prepaid" });
  foreigner = await keyIn((await accounts.createProject(others.id, "Theirs")).id);
});
afterAll(() => harness[Symbol.asyncDispose]());

const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${harness.url}/v1`, apiKey, maxRetries: 0 });

async function keyIn(projectId: string) {
  const fields = { projectId, name: "files", environment: "live", expiresAt: null } as const;
  return (await harness.parts.accounts.createKey({ ...fields, scopes: ["speech:create"] })).secret;
}

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

test("a stock client sends, finds, lists, reads and deletes files", async () => {
  const file = await client.files.create({ file: fileOf(3_000_001, "töne/../Talk 1.mp3"), ...USER_DATA });
  expect(file as object).toEqual({
    ...{ id: file.id, object: "file", bytes: 3_000_001, filename: "Talk 1.mp3", ...USER_DATA },
    ...{ created_at: 1767312000, expires_at: null, status: "processed" },
  });
  expect(file.id).toMatch(/^file_[0-9a-z]{24}$/);
  expect(await client.files.retrieve(file.id)).toEqual(file);
  const response = await client.files.content(file.id);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(content(3_000_001));
  expect(response.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''Talk%201.mp3");
  harness.clock.pass(1000);
  const other = await client.files.create({ file: fileOf(1), purpose: "batch" });
  const ids = async (query: object) => (await Array.fromAsync(client.files.list(query))).map(({ id }) => id);
  expect(await ids({ limit: 1 })).toEqual([other.id, file.id]);
  expect(await ids({ order: "asc" })).toEqual([file.id, other.id]);
  expect(await ids({ purpose: "batch" })).toEqual([other.id]);
  expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: "file", deleted: true });
  expect(await refusalOf(client.files.retrieve(file.id))).toMatchObject({ status: 404 });
  expect(await refusalOf(client.files.delete(file.id))).toMatchObject({ status: 404 });
  expect(await ids({})).toEqual([other.id]);
});

test("a file is deleted with its content when it expires", async () => {
  const expires_after = { anchor: "created_at", seconds: 3600 } as const;
  const file = await client.files.create({ file: fileOf(10), ...USER_DATA, expires_after });
  expect(file.expires_at).toBe(file.created_at + 3600);
  harness.clock.pass(3_599_000);
  expect((await client.files.retrieve(file.id)).id).toBe(file.id);
  harness.clock.pass(1000);
  expect(await refusalOf(client.files.retrieve(file.id))).toMatchObject({ status: 404 });
  expect(await Array.fromAsync(client.files.list())).toEqual([]);
  await harness.parts.cleanFiles();
  expect(stored()).toEqual([]);
});

async function partOf(uploadId: string, bytes: Uint8Array) {
  return client.uploads.parts.create(uploadId, { data: new File([bytes as never], "part") });
}

const NEW = { filename: "talk.wav", mime_type: "audio/wav", ...USER_DATA };

test("a file is made of parts in the order that is named, whatever order they came in, and twice is once", async () => {
  const bytes = content(5000);
  const upload = await client.uploads.create({
    ...NEW,
    bytes: 5000,
    expires_after: { anchor: "created_at", seconds: 7200 },
  });
  expect(upload).toMatchObject({ object: "upload", status: "pending", bytes: 5000, file: null });
  expect(upload.expires_at).toBe(upload.created_at + 86_400);
  const [last, unused, first] = await Promise.all([
    partOf(upload.id, bytes.subarray(2000)),
    partOf(upload.id, Buffer.from("sent twice")),
    partOf(upload.id, bytes.subarray(0, 2000)),
  ]);
  expect(first).toMatchObject({ object: "upload.part", upload_id: upload.id });
  const part_ids = [first.id, last.id];
  const md5 = createHash("md5").update(bytes).digest("hex");
  const refusedWith = (given: object) =>
    client.uploads.complete(upload.id, given as never).then(
      () => null,
      ({ status, param }: { status: number; param: string }) => `${status} ${param}`,
    );
  expect(await refusedWith({ part_ids: [first.id] })).toBe("422 part_ids");
  expect(await refusedWith({ part_ids: [first.id, last.id, unused.id] })).toBe("422 part_ids");
  expect(await refusedWith({ part_ids: [first.id, first.id] })).toBe("422 part_ids");
  expect(await refusedWith({ part_ids: [first.id, "part_unknown"] })).toBe("422 part_ids");
  expect(await refusedWith({ part_ids: [last.id, first.id], md5 })).toBe("422 md5");
  expect(await refusedWith({ part_ids, md5: "no" })).toBe("422 md5");
  const done = await client.uploads.complete(upload.id, { part_ids, md5: md5.toUpperCase() });
  expect(done).toMatchObject({
    id: upload.id,
    status: "completed",
    file: { bytes: 5000, filename: "talk.wav" },
  });
  expect(done.file!.expires_at).toBe(done.file!.created_at + 7200);
  const read = await client.files.content(done.file!.id);
  expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
  expect(await client.uploads.complete(upload.id, { part_ids, md5 })).toEqual(done);
  expect(await refusalOf(client.uploads.cancel(upload.id))).toMatchObject({
    status: 409,
    code: "upload_ended",
  });
  expect(await refusalOf(partOf(upload.id, bytes))).toMatchObject({
    status: 409,
    code: "upload_ended",
  });
  await harness.parts.cleanFiles();
  await harness.parts.cleanFiles();
  expect(stored().length).toBe(2);
});

test("an upload that is cancelled or not completed within a day leaves nothing", async () => {
  const [cancelled, late] = [
    await client.uploads.create({ ...NEW, bytes: 10 }),
    await client.uploads.create({ ...NEW, bytes: 10 }),
  ];
  for (const { id } of [cancelled, late]) await partOf(id, content(10));
  expect(await client.uploads.cancel(cancelled.id)).toMatchObject({ status: "cancelled" });
  expect(await refusalOf(client.uploads.cancel(cancelled.id))).toMatchObject({ status: 409 });
  harness.clock.pass(86_400_000);
  const end = client.uploads.complete(late.id, { part_ids: ["part_x"] });
  expect(await refusalOf(end)).toMatchObject({
    status: 409,
    code: "upload_ended",
    message: expect.stringContaining("expired"),
  });
  await harness.parts.cleanFiles();
  await harness.parts.cleanFiles();
  expect(stored()).toEqual([]);
});

test("another project's and another organization's files are as if they did not exist", async () => {
  const file = await client.files.create({ file: fileOf(10), ...USER_DATA });
  const upload = await client.uploads.create({ ...NEW, bytes: 10 });
  const part = await partOf(upload.id, content(10));
  for (const key of [neighbour, foreigner]) {
    const other = clientOf(key);
    const missing = { status: 404, code: "not_found" };
    expect(await Array.fromAsync(other.files.list())).toEqual([]);
    expect(await refusalOf(other.files.retrieve(file.id))).toMatchObject(missing);
    expect(await refusalOf(other.files.content(file.id))).toMatchObject(missing);
    expect(await refusalOf(other.files.delete(file.id))).toMatchObject(missing);
    expect(await refusalOf(other.uploads.complete(upload.id, { part_ids: [part.id] }))).toMatchObject(
      missing,
    );
    expect(await refusalOf(other.uploads.cancel(upload.id))).toMatchObject(missing);
    const own = await other.uploads.create({ ...NEW, bytes: 10 });
    expect(await refusalOf(other.uploads.complete(own.id, { part_ids: [part.id] }))).toMatchObject({
      status: 422,
    });
    await other.uploads.cancel(own.id);
  }
  expect((await client.files.retrieve(file.id)).id).toBe(file.id);
  await client.uploads.cancel(upload.id);
});

test("a content that the storage has lost ends its answer early, and is logged", async () => {
  const file = await client.files.create({ file: fileOf(3_000_000), ...USER_DATA });
  const { database, config } = harness.parts;
  const [part] = await database.query.select().from(database.tables.filePart);
  await Bun.file(join(config.data.folder, "files", part!.id, "1")).delete();
  const read = fetch(`${harness.url}/v1/files/${file.id}/content`, {
    headers: { authorization: `Bearer ${harness.key}` },
  }).then((response) => response.arrayBuffer());
  expect(await refusalOf(read)).toBeInstanceOf(Error);
  expect(harness.logged).toContainEqual(expect.objectContaining({ event: "file_unreadable", id: file.id }));
});
