/**
 * Promise: a job speaks an EPUB that is a file of its project, and the web page, the book or the text at an address, with their chapters
 * and titles; addresses are read under the guard of outgoing requests, and what cannot be read makes no job.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OpenAI } from "openai";
import { epubOf } from "../../../documents/epub-file.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";

const BOOK = epubOf({
  title: "The old house",
  authors: ["A. Writer"],
  chapters: [
    { name: "one.xhtml", body: "<h1>By the river</h1><p>We are at the old house.</p>" },
    { name: "two.xhtml", body: "<h1>Away</h1><p>We go away in the morning.</p>" },
  ],
});
const LONG = `<p>${"We are at the old house by the river, and we go away in the morning, as we do. ".repeat(4)}</p>`;
const PAGE = `<html><head><title>The river</title></head><body><nav>Menu</nav><article><h1>The river</h1>${LONG}<h2>More</h2>${LONG}</article></body></html>`;

const ANSWERS: Record<string, () => Response> = {
  "/page": () => new Response(PAGE, { headers: { "content-type": "text/html; charset=utf-8" } }),
  "/book": () => new Response(BOOK, { headers: { "content-type": "application/epub+zip" } }),
  "/text": () =>
    new Response("# One\n\nFirst.\n\n# Two\n\nSecond.", { headers: { "content-type": "text/markdown" } }),
  "/moved": () => new Response(null, { status: 302, headers: { location: "/page" } }),
  "/inside": () => new Response(null, { status: 302, headers: { location: "http://10.0.0.1/page" } }),
  "/circle": () => new Response(null, { status: 302, headers: { location: "/circle" } }),
  "/picture": () => new Response("x", { headers: { "content-type": "image/png" } }),
  "/empty": () => new Response("<title>Nothing</title>", { headers: { "content-type": "text/html" } }),
  "/endless": () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x61)),
      }),
      { headers: { "content-type": "text/html" } },
    ),
  "/endless-text": () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x61)),
      }),
      { headers: { "content-type": "text/plain" } },
    ),
};
const site = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  fetch: ({ url }) => ANSWERS[new URL(url).pathname]?.() ?? new Response(null, { status: 404 }),
});
const at = (path: string) => `${site.url.origin}${path}`;

let harness: Harness;
let client: OpenAI;
beforeAll(async () => {
  const environment = { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8" };
  harness = await openHarness({ environment });
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: harness.key, maxRetries: 0 });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await site.stop(true);
});

const post = (body: object, headers: Record<string, string> = {}) =>
  harness.ask("/v1/audio/speech", {
    ...{ method: "POST", headers },
    body: JSON.stringify({ model: "svc-tts1", voice: "female-warm", background: true, ...body }),
  });

type Job = { id: string; status: string; chapters: { title: string }[]; [field: string]: unknown };

async function made(body: object): Promise<Job> {
  const response = await post(body);
  expect(response.status).toBe(202);
  return (await response.json()) as Job;
}

const sent = async (bytes: Buffer, name: string) =>
  (await client.files.create({ file: new File([Uint8Array.from(bytes)], name), purpose: "user_data" })).id;

test("an EPUB becomes a job with its title, its author and its chapters, which is spoken to its end", async () => {
  const id = await sent(BOOK, "house.epub");
  let job = await made({ input_file_id: id, chapters: "headings", response_format: "mp3" });
  expect(job).toMatchObject({
    ...{ title: "The old house", author: "A. Writer" },
    chapters: [{ title: "By the river" }, { title: "Away" }],
    input: { file_id: id, url: null },
  });
  while (job.status === "queued" || job.status === "in_progress")
    job = (await client.get(`/audio/jobs/${job.id}?wait=60`)) as Job;
  const text = "By the river\n\nWe are at the old house.Away\n\nWe go away in the morning.";
  expect(job).toMatchObject({ status: "completed", usage: { characters: text.length } });
});

test("what the request says of title and author counts, and without chapters a book is one", async () => {
  const job = await made({ input_file_id: await sent(BOOK, "house.epub"), title: "Mine", author: "Me" });
  expect(job).toMatchObject({ title: "Mine", author: "Me", chapters: [{ title: "" }] });
});

test.each([
  ["/page", "The river", ["The river", "More"]],
  ["/moved", "The river", ["The river", "More"]],
  ["/book", "The old house", ["By the river", "Away"]],
  ["/text", null, ["One", "Two"]],
] as const)("what is at %s is spoken, and the job shows the address", async (path, title, chapters) => {
  const job = await made({ input_url: at(path), chapters: "headings" });
  expect(job).toMatchObject({ title, input: { file_id: null, url: at(path) } });
  expect(job.chapters.map(({ title }) => title)).toEqual([...chapters]);
});

test("a request that is sent again gets its job, and its address is not read again", async () => {
  let reads = 0;
  ANSWERS["/once"] = () => (reads++ === 0 ? ANSWERS["/page"]!() : new Response(null, { status: 404 }));
  const headers = { "Idempotency-Key": "read-once" };
  const again = async () => {
    const response = await post({ input_url: at("/once") }, headers);
    expect(response.status).toBe(202);
    return ((await response.json()) as Job).id;
  };
  const first = await again();
  expect([await again(), reads]).toEqual([first, 1]);
  const other = await post({ input_url: at("/page") }, headers);
  expect((await errorOf(other)).code).toBe("idempotency_key_reused");
});

test("an address that could not be read is read when the request is sent again", async () => {
  let reads = 0;
  ANSWERS["/later"] = () => (reads++ === 0 ? new Response(null, { status: 503 }) : ANSWERS["/page"]!());
  const headers = { "Idempotency-Key": "read-later" };
  const again = () => post({ input_url: at("/later") }, headers);
  expect((await errorOf(await again())).code).toBe("url_unreachable");
  expect((await again()).status).toBe(202);
});

test("an HTML file is read as a page is", async () => {
  const job = await made({
    input_file_id: await sent(Buffer.from(PAGE), "river.html"),
    chapters: "headings",
  });
  expect(job.chapters.map(({ title }) => title)).toEqual(["The river", "More"]);
});

test.each([
  ["/picture", 422, "validation_error"],
  ["/empty", 422, "validation_error"],
  ["/endless", 422, "validation_error"],
  ["/endless-text", 422, "validation_error"],
  ["/none", 400, "url_unreachable"],
  ["/circle", 400, "url_unreachable"],
  ["/inside", 400, "url_not_allowed"],
  ["http://10.0.0.1/page", 400, "url_not_allowed"],
  ["ftp://example.com/page", 400, "url_not_allowed"],
  ["http://user:secret@127.0.0.1/page", 400, "url_not_allowed"],
] as const)("%s makes no job: %i %s", async (path, status, code) => {
  const { query, tables } = harness.parts.database;
  const before = (await query.select().from(tables.job)).length;
  const response = await post({ input_url: path.startsWith("/") ? at(path) : path });
  const error = await errorOf(response);
  expect([response.status, error.code, error.param]).toEqual([status, code, "input_url"]);
  expect((await query.select().from(tables.job)).length).toBe(before);
});

test.each([
  ["house.pdf", BOOK, "is a .pdf file"],
  ["house.epub", Buffer.from("no archive"), "is not an EPUB that can be read"],
] as const)("a file %s is refused by name", async (name, bytes, said) => {
  const response = await post({ input_file_id: await sent(bytes, name) });
  const { message, param } = await errorOf(response);
  expect([response.status, param, message.includes(said)]).toEqual([422, "input_file_id", true]);
});

test("an address cannot be together with another text, and is for jobs", async () => {
  for (const body of [
    { input_url: at("/page"), input: "One." },
    { input_url: at("/page"), background: false },
  ]) {
    const response = await post(body);
    expect([response.status, (await errorOf(response)).param]).toEqual([422, "input_url"]);
  }
});
