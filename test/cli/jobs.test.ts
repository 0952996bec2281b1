/** Promise: recordings of any size become jobs of a server from the command line, which shows, reads, cancels and deletes them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { until } from "../until.ts";
import { type Cli, MAIN, openCli } from "./process.ts";

const hears = installedFamilies().has("sphinx");
const SAYING = "we are at the old house by the river";

let cli: Cli;
let server: Awaited<ReturnType<Cli["serve"]>>;
/** Holds each request until it is aborted, as an address that is slow. */
let slow: Bun.Server<undefined>;

const path = (name: string) => join(cli.folder, name);
const run = (...args: string[]) => cli.runInTurn(args, { PORT: new URL(server.url).port });
const jobsOf = async () => JSON.parse((await run("jobs", "list", "--json")).out).data as { status: string }[];
const filesOf = async () => {
  const authorization = `Bearer ${readFileSync(path("data/first-key"), "utf8").trim()}`;
  const response = await fetch(`${server.url}/v1/files`, { headers: { authorization } });
  return ((await response.json()) as { data: object[] }).data;
};

beforeAll(async () => {
  cli = openCli();
  slow = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) });
  const plan = { LOQUAT_PLAN: "unmetered", LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8", LOG_LEVEL: "silent" };
  server = await cli.serve(plan);
  const spoken = ["-o", path("talk.wav"), "--voice", "male-deep"];
  expect((await cli.run(["speak", SAYING, ...spoken])).code).toBe(0);
});
afterAll(async () => {
  slow.stop(true);
  await server.stop();
  cli[Symbol.dispose]();
});

/** talk.wav with so much else in it that one request may not send it. */
function largeRecording(): Uint8Array {
  const talk = readFileSync(path("talk.wav"));
  const other = Buffer.alloc(8 + 33 * 1024 * 1024);
  other.write("JUNK");
  other.writeUInt32LE(other.length - 8, 4);
  const all = Buffer.concat([talk.subarray(0, 12), other, talk.subarray(12)]);
  all.writeUInt32LE(all.length - 8, 4);
  return all;
}

describe.skipIf(!hears)(
  `transcribe --background${hears ? "" : " (skipped: PocketSphinx is missing)"}`,
  () => {
    test("prints the id of a job, whose result is read in any format", async () => {
      const made = await run("transcribe", path("talk.wav"), "--background");
      expect(made.out).toMatch(/^job_[0-9a-z]{24}\n$/);
      const id = made.out.trim();
      expect(made.err).toContain(`jobs content ${id}`);
      const waited = await run("jobs", "wait", id);
      expect(waited).toMatchObject({ code: 0, err: "" });
      expect(waited.out).toContain("status      completed\n");
      for (const format of ["text", "vtt", "verbose_json"]) {
        const { out, code } = await run("jobs", "content", id, "--format", format);
        expect({ out, code }).toMatchObject(await transcribedHere(format));
      }
      expect((await run("jobs", "content", id)).out).toBe(`${SAYING}\n`);
    });

    test("--wait writes the transcripts of several recordings, and replaces none without --force", async () => {
      mkdirSync(path("talks"));
      for (const name of ["one", "two"])
        writeFileSync(path(`talks/${name}.wav`), readFileSync(path("talk.wav")));
      writeFileSync(path("talks/none.wav"), "this is no recording");
      const ran = await run("transcribe", path("talks"), "--wait", "--output-dir", path("written"));
      expect(ran).toMatchObject({ code: 1, out: "" });
      expect(ran.err).toMatch(/none\.wav: The job job_[0-9a-z]{24} failed: /);
      for (const name of ["one", "two"])
        expect(readFileSync(path(`written/${name}.txt`), "utf8")).toBe(`${SAYING}\n`);
      expect(existsSync(path("written/none.txt"))).toBe(false);
      const again = await run("transcribe", path("talks/one.wav"), "--wait", "--output-dir", path("written"));
      expect(again).toMatchObject({ code: 2 });
      expect(again.err).toContain("exists. Add --force to replace it.");
    });

    test("a recording that is larger than one request may send goes in parts, and its file with the job", async () => {
      writeFileSync(path("large.wav"), largeRecording());
      const ran = await run("transcribe", path("large.wav"), "--wait", "--format", "json");
      expect(ran).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(ran.out).text).toBe(SAYING);
      const [job] = await jobsOf();
      expect(job).toMatchObject({ status: "completed", input: { file_id: expect.stringMatching(/^file_/) } });
      expect(await filesOf()).toEqual([]);
    });

    const transcribedHere = async (format: string) => {
      const { out } = await cli.run(["transcribe", path("talk.wav"), "--format", format]);
      return { out, code: 0 };
    };
  },
);

