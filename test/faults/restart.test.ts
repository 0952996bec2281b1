/** Promise: a server that is started while the previous one drains comes after it, and interrupts nothing. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type Cli, openCli } from "../cli/process.ts";
import { freePort } from "../free-port.ts";

setDefaultTimeout(240_000);

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli[Symbol.dispose]());

const BODY = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Good morning." });

/** A request that is under way until its body is complete. */
async function startRequest(port: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const socket = connect(Number(port), "127.0.0.1");
  const answer = readStatus(socket);
  const head = [
    "POST /v1/audio/speech HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${BODY.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${BODY.slice(0, 5)}`);
  const metrics = `http://127.0.0.1:${port}/metrics`;
  const isUnderWay = async () => /^loquat_requests_total [1-9]/m.test(await (await fetch(metrics)).text());
  while (!(await isUnderWay())) await Bun.sleep(5);
  return { socket, answer };
}

async function readStatus(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) {
    text += bytes;
    if (text.includes("\r\n")) break;
  }
  return text;
}

const isLogged = (log: string, event: string) =>
  existsSync(log) && readFileSync(log, "utf8").includes(`"${event}"`);

const CASES = [
  ["a start", []],
  ["a take-over", ["--take-over"]],
] as const;

test.each(CASES)("%s after SIGTERM waits for the requests that are under way", async (_name, options) => {
  const PORT = String(freePort());
  const environment = { PORT, LOQUAT_REUSE_PORT: "1", LOQUAT_PLAN: "unmetered", LOG_FORMAT: "json" };
  const old = await cli.serve(environment);
  const { socket, answer } = await startRequest(PORT);
  const ended = old.stop();
  while (!old.complained().includes('"closing"')) await Bun.sleep(5);

  const log = join(cli.folder, "log");
  const next = cli.serve(environment, [...options], log);
  const waits = options.length === 0 ? () => isLogged(log, "waiting_for_server") : isListening(next);
  while (!waits()) await Bun.sleep(5);
  socket.write(BODY.slice(5));
  expect(await answer).toStartWith("HTTP/1.1 200");
  expect(await ended).toBe(0);

  const server = await next;
  expect(readFileSync(log, "utf8").split('"waiting_for_server"').length - 1).toBe(1 - options.length);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await cli.run(["serve"], { ...environment, PORT: "0" })).err).toContain(
    "is in use by another server",
  );
  expect(await server.stop()).toBe(0);
});

/** Whether it has its port already, beside the server that it takes over from. */
function isListening(server: Promise<unknown>): () => boolean {
  let listens = false;
  void server.then(() => {
    listens = true;
  });
  return () => listens;
}
