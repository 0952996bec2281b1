/**
 * `npm run bench -- rolling`: three nodes behind haproxy, restarted in turn until 200,000 requests were answered, over new
 * connections and kept ones. None may be lost.
 *
 * haproxy reads `deploy/compose/haproxy.cfg`, with the addresses of this machine. `BENCH_ROLLING_REQUESTS=20000` shortens it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Cli, openCli } from "../../test/cli/process.ts";
import { lift } from "../../test/faults/load.ts";
import { openPostgres, openRedis } from "../../test/faults/server-fixture.ts";
import { freePort } from "../../test/free-port.ts";
import { asking, type Callers, type Count, isResponse, keeping, startCallers } from "../handover/callers.ts";
import type { Row } from "../harness/row.ts";

const REQUESTS = Number(Bun.env.BENCH_ROLLING_REQUESTS ?? 200_000);
const NODES = 3;
const CALLERS = 6; // of each kind
const SPEAKERS = 2;
const LAME_DUCK = { LOQUAT_LAME_DUCK_SECONDS: "2" }; // as in compose.cluster.yaml
const READY_MS = 1000; // longer than haproxy takes to see that a node is ready
const CONFIG = fileURLToPath(new URL("../../deploy/compose/haproxy.cfg", import.meta.url));

export async function benchRolling(): Promise<Row[]> {
  if (Bun.which("haproxy") === null) {
    process.stdout.write("  (haproxy is not installed: its figures are left out)\n");
    return [];
  }
  const database = await openPostgres();
  if (database === null) return [];
  await using _database = database;
  await using redis = (await openRedis())!;
  using cli = openCli();
  const shared = { ...LAME_DUCK, DATABASE_URL: database.url, REDIS_URL: redis.url };
  const ports = Array.from({ length: NODES }, freePort);
  const serve = (port: number) => cli.serve({ ...shared, PORT: String(port) });
  const nodes: { port: number; server: Awaited<ReturnType<typeof serve>> }[] = [];
  for (const port of ports) nodes.push({ port, server: await serve(port) });
  await lift(cli, shared);
  await using balancer = await startBalancer(cli, ports);
  const loads = startLoads(balancer.port, readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim());
  const sum = () => Object.values(loads).reduce((all, { count }) => all + count.answered + count.lost, 0);
  let restarts = 0;
  for (; sum() < REQUESTS; restarts++) {
    const { port, server } = nodes.shift()!;
    await server.stop();
    nodes.push({ port, server: await serve(port) });
    await Bun.sleep(READY_MS);
  }
  await Promise.all(Object.values(loads).map((load) => load.stop()));
  await Promise.all(nodes.map(({ server }) => server.stop()));
  const charged = (await database.query("select distinct request_id from usage_event")).length;
  const verified = await cli.run(["ledger", "verify"], shared);
  const rows = Object.entries(loads).flatMap(([name, { count }]) => rowsOf(name, count));
  const difference = Math.abs(charged - loads.speech.count.answered);
  return [
    { name: "rolling: restarts", value: restarts, unit: "" },
    ...rows,
    { name: "rolling: speech that was answered or charged, and not both", value: difference, ...NONE },
    { name: "rolling: the ledger does not add up", value: verified.code === 0 ? 0 : 1, ...NONE },
  ];
}

const NONE = { unit: "", target: "at most 0" };

const rowsOf = (name: string, { answered, lost }: Count): Row[] => [
  { name: `rolling: ${name}, answered`, value: answered, unit: "" },
  { name: `rolling: ${name}, lost`, value: lost, ...NONE },
];

function startLoads(port: number, key: string) {
  const head = (line: string) => `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n`;
  const models = `${head("GET /v1/models")}\r\n`;
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on." });
  const sent = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return {
    "new connections": startCallers(CALLERS, asking(port, models, isResponse)),
    "kept connections": together(
      Array.from({ length: CALLERS }, () => startCallers(1, keeping(port, models))),
    ),
    speech: startCallers(SPEAKERS, asking(port, head("POST /v1/audio/speech") + sent, isResponse)),
  };
}

/** Callers with a connection each, as one. */
const together = (all: Callers[]): Callers => ({
  get count() {
    const sum = (field: keyof Count) => all.reduce((total, { count }) => total + count[field], 0);
    return { answered: sum("answered"), lost: sum("lost") };
  },
  stop: async () => void (await Promise.all(all.map((each) => each.stop()))),
});

/** Resolves once requests reach a node. */
async function startBalancer(
  { folder }: Cli,
  ports: readonly number[],
): Promise<AsyncDisposable & { port: number }> {
  const port = freePort();
  const path = join(folder, "haproxy.cfg");
  writeFileSync(path, configFor(port, ports));
  const child = Bun.spawn(["haproxy", "-db", "-f", path], { stdout: "ignore", stderr: "ignore" });
  const isReached = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReached())) await Bun.sleep(50);
  await Bun.sleep(READY_MS);
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** Without the names of containers. */
function configFor(port: number, nodes: readonly number[]): string {
  const text = readFileSync(CONFIG, "utf8")
    .replace(/\nresolvers docker\n(?: .*\n)+/, "\n")
    .replace(" resolvers docker init-addr none", "")
    .replace("bind :8080", `bind 127.0.0.1:${port}`);
  return nodes.reduce((all, node, at) => all.replace(`node-${at + 1}:8080`, `127.0.0.1:${node}`), text);
}