describe("jobs", () => {
  test("an address is a job that is listed, shown, cancelled and deleted", async () => {
    const id = (await run("transcribe", `${slow.url}talk.mp3`, "--background")).out.trim();
    await until(async () => (await jobsOf())[0]?.status === "in_progress");
    const listed = await run("jobs", "list", "--status", "in_progress", "--limit", "1");
    expect(listed.out).toMatch(new RegExp(`^ID +STATUS +DONE +LENGTH +MADE\n${id} +in_progress +0 % +- `));
    expect((await run("jobs", "show", id)).out).toContain(`recording   ${slow.url}talk.mp3\n`);
    const early = await run("jobs", "content", id);
    expect(early).toEqual({
      code: 1,
      out: "",
      err: "The job is in progress. Ask again once it is completed.\n",
    });
    expect((await run("jobs", "cancel", id)).out).toBe(`${id} is cancelled.\n`);
    expect(JSON.parse((await run("jobs", "cancel", id, "--json")).out)).toMatchObject({
      status: "cancelled",
    });
    expect((await run("jobs", "wait", id)).code).toBe(1);
    expect(await run("jobs", "delete", id)).toEqual({ code: 0, out: "", err: "" });
    expect(await run("jobs", "show", id)).toEqual({ code: 1, out: "", err: "There is no such job.\n" });
  });

  test("more than are listed go on after the last one", async () => {
    const ids = [];
    for (let count = 0; count < 2; count++)
      ids.push((await run("transcribe", `${slow.url}a.mp3`, "--background")).out.trim());
    const { out, err } = await run("jobs", "list", "--limit", "1");
    expect(out).toContain(ids[1]!);
    expect(err).toBe(`There are more: add --after ${ids[1]}.\n`);
    expect((await run("jobs", "list", "--limit", "1", "--after", ids[1]!)).out).toContain(ids[0]!);
    for (const id of ids) await run("jobs", "delete", id);
  });
});

const RECORD = {
  ...{ id: "job_1", object: "audio.job", kind: "transcription", status: "queued", progress: 0 },
  ...{ model: "svc-stt1", response_format: "text", metadata: {}, created_at: 0, started_at: null },
  ...{ completed_at: null, expires_at: null, position: 3, error: null, usage: null, cost_micros: 0 },
  input: { file_id: null, url: null, bytes: 1, duration_seconds: null },
  request_id: "req_1",
};

/** A server whose answers the test chooses; `asked`: the paths that were asked for, with the keys. */
function standIn(answer: (path: string) => Response | Promise<Response>) {
  const asked: { path: string; key: string | null }[] = [];
  const stand = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      asked.push({ path: pathname + search, key: request.headers.get("authorization") });
      return answer(pathname + search);
    },
  });
  return { url: stand.url.origin, asked, [Symbol.dispose]: () => void stand.stop(true) };
}

describe("the server", () => {
  const KEY = { LOQUAT_KEY: "sk_live_elsewhere" };

  test("is that of LOQUAT_SERVER or --server, asked with LOQUAT_KEY", async () => {
    using other = standIn(() => Response.json(RECORD));
    const settings = { ...KEY, LOQUAT_SERVER: `${other.url}/v1/` };
    expect((await cli.run(["jobs", "show", "job_1"], settings)).out).toContain("queued, place 3");
    await cli.run(["jobs", "show", "job_2", "--server", other.url], { ...KEY, LOQUAT_SERVER: "http://none" });
    const key = "Bearer sk_live_elsewhere";
    expect(other.asked).toEqual(["job_1", "job_2"].map((id) => ({ path: `/v1/audio/jobs/${id}`, key })));
  });

  test("does not get the first key of this machine when it is another", async () => {
    using other = standIn(() => Response.json(RECORD));
    const { code, err } = await run("jobs", "show", "job_1", "--server", other.url);
    expect({ code, asked: other.asked }).toEqual({ code: 2, asked: [] });
    expect(err).toContain("Set LOQUAT_KEY to an API key of the server");
  });

  test("that does not answer, or is none, is named", async () => {
    const { url } = standIn(() => new Response("<html>", { status: 418 }));
    const ask = (server: string) => cli.run(["jobs", "list", "--server", server], KEY);
    expect(await ask(url)).toEqual({ code: 1, out: "", err: `${url} answered with status 418.\n` });
    expect((await ask("http://127.0.0.1:9")).err).toStartWith("http://127.0.0.1:9 does not answer: ");
    expect(await ask("speech.example")).toMatchObject({ code: 2 });
  });

  test("may be starting anew while a command waits", async () => {
    const answers = [
      () => Response.json(RECORD),
      () => new Response("", { status: 502 }),
      () => Response.json({ ...RECORD, status: "completed" }),
    ];
    using other = standIn(() => answers.shift()!());
    const ran = await cli.run(["jobs", "wait", "job_1", "--server", other.url, "--json"], KEY);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(ran.out).status).toBe("completed");
    expect(other.asked.map(({ path }) => path)).toEqual(
      ["", "?wait=60", "?wait=60"].map((query) => `/v1/audio/jobs/job_1${query}`),
    );
  });

  test("goes on with a job whose caller does not wait longer, who is told how to fetch the result", async () => {
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    using other = standIn((path) => {
      if (!path.includes("wait=")) return Response.json(RECORD, { status: 202 });
      resolve();
      return new Promise<Response>(() => {});
    });
    const child = Bun.spawn(
      [process.execPath, MAIN, "transcribe", path("talk.wav"), "--wait", "--format", "srt"],
      {
        cwd: cli.folder,
        env: { PATH: Bun.env.PATH, ...KEY, LOQUAT_SERVER: other.url },
        stderr: "pipe",
      },
    );
    await waits;
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(await child.stderr.text()).toBe(
      "The job goes on. Fetch its result later with: loquat jobs content job_1 --format srt\n",
    );
  });
});

test.each([
  [["talk.wav", "--server", "http://127.0.0.1:9"], "Add --background to transcribe with --server."],
  [["https://example.com/talk.mp3"], "Add --background: a server reads https://example.com/talk.mp3."],
  [["talk.wav", "--background", "--output-dir", "out"], "Add --wait to write transcripts to --output-dir."],
])("transcribe %j is refused", async (args, message) => {
  expect(await run("transcribe", ...args)).toMatchObject({ code: 2, out: "", err: `${message}\n` });
});
