/** An engine node in the test's own process, on its own port, for harnesses that are to use one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/clock.ts";
import { readConfig } from "../src/config/config.ts";
import { EMBEDDED_FAMILIES, liveName } from "../src/engine/families/families.ts";
import { openLog } from "../src/log/log.ts";
import { openMetrics } from "../src/metrics/metrics.ts";
import { openEngineNode } from "../src/server/engine-node/engine-node.ts";
import { openEnginePort } from "../src/server/engine-node/engine-port.ts";
import type { Services } from "../src/server/services.ts";
import { until } from "./until.ts";

const SECRET = "a secret of the tests, with enough characters";

/** LOQUAT_TEST_ENGINE_NODE=1: every harness of this run uses an engine node. */
export const isAskedFor = (): boolean => Bun.env.LOQUAT_TEST_ENGINE_NODE === "1";

/** `environment`: that of an API node which is to use it, for where its packages are. */
export function openTestNode({ LOQUAT_MODELS, LOQUAT_WEIGHTS, LOQUAT_THREADS }: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "loquat-engine-node-"));
  const shared = Object.entries({ LOQUAT_MODELS, LOQUAT_WEIGHTS, LOQUAT_THREADS });
  const config = readConfig({
    ...Object.fromEntries(shared.filter(([, value]) => value !== undefined)),
    LOQUAT_ROLE: "engine",
    LOQUAT_ENGINE_SECRET: SECRET,
    LOQUAT_DATA: folder,
    PORT: "0",
  });
  const log = openLog("silent", () => {});
  const node = openEngineNode(config, {}, log);
  const { signal: draining } = new AbortController();
  const server = openEnginePort({ config, metrics: openMetrics(), clock: systemClock, node, draining });
  return {
    node,
    environment: { LOQUAT_ENGINES: `ws://127.0.0.1:${server.port}`, LOQUAT_ENGINE_SECRET: SECRET },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the API node knows the engines of its engine nodes. */
export async function joined({ fleet }: Pick<Services, "fleet">, count = 1): Promise<void> {
  const offering = () => fleet!.fleet.nodes().filter((node) => node.offers().length > 0);
  await until(() => offering().length >= count);
}

/** Throws where the API node has run an embedded engine, all of which its engine node has. */
export function expectRemote({ registry }: Pick<Services, "registry">): void {
  const embedded = Object.keys(EMBEDDED_FAMILIES).flatMap((name) => [name, liveName(name)]);
  const started = registry.started().filter((key) => embedded.includes(key));
  if (started.length > 0) throw new Error(`not run on the engine node: ${started.join(", ")}`);
}
