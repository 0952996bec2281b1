/**
 * Promise: requests survive the loss of an engine node, of its network and of its answers, and are charged once; nodes
 * without the secret, or of another protocol, are refused by name.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { ENGINES_PATH, PROTOCOL } from "../../src/engine/remote/messages.ts";
import { type Cli, openCli } from "../cli/process.ts";
import { until } from "../until.ts";
import { lift, startLoad } from "./load.ts";

const MINUTES_MS = 180_000;
const SECRET = { LOQUAT_ENGINE_SECRET: "one secret for all nodes of this test" };

const serveEngines = (cli: Cli, environment: Record<string, string> = {}) =>
  cli.serve({ ...SECRET, LOQUAT_ROLE: "engine", LOQUAT_DATA: join(cli.folder, "engines"), ...environment });
const serveApi = (cli: Cli, urls: string[], environment: Record<string, string> = {}) =>
  cli.serve({
    ...SECRET,
    ...(urls.length > 0 && { LOQUAT_ENGINES: urls.map((url) => url.replace("http", "ws")).join(",") }),
    ...environment,
  });
const keyOf = (cli: Cli) => readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();

type Serving = Awaited<ReturnType<Cli["serve"]>>;

const untilLogged = (server: Serving, text: string) => until(() => server.complained().includes(text));
const metric = async ({ url }: Serving, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
};
/** Tasks of the voices that the load uses. */
const tasksOf = (server: Serving) =>
  metric(server, 'loquat_engine_task_duration_seconds_count\\{engine="flite"\\}');

async function speak({ url }: Serving, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on." }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function expectVerified(cli: Cli): Promise<void> {
  const { code, out } = await cli.run(["ledger", "verify"]);
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("add up") });
}

test(
  "an engine node killed repeatedly under load costs no request, and each is charged once",
  async () => {
    using cli = openCli();
    let mortal = await serveEngines(cli);
    const other = await serveEngines(cli);
    const { port } = new URL(mortal.url);
    const api = await serveApi(cli, [mortal.url, other.url]);
    await lift(cli);
    await until(async () => (await metric(api, "loquat_engine_nodes")) === 2);
    const load = startLoad(() => api.url, keyOf(cli));
    for (let kill = 0; kill < 2; kill++) {
      const enough = load.delivered.length + 20;
      await until(() => load.delivered.length >= enough);
      await mortal.stop("SIGKILL");
      const more = load.delivered.length + 20;
      await until(() => load.delivered.length >= more);
      mortal = await serveEngines(cli, { PORT: port });
      await until(async () => (await metric(api, "loquat_engine_nodes")) === 2);
    }
    await load.stop();
    expect(await tasksOf(other)).toBeGreaterThan(20);
    expect(await tasksOf(api)).toBeNaN(); // it has the voice, and did not need it
    await Promise.all([api, mortal, other].map((server) => server.stop()));
    expect([...load.statuses.keys()]).toEqual(["200"]);
    const { requests } = JSON.parse((await cli.run(["usage", "--json"])).out);
    expect(requests).toBe(load.delivered.length);
    await expectVerified(cli);
  },
  MINUTES_MS,
);

test(
  "an engine node that stands still is left, and its tasks run elsewhere",
  async () => {
    using cli = openCli();
    const frozen = await serveEngines(cli);
    const api = await serveApi(cli, [frozen.url]);
    await lift(cli);
    const key = keyOf(cli);
    await until(async () => (await metric(api, "loquat_engine_nodes")) === 1);
    expect(await speak(api, key)).toBe(200);
    expect(await tasksOf(api)).toBeNaN();
    process.kill(frozen.pid, "SIGSTOP");
    const waiting = Promise.all(Array.from({ length: 5 }, () => speak(api, key)));
    await untilLogged(api, "no message in 5 s");
    expect(await waiting).toEqual(Array(5).fill(200));
    expect(await tasksOf(api)).toBe(5);
    process.kill(frozen.pid, "SIGCONT");
    await until(async () => (await metric(api, "loquat_engine_nodes")) === 1);
    expect(await speak(api, key)).toBe(200);
    expect(await tasksOf(api)).toBe(5);
    await Promise.all([api, frozen].map((server) => server.stop()));
    await expectVerified(cli);
  },
  MINUTES_MS,
);

