/** Promise: a server that is asked to stop answers everything that is under way, and charges exactly that. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { dial, MANUAL } from "../api/v1/realtime/live.ts";
import { type Cli, openCli } from "../cli/process.ts";
import { startLoad } from "./load.ts";

setDefaultTimeout(240_000);

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli[Symbol.dispose]());

const recognition = installedFamilies().has("sphinx");
const unlessRecognition = recognition ? "" : " (skipped: libpocketsphinx is not installed)";
const firstKey = () => readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
const unmetered = { LOQUAT_PLAN: "unmetered", LOG_FORMAT: "json" };

const auth = () => ({ authorization: `Bearer ${firstKey()}` });

/** A recording of minutes, which an engine needs many seconds for. */
async function longRecording(url: string): Promise<File> {
  const input = "The captain walked to the river, and counted forty apples on the way. ".repeat(40);
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input, response_format: "wav" });
  const spoken = await fetch(`${url}/v1/audio/speech`, { method: "POST", headers: auth(), body });
  expect(spoken.status).toBe(200);
  return new File([await spoken.arrayBuffer()], "long.wav");
}

function transcribe(url: string, file: File, fields: Record<string, string> = {}): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "svc-stt1", ...fields })) form.set(name, value);
  form.set("file", file);
  return fetch(`${url}/v1/audio/transcriptions`, { method: "POST", headers: auth(), body: form });
}

/** Until so many requests reached an audio endpoint. */
async function underWay(url: string, count: number): Promise<void> {
  const reached = async () =>
    Number(/^loquat_requests_total (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
  while ((await reached()) < count) await Bun.sleep(5);
}

const requestLines = (log: string) =>
  log
    .split("\n")
    .filter((line) => line.includes('"event":"request"'))
    .map((line) => JSON.parse(line));

async function usedRequests(): Promise<number> {
  expect((await cli.run(["ledger", "verify"])).code).toBe(0);
  return JSON.parse((await cli.run(["usage", "--json"])).out).requests;
}

test("everything under way ends well, also what comes before load balancers know", async () => {
  const server = await cli.serve({ ...unmetered, LOQUAT_LAME_DUCK_SECONDS: "1" });
  let url: string | null = server.url;
  const load = startLoad(() => url, firstKey());
  const client = await dial({ url: server.url, key: firstKey() });
  client.update(MANUAL);
  client.append(new Uint8Array(48_000));
  while (load.delivered.length < 20) await Bun.sleep(5);
  const ended = server.stop();
  for (let ready = await readiness(server.url); ; ready = await readiness(server.url)) {
    if (ready.status === 200) continue;
    expect(ready).toEqual({ status: 503, reasons: ["draining"], connection: "close" });
    break;
  }
  const before = load.delivered.length;
  while (load.delivered.length < before + 4) await Bun.sleep(1); // still answered
  url = null;
  await load.stop();
  expect(await ended).toBe(0);
  expect([...load.statuses.keys()]).toEqual(["200"]);
  expect(await client.closed).toEqual({ code: 1001, reason: "closing" });
  if (recognition) expect(client.types()).toContain("completed");
  expect(await usedRequests()).toBe(load.delivered.length + (recognition ? 1 : 0));
});

/** Not `fetch`, which hides the header. */
async function readiness(url: string) {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  get(`${url}/readyz`, resolve);
  const response = await promise;
  const { reasons } = (await new Response(response as never).json()) as { reasons: string[] };
  return { status: response.statusCode, reasons, connection: response.headers.connection };
}

test.skipIf(!recognition)(
  `a recording that takes longer than LOQUAT_DRAIN_SECONDS gets 503 and is not charged${unlessRecognition}`,
  async () => {
    const server = await cli.serve({ ...unmetered, LOQUAT_DRAIN_SECONDS: "1" });
    const file = await longRecording(server.url);
    const whole = transcribe(server.url, file);
    const streamed = transcribe(server.url, file, { stream: "true" });
    await underWay(server.url, 3);
    const code = server.stop("SIGHUP");
    const refused = await whole;
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: "service_unavailable" } });
    expect(await (await streamed).text()).toContain('"code":"service_unavailable"');
    expect(await code).toBe(0);
    const lines = requestLines(server.complained()).slice(1);
    expect(lines.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      [503, "service_unavailable"],
      [503, "service_unavailable"],
    ]);
    expect(server.complained()).toContain('"event":"drain_incomplete"');
    expect(await usedRequests()).toBeLessThanOrEqual(2); // the streamed one may have delivered some segments
  },
);

test.skipIf(!recognition)(`a second signal ends the server at once${unlessRecognition}`, async () => {
  const server = await cli.serve(unmetered);
  const file = await longRecording(server.url);
  const cut = transcribe(server.url, file).catch(() => null);
  await underWay(server.url, 2);
  const code = server.stop();
  while (!server.complained().includes('"event":"closing"')) await Bun.sleep(5);
  void server.stop("SIGINT");
  expect(await code).toBe(130);
  expect(await cut).toBeNull();
});
