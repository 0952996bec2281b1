/** Promise: long texts become jobs of a server from the command line, which saves their sound whole, also where it breaks off. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { epubOf } from "../documents/epub-file.ts";
import { until } from "../until.ts";
import { type Cli, openCli } from "./process.ts";

const BOOK = "# One\n\nGood morning.\n\n# Two\n\nGood night.\n";

let cli: Cli;
let server: Awaited<ReturnType<Cli["serve"]>>;

const path = (name: string) => join(cli.folder, name);
const bytesOf = (name: string) => readFileSync(path(name));
const run = (args: string[], input = "") => cli.run(args, { PORT: new URL(server.url).port }, input);

beforeAll(async () => {
  cli = openCli();
  server = await cli.serve({ LOQUAT_PLAN: "unmetered", LOG_LEVEL: "silent" });
});
afterAll(async () => {
  await server.stop();
  cli[Symbol.dispose]();
});

test("--wait writes the sound with its chapters, and its subtitles", async () => {
  const titles = ["--title", "The old house", "--author", "A. Writer", "--chapters"];
  const files = ["-o", path("book.mp3"), "--captions", path("book.vtt")];
  const ran = await run(["speak", "-", "--wait", ...titles, ...files], BOOK);
  expect(ran).toMatchObject({ code: 0, out: "" });
  const book = bytesOf("book.mp3");
  expect(book.subarray(0, 3).toString()).toBe("ID3");
  for (const text of ["CHAP", "The old house", "A. Writer"]) expect(hasText(book, text)).toBe(true);
  expect(bytesOf("book.vtt").toString()).toContain("Good night.");
  const [job] = JSON.parse((await run(["jobs", "list", "--json"])).out).data;
  const shown = (await run(["jobs", "show", job.id])).out;
  expect(shown).toContain("  title       The old house\n");
  expect(shown).toMatch(/ {2}chapter 2 {3}0:\d\d, Two\n/);
});

test("an EPUB is sent as a file, which is deleted with its job", async () => {
  const chapters = [
    { name: "one.xhtml", body: "<h1>One</h1><p>Good morning.</p>" },
    { name: "two.xhtml", body: "<h1>Two</h1><p>Good night.</p>" },
  ];
  writeFileSync(path("house.epub"), epubOf({ title: "The old house", authors: ["A. Writer"], chapters }));
  const ran = await run(["speak", path("house.epub"), "--wait", "--chapters", "-o", path("house.mp3")]);
  expect(ran).toMatchObject({ code: 0, out: "" });
  for (const text of ["CHAP", "The old house", "A. Writer"])
    expect(hasText(bytesOf("house.mp3"), text)).toBe(true);
  const [job] = JSON.parse((await run(["jobs", "list", "--json"])).out).data;
  expect(job.chapters).toMatchObject([{ title: "One" }, { title: "Two" }]);
  const keyed = { authorization: `Bearer ${bytesOf("data/first-key").toString().trim()}` };
  const gone = await fetch(`${server.url}/v1/files/${job.input.file_id}`, { headers: keyed });
  expect(gone.status).toBe(404);
});

test("--cover is sent with the job alone, and is in its file", async () => {
  const picture = Buffer.from("\x89PNG\r\n\x1a\n a picture of one's own", "latin1");
  writeFileSync(path("cover.png"), picture);
  const asked = ["speak", "Good morning.", "--cover", path("cover.png"), "-o", path("covered.mp3")];
  expect(await run([...asked, "--wait"])).toMatchObject({ code: 0, out: "" });
  expect(bytesOf("covered.mp3").includes(picture)).toBe(true);
  const keyed = { authorization: `Bearer ${bytesOf("data/first-key").toString().trim()}` };
  const listed = await fetch(`${server.url}/v1/files`, { headers: keyed });
  const { data } = (await listed.json()) as { data: object[] };
  expect(data).toEqual([]);
  const missing = await run(["speak", "One.", "--background", "--cover", path("none.png")]);
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("none.png does not exist")]);
  expect((await run(asked)).err).toContain("Add --background, or --wait: --cover is for a server.");
});

test("a file that does not exist, and an address that is not public, are named", async () => {
  expect(await run(["speak", path("none.epub"), "--background"])).toMatchObject({ code: 2 });
  const refused = await run(["speak", "https://127.0.0.1/page", "--background"]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("is not public")]);
});

describe("a job that was not waited for", () => {
  let id: string;
  beforeAll(async () => {
    const made = await run(["speak", BOOK, "--background", "--chapters", "--format", "wav"]);
    expect(made.out).toMatch(/^job_[0-9a-z]{24}\n$/);
    id = made.out.trim();
    expect(made.err).toContain(`jobs content ${id} -o speech.wav`);
    expect(await run(["jobs", "wait", id])).toMatchObject({ code: 0 });
  });

  test("is saved whole, by chapter, and as subtitles, to files and to standard output", async () => {
    await run(["jobs", "content", id, "-o", path("whole.wav")]);
    await run(["jobs", "content", id, "-o", path("second.wav"), "--chapter", "2"]);
    const [whole, second] = [bytesOf("whole.wav"), bytesOf("second.wav")];
    expect(whole.subarray(0, 4).toString()).toBe("RIFF");
    expect(whole.readUInt32LE(4)).toBe(whole.length - 8);
    expect(second.length).toBeLessThan(whole.length);
    expect(whole.subarray(-1000)).toEqual(second.subarray(-1000));
    const { out, err } = await run(["jobs", "content", id, "--format", "srt"]);
    expect(err).toBe("");
    expect(out).toMatch(/^1\n00:00:00,\d{3} --> /);
    await run(["jobs", "content", id, "--format", "srt", "-o", path("whole.srt")]);
    expect(bytesOf("whole.srt").toString()).toBe(out);
  });

  test.each([true, false])("is whole although the connection breaks (Range is read: %p)", async (reads) => {
    const name = reads ? "rest.wav" : "anew.wav";
    await run(["jobs", "content", id, "-o", path("whole.wav")]);
    const ranges: (string | null)[] = [];
    await using proxy = await openProxy(
      async ({ url = "", headers: { range, authorization = "" } }, response) => {
        const isContent = url.includes("/content?");
        if (isContent) ranges.push(range ?? null);
        const headers = { authorization, ...(reads && range && { range }) };
        const answer = await fetch(`${server.url}${url}`, { headers });
        const bytes = await answer.bytes();
        response.writeHead(answer.status, { "content-length": bytes.length });
        if (!isContent || ranges.length > 2) return response.end(bytes);
        response.write(bytes.subarray(0, bytes.length >> 1));
        await until(() => existsSync(path(name)) && bytesOf(name).length > 0); // the command has read some of it
        response.socket?.end();
      },
    );
    const key = readFileSync(path("data/first-key"), "utf8").trim();
    const args = ["jobs", "content", id, "-o", path(name), "--server", `http://127.0.0.1:${proxy.port}`];
    expect(await cli.run(args, { LOQUAT_KEY: key })).toMatchObject({ code: 0 });
    expect(bytesOf(name).equals(bytesOf("whole.wav"))).toBe(true);
    expect(ranges[0]).toBeNull();
    expect(ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range ?? ""))).toBe(true);
    expect(ranges.length).toBe(3);
  });

  test("leaves a file as it is where there is nothing to save", async () => {
    await run(["jobs", "content", id, "-o", path("kept.wav"), "--chapter", "1"]);
    const kept = bytesOf("kept.wav");
    const refused = await run(["jobs", "content", id, "-o", path("kept.wav"), "--chapter", "9"]);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain("chapter");
    expect(bytesOf("kept.wav").equals(kept)).toBe(true);
  });
});

/** A tag may have its texts in UTF-16. */
const hasText = (bytes: Buffer, text: string) =>
  bytes.includes(text) || bytes.includes(Buffer.from(text, "utf16le"));

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