test(
  "an engine node connects to the port of an API node, and comes back after it",
  async () => {
    using cli = openCli();
    let api = await serveApi(cli, []);
    const { port } = new URL(api.url);
    const engines = await serveEngines(cli, { LOQUAT_JOIN: api.url.replace("http", "ws") });
    await lift(cli);
    await until(async () => (await metric(api, "loquat_engine_nodes")) === 1);
    expect(await speak(api, keyOf(cli))).toBe(200);
    expect([await tasksOf(api), await tasksOf(engines)]).toEqual([Number.NaN, 1]);
    const begunMs = performance.now();
    expect(await api.stop()).toBe(0);
    expect(performance.now() - begunMs).toBeLessThan(20_000); // it does not wait for the connection of the engine node
    api = await serveApi(cli, [], { PORT: port });
    await until(async () => (await metric(api, "loquat_engine_nodes")) === 1);
    expect(await engines.stop()).toBe(0);
    await untilLogged(api, "engine_node_left");
    expect(await api.stop()).toBe(0);
  },
  MINUTES_MS,
);

test(
  "a node with another secret is refused by both sides, and the reason is logged",
  async () => {
    using cli = openCli();
    const engines = await serveEngines(cli);
    const api = await serveApi(cli, [engines.url], { LOQUAT_ENGINE_SECRET: "x".repeat(40) });
    await untilLogged(api, "the node has another LOQUAT_ENGINE_SECRET");
    for (const { url } of [engines, api]) {
      expect((await fetch(url + ENGINES_PATH)).status).toBe(401);
      const headers = { authorization: `Bearer ${"y".repeat(40)}` };
      expect((await fetch(url + ENGINES_PATH, { headers })).status).toBe(401);
    }
    expect(await metric(api, "loquat_engine_nodes")).toBe(0);
    const without = await cli.serve({ LOQUAT_DATA: join(cli.folder, "without") });
    expect((await fetch(without.url + ENGINES_PATH)).status).toBe(404);
    const { code, err } = await cli.run(["serve"], { LOQUAT_ROLE: "engine" });
    expect({ code, err }).toMatchObject({ err: expect.stringContaining("LOQUAT_ENGINE_SECRET must be set") });
    await Promise.all([api, engines, without].map((server) => server.stop()));
  },
  MINUTES_MS,
);

test(
  "a node of another protocol is refused by both versions",
  async () => {
    using cli = openCli();
    const engines = await serveEngines(cli);
    const headers = { authorization: `Bearer ${SECRET.LOQUAT_ENGINE_SECRET}` };
    const socket = new WebSocket(engines.url.replace("http", "ws") + ENGINES_PATH, { headers });
    const closed = new Promise<CloseEvent>((resolve) => {
      socket.onclose = resolve;
    });
    socket.onopen = () =>
      socket.send(
        JSON.stringify({
          ...{ type: "hello", protocol: PROTOCOL + 1, role: "api" },
          ...{ version: "9", node: "n", instance: "i" },
        }),
      );
    const { code, reason } = await closed;
    expect([code, reason]).toEqual([
      4001,
      `protocol ${PROTOCOL} here and ${PROTOCOL + 1} there: run one version of Loquat`,
    ]);
    await untilLogged(engines, "node_refused");
    await engines.stop();
  },
  MINUTES_MS,
);

test(
  "an address that accepts and says nothing holds up no request",
  async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    using cli = openCli();
    const { port } = silent.address() as { port: number };
    const api = await serveApi(cli, [`http://127.0.0.1:${port}`]);
    await lift(cli);
    await until(() => sockets.size > 0);
    expect(await speak(api, keyOf(cli))).toBe(200);
    await untilLogged(api, "no answer in 5 s");
    await api.stop();
    for (const socket of sockets) socket.destroy();
    silent.close();
  },
  MINUTES_MS,
);
