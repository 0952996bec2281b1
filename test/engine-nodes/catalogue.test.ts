/**
 * Promise: an API node offers what only its engine nodes have, from when they join, and answers 503 when they have left. The
 * package here is tiny and random; everything else is real.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kokoroContents } from "../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { openTestNode } from "../engine-node.ts";
import { errorOf, type Harness, openHarness } from "../harness.ts";
import { until } from "../until.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-fleet-"));
const node = openTestNode({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" });
let api: Harness;
beforeAll(async () => {
  api = await openHarness({ environment: node.environment });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const versionOf = async (): Promise<string> =>
  ((await (await api.ask("/v1/models/svc-tts1")).json()) as { public_version: string }).public_version;
const speak = (voice: string) =>
  api.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice, input: "Hello, world.", response_format: "pcm" }),
  });
const spent = async () => (await api.parts.ledger.totals(api.organizationId)).costMicros;
const NEURAL = "female-warm"; // the package has it, and an embedded engine that is not as good
const EMBEDDED = "female-crisp";

test("a package that is installed on an engine node is offered by the API node, and synthesizes there", async () => {
  const before = await versionOf();
  storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents: kokoroContents() }), kokoroContents());
  await until(async () => (await versionOf()) !== before);
  const response = await speak(NEURAL);
  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  expect(api.parts.registry.started().filter((key) => key.includes("kokoro"))).toEqual([]);
  expect(node.node.registry.started().filter((key) => key.includes("kokoro"))).toHaveLength(1);
});

test("a model whose last node has left is refused at once with a time to try again, and nothing is charged", async () => {
  const before = await spent();
  await node.node.close();
  await until(() => api.parts.fleet!.fleet.nodes().length === 0);
  const address = node.environment.LOQUAT_ENGINES.replace("ws:", "http:");
  const headers = { authorization: `Bearer ${node.environment.LOQUAT_ENGINE_SECRET}` };
  expect((await fetch(`${address}/engines`, { headers })).status).toBe(503); // the API node cannot come back
  const begunMs = performance.now();
  const response = await speak(NEURAL);
  expect(performance.now() - begunMs).toBeLessThan(5000);
  expect(response.headers.get("retry-after")).toBe("5");
  expect(await errorOf(response)).toMatchObject({ status: 503, code: "service_unavailable" });
  expect(await spent()).toBe(before);
  expect(await versionOf()).toBe("2026-11-22");
  expect((await speak(EMBEDDED)).status).toBe(200); // this node has the engine of that voice
});
