/** Promise: a server without free descriptors answers or refuses with the reason, charges no refusal, and recovers by itself. */
import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { openEncoder } from "../../src/audio/encode.ts";
import { openCli } from "../cli/process.ts";
import { until } from "../until.ts";

const LEFT = 4;
const STEP_MS = 30_000;
const REASON = "too many open connections";
const NOT_STARTED = "female-sunny"; // spoken by processes that start with its first text
const prlimit = Bun.which("prlimit");
const unless = prlimit ? "" : " (skipped: prlimit is not here)";
const cli = openCli();
afterAll(() => cli[Symbol.dispose]());

const speechBy = (voice: string) => JSON.stringify({ model: "svc-tts1", voice, input: "Hello." });
const FORM = { boundary: "part", head: 'content-disposition: form-data; name="' };

/** A second of silence as MP3, which a process of its own decodes. */
async function recording(): Promise<Buffer> {
  const encoder = await openEncoder("mp3", { sampleRate: 24_000, sampleCount: 24_000 });
  const mp3 = [encoder.encode(new Float32Array(24_000)), encoder.finish().tail];
  const { boundary, head } = FORM;
  const before = `--${boundary}\r\n${head}model"\r\n\r\nsvc-stt1\r\n--${boundary}\r\n${head}file"; filename="a.mp3"\r\n\r\n`;
  return Buffer.concat([Buffer.from(before), ...mp3, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

/** Names the step that hangs, which the time limit of a test does not. */
async function within<T>(step: string, result: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end of: ${step}`)), STEP_MS);
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

type Answer = { status: number; body: string };

/** Requests over one connection, which stays open. */
function openCaller(url: string, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (path: string, body?: string | Buffer, type = "application/json") => {
    const answer = new Promise<Answer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": type }) };
      const options = { agent, headers, method: body ? "POST" : "GET" };
      const sent = request(new URL(path, url), options, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          resolve({ status: response.statusCode!, body: Buffer.concat(parts).toString("latin1") }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    });
    return within(typeof body === "string" ? `${path} ${body}` : path, answer);
  };
  return {
    ask,
    speak: (voice = "female-warm") => ask("/v1/audio/speech", speechBy(voice)),
    transcribe: async () =>
      ask("/v1/audio/transcriptions", await recording(), `multipart/form-data; boundary=${FORM.boundary}`),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

const limitTo = (pid: number, limit: number | string) =>
  Bun.spawnSync([prlimit!, "--pid", `${pid}`, `--nofile=${limit}:`]);

test.skipIf(!prlimit)(`descriptors run out, and are free again${unless}`, async () => {
  const server = await within("start", cli.serve({ LOQUAT_THREADS: "1" }));
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  using caller = openCaller(server.url, key);
  const { hostname, port } = new URL(server.url);
  const usual = [await caller.speak(), await caller.transcribe()];
  expect(usual.map(({ status }) => status)).toEqual([200, 200]);

  const before = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${server.pid}/limits`, "utf8"))![1]!;
  limitTo(server.pid, readdirSync(`/proc/${server.pid}/fd`).length + LEFT);
  const others: Socket[] = Array.from({ length: 10 * LEFT }, () =>
    connect(Number(port), hostname).on("error", () => {}),
  );
  await within(
    "descriptors_exhausted",
    until(() => server.complained().includes('"descriptors_exhausted"')),
  );
  expect(await caller.ask("/healthz")).toMatchObject({ status: 200 });
  const ready = await caller.ask("/readyz");
  expect([ready.status, ready.body]).toEqual([503, expect.stringContaining("descriptors_exhausted")]);
  for (let round = 0; round < 3; round++) {
    const needsNone = [await caller.ask("/v1/models"), await caller.speak()];
    expect(needsNone.map(({ status }) => status)).toEqual([200, 200]);
    const decoded = await caller.transcribe();
    expect([decoded.status, decoded.body]).toEqual([503, expect.stringContaining(REASON)]);
    const started = await caller.speak(NOT_STARTED); // its process may have found some
    if (started.status !== 200)
      expect([started.status, started.body]).toEqual([503, expect.stringContaining(REASON)]);
  }

  for (const other of others) other.destroy();
  limitTo(server.pid, before);
  await within(
    "descriptors_available",
    until(() => server.complained().includes('"descriptors_available"')),
  );
  using another = openCaller(server.url, key);
  const after = [
    await another.speak(NOT_STARTED),
    await another.speak(),
    await another.transcribe(),
    await another.ask("/readyz"),
  ];
  expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const lines = server.complained().split("\n");
  expect(lines.filter((line) => line.includes('"descriptors_exhausted"'))).toHaveLength(1);
  const requests = lines.filter((line) => line.includes('"event":"request"')).map((line) => JSON.parse(line));
  const unpaid = requests.filter(({ status, costMicros }) => status !== 200 && costMicros !== 0);
  expect(unpaid).toEqual([]);
  expect((await within("ledger verify", cli.run(["ledger", "verify"]))).code).toBe(0);
  expect(await within("SIGTERM", server.stop())).toBe(0);
});
