/** Promise: whatever strangers send to a port of the server, it goes on answering at all of them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { type Cli, openCli } from "../cli/process.ts";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";
import { withPeer } from "../wyoming/peer.ts";
import { floodPort } from "./port-floods.ts";

const SECRET = { LOQUAT_ENGINE_SECRET: "one secret for all nodes of this test" };
const FLOOD_MS = 1500;

async function serveEveryPort(cli: Cli) {
  const first = await cli.serve();
  const made = JSON.parse((await cli.run(["keys", "create", "--name", "wyoming", "--json"])).out);
  await first.stop();
  const [metrics, wyoming] = [freePort(), freePort()];
  const api = await cli.serve({
    LOQUAT_METRICS_PORT: String(metrics),
    LOQUAT_WYOMING_PORT: String(wyoming),
    LOQUAT_WYOMING_KEY: made.id,
  });
  const engines = await cli.serve({
    ...SECRET,
    LOQUAT_ROLE: "engine",
    LOQUAT_DATA: join(cli.folder, "engines"),
  });
  return { api, engines, metrics, wyoming };
}

test("floods of every port leave every port answering", async () => {
  using cli = openCli();
  const { api, engines, metrics, wyoming } = await serveEveryPort(cli);
  const answers = async (url: string) => (await fetch(url)).status === 200;
  const health = [`${api.url}/healthz`, `${engines.url}/healthz`];
  const isWell = async () => (await Promise.all(health.map(answers))).every(Boolean);
  const isOpen = async () => {
    if (!(await isWell()) || !(await answers(`http://127.0.0.1:${metrics}/metrics`))) return false;
    return withPeer(wyoming, async (peer) => {
      peer.send("ping");
      return (await peer.next())?.type === "pong";
    });
  };
  const ports = { api: Number(new URL(api.url).port), engines: Number(new URL(engines.url).port) };
  for (const [name, port] of Object.entries({ ...ports, metrics, wyoming })) {
    const over = AbortSignal.timeout(FLOOD_MS);
    const flooding = floodPort({ hostname: "127.0.0.1", port }, over);
    while (!over.aborted) {
      expect({ name, isWell: await isWell() }).toEqual({ name, isWell: true });
      await Bun.sleep(20);
    }
    for (const made of Object.values(await flooding)) expect(made).toBeGreaterThan(0);
    await until(isOpen); // where connections are limited, those of the flood end first
  }
  expect(await api.stop()).toBe(0);
  expect(await engines.stop()).toBe(0);
});
