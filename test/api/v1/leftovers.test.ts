/** Promise: a client that disconnects at any stage leaves no process, file, connection or charge behind. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { hoursOfSilence } from "../../audio/hostile.ts";
import { type Cli, openCli } from "../../cli/process.ts";
import { takes, until } from "../../until.ts";
import { form } from "./form.ts";

const needs = process.platform === "linux" ? "" : " (skipped: needs /proc)";
const hears = installedFamilies().has("sphinx");

let cli: Cli;
let server: Awaited<ReturnType<Cli["serve"]>>;
let key: string;
beforeAll(async () => {
  cli = openCli();
  mkdirSync(join(cli.folder, "tmp"));
  server = await cli.serve({ TMPDIR: join(cli.folder, "tmp"), LOG_LEVEL: "warn" });
  const [first] = JSON.parse((await cli.run(["org", "list", "--json"])).out).data;
  const many = [
    "--requests",
    "100000",
    "--concurrency",
    "1000",
    "--characters",
    "100000000",
    "--seconds",
    "1000000",
  ];
  await cli.run(["org", "set-limits", first.id, ...many]);
  await cli.run(["credit", "grant", "1000"]);
  key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
});
afterAll(async () => {
  await server.stop();
  cli[Symbol.dispose]();
});

const authorized = (init: RequestInit) =>
  ({ method: "POST", ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } }) as const;
const ask = (path: string, init: RequestInit) => fetch(`${server.url}/v1/audio/${path}`, authorized(init));
const input = "It was a long story, and he told all of it. ".repeat(60);
const speech = (fields: object) =>
  JSON.stringify({ model: "svc-tts1", voice: "female-warm", input, ...fields });

/** Sends the first bytes of a request and hangs up. */
async function hangUpAfter(path: string, { headers, body }: { headers: object; body: Buffer }, sent: number) {
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(server.url).port),
    socket: { data() {} },
  });
  const lines = Object.entries({ authorization: `Bearer ${key}`, "content-length": body.length, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`POST /v1/audio/${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n`);
  socket.write(body.subarray(0, sent));
  await takes(30);
  socket.terminate();
}

/** Reads the first bytes of an answer and hangs up. */
async function leaveAfterFirst(path: string, init: RequestInit) {
  const caller = new AbortController();
  const answer = await ask(path, { ...init, signal: caller.signal });
  await answer.body!.getReader().read();
  caller.abort();
}

/** Hangs up while the server works and has not answered. */
async function leaveWhileWorking(path: string, init: RequestInit) {
  await ask(path, { ...init, signal: AbortSignal.timeout(60) }).catch(() => null);
}

const recording = async () => Buffer.from(await (await ask("speech", { body: speech({}) })).arrayBuffer());
const upload = (file: Uint8Array, fields: [string, string][] = []) =>
  form([["model", "svc-stt1"], ...fields, ["file", file]]);

async function abuse(long: Buffer, bomb: Uint8Array) {
  const body = Buffer.from(speech({}));
  const json = { headers: { "content-type": "application/json" }, body };
  await hangUpAfter("speech", json, 0);
  await hangUpAfter("speech", json, body.length / 2);
  await hangUpAfter("speech", json, body.length);
  await leaveWhileWorking("speech", { body });
  for (const response_format of ["pcm", "mp3", "opus", "flac", "wav"]) {
    await leaveWhileWorking("speech", { body: speech({ response_format }) });
  }
  await leaveAfterFirst("speech", { body: speech({ response_format: "pcm", stream: true }) });
  await leaveAfterFirst("speech", { body: speech({ response_format: "pcm", stream_format: "sse" }) });
  await leaveAfterFirst("speech", {
    body: speech({ model: "svc-tts2", response_format: "mp3", stream: true }),
  });
  const files = [upload(long), upload(bomb)];
  for (const file of files) {
    await hangUpAfter("transcriptions", file, 0);
    await hangUpAfter("transcriptions", file, 100_000);
    await hangUpAfter("transcriptions", file, file.body.length);
    await leaveWhileWorking("transcriptions", file);
  }
  if (hears) await leaveAfterFirst("transcriptions", upload(long, [["stream", "true"]]));
}

const childrenOf = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
const descriptors = () => readdirSync(`/proc/${server.pid}/fd`).length;

test.skipIf(needs !== "")(
  `clients that disconnect leave nothing behind${needs}`,
  async () => {
    const [long, bomb] = [await recording(), hoursOfSilence(20)];
    await abuse(long, bomb);
    await until(() => childrenOf(server.pid).length === 0);
    const before = descriptors();
    await abuse(long, bomb);
    await until(() => childrenOf(server.pid).length === 0);
    await until(() => descriptors() <= before + 2);
    expect(readdirSync(join(cli.folder, "tmp"))).toEqual([]);
    const next = await ask("speech", { body: speech({ input: "Still here." }) });
    expect(next.status).toBe(200);
    await next.arrayBuffer();
  },
  240_000,
);
