/** Promise: the first start prints one key, and a stopping server completes the requests in flight. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { quietFor, takes, until } from "../until.ts";
import { type Cli, MAIN, openCli } from "./process.ts";

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli[Symbol.dispose]());

const keyFile = () => join(cli.folder, "data", "first-key");
const firstKey = () => readFileSync(keyFile(), "utf8").trim();
const speak = (url: string, fields: object) =>
  fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${firstKey()}` },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Hello.", ...fields }),
  });

test("the first start stores its key in a file only its owner can read, and prints a link that sets the server up", async () => {
  const linkIn = (printed: string) => /(http:\S+\/setup)#token=(\w{32}) /.exec(printed);
  const first = await cli.serve();
  expect(first.printed()).toContain(`API key     (stored in ${keyFile()})`);
  expect(first.printed() + first.complained()).not.toContain("sk_live_");
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  expect(statSync(join(cli.folder, "data")).mode & 0o777).toBe(0o700);
  expect((await speak(first.url, {})).status).toBe(200);
  const [, page, token] = linkIn(first.printed())!;
  expect((await fetch(page!)).headers.get("content-type")).toStartWith("text/html");
  expect(await first.stop()).toBe(0);

  const second = await cli.serve(); // it prints one too, since the first was not used
  expect((await speak(second.url, {})).status).toBe(200);
  expect(linkIn(second.printed())?.[2]).not.toBe(token);
  const another = await cli.run(["admin", "link"]); // by another terminal, which does not know the port
  expect(another.out).toStartWith(`${second.url}/setup#token=`);
  const account = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
  const setUp = await fetch(`${second.url}/api/auth/set-up`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, ...account }),
  });
  expect(setUp.status).toBe(200);
  expect(await second.stop("SIGINT")).toBe(0);
  expect(second.printed()).not.toContain("sk_live_");

  const third = await cli.serve();
  expect(linkIn(third.printed())).toBeNull();
  await third.stop();
  expect(await cli.run(["admin", "link"])).toMatchObject({ code: 2, out: "" });
});

test("a young server whose log is lost keeps its key, and an empty one beside a key says so", async () => {
  const data = join(cli.folder, "young");
  const first = await cli.serve({ LOQUAT_DATA: data });
  await first.stop("SIGKILL");
  rmSync(join(data, "loquat.db-wal"));
  rmSync(join(data, "loquat.db-shm"));
  const key = readFileSync(join(data, "first-key"), "utf8").trim();
  const second = await cli.serve({ LOQUAT_DATA: data });
  const models = await fetch(`${second.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(models.status).toBe(200);
  await second.stop();
  rmSync(join(data, "loquat.db"));
  const third = await cli.serve({ LOQUAT_DATA: data });
  await third.stop();
  expect(third.complained()).toContain("database_empty");
  expect(readFileSync(join(data, "first-key.replaced"), "utf8").trim()).toBe(key);
});

test("a server goes on where its standard output is no longer read", async () => {
  const env = { PATH: Bun.env.PATH, LOQUAT_DATA: join(cli.folder, "data"), PORT: "0", LOG_LEVEL: "warn" };
  const server = Bun.spawn([process.execPath, MAIN, "serve"], { cwd: cli.folder, env, stdout: "pipe" });
  const reader = server.stdout.getReader();
  const first = await reader.read();
  await reader.cancel();
  await quietFor(500); // it prints its last line meanwhile
  const url = /listens on (\S+)/.exec(Buffer.from(first.value!).toString())![1];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  server.kill();
  expect(await server.exited).toBe(0);
});

test("the first start prints its key on a terminal, once", async () => {
  let printed = "";
  const onTerminal = () => {
    const terminal = {
      data(_terminal: unknown, bytes: Uint8Array) {
        printed += Buffer.from(bytes);
      },
    };
    const env = { PATH: Bun.env.PATH, LOQUAT_DATA: join(cli.folder, "data"), PORT: "0" };
    return Bun.spawn([process.execPath, MAIN, "serve"], { cwd: cli.folder, env, terminal });
  };
  const first = onTerminal();
  await until(() => printed.includes("API key"));
  expect(printed.split(firstKey()).length - 1).toBe(2);
  expect(printed).toContain(`/playground#key=${firstKey()}`);
  first.kill();
  expect(await first.exited).toBe(0);
  printed = "";
  const second = onTerminal();
  await until(() => printed.includes("API docs"));
  second.kill();
  expect(await second.exited).toBe(0);
  expect(printed).not.toContain("sk_live_");
});

test("a stopping server completes a response in flight", async () => {
  const server = await cli.serve();
  const input = "It was a long story, and he told all of it. ".repeat(20);
  const whole = await (await speak(server.url, { input, response_format: "pcm" })).arrayBuffer();
  const streamed = await speak(server.url, { input, response_format: "pcm", stream: true });
  const ended = server.stop();
  expect((await streamed.arrayBuffer()).byteLength).toBe(whole.byteLength);
  expect(await ended).toBe(0);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

test("a stopping server waits for a client that reads slowly", async () => {
  const server = await cli.serve();
  const input = "It was a long story, and he told all of it. ".repeat(40);
  const length = (await (await speak(server.url, { input })).arrayBuffer()).byteLength;
  const slow = await speak(server.url, { input });
  const reader = slow.body!.getReader();
  const ended = server.stop();
  let read = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    read += step.value.length;
    await takes(20);
  }
  expect(read).toBe(length);
  expect(await ended).toBe(0);
});

test("a server that answers has stored its first key; its port in use is reported by name, and in the log's format", async () => {
  const probe = Bun.serve({ port: 0, fetch: () => new Response() });
  const port = String(probe.port);
  await probe.stop(true);
  const started = cli.serve({ PORT: port });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(answers);
  expect(existsSync(keyFile())).toBe(true);
  await started;
  const elsewhere = join(cli.folder, "elsewhere");
  const environment = { PORT: port, LOQUAT_DATA: elsewhere };
  const { code, err } = await cli.run(["serve"], { ...environment, LOG_FORMAT: "text" });
  expect(code).toBe(1);
  expect(err).toMatch(/^PORT \d+ .* is already in use/);
  const logged = await cli.run(["serve"], { ...environment, LOG_FORMAT: "json" });
  expect(logged.code).toBe(1);
  expect(JSON.parse(logged.err)).toMatchObject({
    level: "error",
    event: "serve_failed",
    message: err.trimEnd(),
  });
  const next = await cli.serve({ LOQUAT_DATA: elsewhere }); // its first key is not lost
  expect(next.printed()).toContain("API key ");
});

test("Wyoming is served under the configured key, and named by doctor", async () => {
  await cli.run(["admin", "create", "ada@example.com"]); // creates the first key
  const [key] = JSON.parse((await cli.run(["keys", "list", "--json"])).out).data;
  const wyoming = { LOQUAT_WYOMING_PORT: "0", LOQUAT_WYOMING_KEY: key.id };
  const server = await cli.serve(wyoming);
  const port = Number(/Wyoming\s+port (\d+)/.exec(server.printed())?.[1]);
  const socket = connect(port, "127.0.0.1");
  socket.write('{"type": "describe"}\n');
  const answer = await new Promise<string>((resolve) =>
    socket.once("data", (bytes) => resolve(String(bytes))),
  );
  expect(answer).toStartWith('{"type":"info"');
  socket.destroy();
  expect((await cli.run(["doctor"], { ...wyoming, LOQUAT_WYOMING_PORT: "10300" })).out).toContain(
    `Wyoming, without authentication, on 127.0.0.1 port 10300: requests use ${key.id}`,
  );
  expect(await server.stop()).toBe(0);
});

test.each([
  ["PORT", "eighty"],
  ["LOG_LEVEL", "loud"],
  ["LOQUAT_MODELS", "/nowhere"],
  ["LOQUAT_DATA", "/dev/null/data"],
  ["DATABASE_URL", "postgres://root@127.0.0.1:9/loquat"],
  ["LOQUAT_WYOMING_PORT", "10300"],
  ["LOQUAT_WYOMING_KEY", "key_0mh3k2q9x1"],
])("an invalid %s is rejected at start", async (name, value) => {
  const { code, err, out } = await cli.run(["serve"], { PORT: "0", [name]: value });
  expect(code).toBe(1);
  expect(err).toContain(name);
  expect(err).not.toContain("    at ");
  expect(out).toBe("");
});

test("a second server on the same data directory is rejected; commands are not", async () => {
  const first = await cli.serve();
  const second = await cli.run(["serve"], { PORT: "0" });
  expect(second).toMatchObject({ code: 1, out: "" });
  expect(second.err).toMatch(/"LOQUAT_DATA: \S+ is in use by another server\. [^\n]+\n$/);
  const listed = await cli.run(["credit", "grant", "1"]);
  expect(listed).toMatchObject({ code: 0, err: "" });
  expect((await speak(first.url, {})).status).toBe(200);

  await first.stop("SIGKILL"); // the lock of a killed process must not block the next one
  writeFileSync(join(cli.folder, "data", "server.lock"), "not a lock".repeat(1000));
  const next = await cli.serve();
  expect((await speak(next.url, {})).status).toBe(200);
  expect((await cli.run(["serve"], { PORT: "0" })).code).toBe(1);
  await next.stop("SIGKILL");
  const last = await cli.serve();
  expect((await speak(last.url, {})).status).toBe(200);
  expect(await last.stop()).toBe(0);
});
