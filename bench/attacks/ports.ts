/**
 * How long a probe of /healthz waits at most while strangers flood each port of a server, every flood at once for five
 * seconds, and the processor time that the server spends on it. The strangers' process takes a core; on a machine without
 * two free ones the server waits for its own, which is told apart.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/free-port.ts";
import { cpuSeconds, queuedMs } from "../harness/process.ts";
import { quantile, type Row } from "../harness/row.ts";
import { startNode, wyomingKeyIn } from "../harness/server.ts";

const SECONDS = 5;
const EVERY_MS = 20;
const FLOOD = fileURLToPath(new URL("../../test/faults/port-floods.ts", import.meta.url));

type Node = Awaited<ReturnType<typeof startNode>>;

export async function benchPorts(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  try {
    return [...(await benchServer(folder)), ...(await benchEngines())];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function benchServer(folder: string): Promise<Row[]> {
  const [metrics, wyoming] = [freePort(), freePort()];
  await using node = await startNode({
    LOQUAT_DATA: folder,
    LOQUAT_METRICS_PORT: String(metrics),
    LOQUAT_WYOMING_PORT: String(wyoming),
    LOQUAT_WYOMING_KEY: await wyomingKeyIn({ LOQUAT_DATA: folder }),
  });
  return [
    ...(await flooded(node, "PORT", portOf(node))),
    ...(await flooded(node, "LOQUAT_METRICS_PORT", metrics)),
    ...(await flooded(node, "LOQUAT_WYOMING_PORT", wyoming)),
  ];
}

async function benchEngines(): Promise<Row[]> {
  await using node = await startNode({
    LOQUAT_ROLE: "engine",
    LOQUAT_ENGINE_SECRET: "one secret for all nodes of this bench",
  });
  return await flooded(node, "PORT of an engine node", portOf(node));
}

async function flooded(node: Node, name: string, port: number): Promise<Row[]> {
  const cpuBefore = cpuSeconds(node.pid);
  const flood = Bun.spawn([process.execPath, FLOOD, String(port), String(SECONDS)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const waits: number[] = [];
  const ownWaits: number[] = [];
  let failed = 0;
  while (flood.exitCode === null) {
    const [begun, queuedBefore] = [performance.now(), queuedMs(node.pid)];
    const isWell = await fetch(`${node.url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isWell) failed++;
    const waitedMs = performance.now() - begun;
    waits.push(waitedMs);
    ownWaits.push(waitedMs - (queuedMs(node.pid) - queuedBefore));
    await Bun.sleep(EVERY_MS);
  }
  process.stdout.write(`  ${name}: connections made ${await flood.stdout.text()}\n`);
  return [
    { name: `${name}: longest probe`, value: Math.max(...waits), unit: "ms", target: "at most 250" },
    {
      name: `${name}: the same, without the server's wait for a core`,
      value: Math.max(...ownWaits),
      unit: "ms",
    },
    { name: `${name}: median probe`, value: quantile(waits, 0.5), unit: "ms" },
    { name: `${name}: probes that failed`, value: failed, unit: "", target: "at most 0" },
    {
      name: `${name}: processor time of the server`,
      value: (cpuSeconds(node.pid) - cpuBefore) / SECONDS,
      unit: "of one core",
    },
  ];
}

const portOf = ({ url }: Node) => Number(new URL(url).port);