async function openProxy(handle: Handler): Promise<AsyncDisposable & { port: number }> {
  const proxy = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void proxy.close() };
}

test.each([
  [["--wait"], "Give a file to write"],
  [["--background", "--captions", "a.vtt"], "Add --wait to write --captions"],
  [["--wait", "-o", "a.mp3", "--captions", "a.json"], "written to a .vtt or .srt file"],
  [["--background", "--play"], "--play is for speech without --background"],
  [["--background", "--dictionary", "a.pls"], "--dictionary is for speech without --background"],
  [["-o", "a.mp3", "--title", "A"], "Add --background, or --wait: --title is for a server"],
  [["-o", "a.mp3", "--server", "http://127.0.0.1:9"], "Add --background, or --wait: --server"],
])("speak %j is refused", async (args, message) => {
  const ran = await run(["speak", "Good morning.", ...args]);
  expect(ran).toMatchObject({ code: 2, out: "" });
  expect(ran.err).toContain(message);
  expect(existsSync(path("a.mp3"))).toBe(false);
});

test("what the server refuses is said, and no job is made", async () => {
  const count = async () => JSON.parse((await run(["jobs", "list", "--json"])).out).data.length;
  const before = await count();
  const ran = await run(["speak", "Good morning.", "--background", "--model", "svc-none"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toContain("svc-none");
  expect(await count()).toBe(before);
});
