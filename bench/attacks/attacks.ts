/**
 * Measures what an attacker costs other callers: each flood runs against a fresh server, beside a caller that requests a
 * word of speech ten times a second, first without the flood and then under it.
 *
 * The attacker is a separate organization with the paid tier's ten concurrent requests, and no practical limit of requests
 * a minute. Its process has the lowest priority, because it would run on another machine. BENCH_ATTACK_SECONDS shortens the
 * rounds, BENCH_ATTACKS="many parts,big frames" selects floods, BENCH_AGAINST compares with another checkout.
 */
import { fileURLToPath } from "node:url";
import { ownKib } from "../harness/process.ts";
import { quantile, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { type Attack, compareAttacks } from "./compared.ts";
import { FLOODS, type FloodName } from "./floods.ts";

const SECONDS = Number(Bun.env.BENCH_ATTACK_SECONDS ?? 60);
const NAMES = Object.keys(FLOODS) as FloodName[];
const CHOSEN = Bun.env.BENCH_ATTACKS?.split(",").map((name) => name.trim());
const FLOOD = fileURLToPath(new URL("floods.ts", import.meta.url));
const EVERY_MS = 100;
const SETTLE_MS = 5000;
const BODY = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on." });

export async function benchAttacks(): Promise<Row[]> {
  const unknown = CHOSEN?.find((name) => !NAMES.includes(name as FloodName));
  if (unknown !== undefined) throw new Error(`BENCH_ATTACKS names no flood: ${unknown}`);
  const chosen = NAMES.filter((name) => CHOSEN?.includes(name) ?? true);
  if (Bun.env.BENCH_AGAINST) return compareAttacks(Bun.env.BENCH_AGAINST, chosen.map(attackOf), SECONDS);
  const rows: Row[] = [];
  for (const name of chosen) rows.push(...(await attack(name)));
  return rows;
}

const floodOf = (name: FloodName, { url }: Server, key: string) =>
  Bun.spawn(["nice", "-n", "19", process.execPath, FLOOD, name, url, key], {
    ...{ stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  });

const attackOf = (name: FloodName): Attack => ({
  name,
  start: async (server) => floodOf(name, server, await attackerKey(server)),
});

async function attack(name: FloodName): Promise<Row[]> {
  await using server = await startServer({ LOG_LEVEL: "silent" });
  const key = await attackerKey(server);
  await callers(server, SETTLE_MS); // until what is hot is compiled
  const calm = await callers(server, SECONDS * 500);
  const flood = floodOf(name, server, key);
  try {
    await Bun.sleep(SETTLE_MS);
    const under = await callers(server, SECONDS * 1000);
    flood.kill("SIGTERM");
    process.stdout.write(`  ${name}: the attacker was answered ${await flood.stdout.text()}\n`);
    const addedMs = quantile(under.latencies, 0.99) - quantile(calm.latencies, 0.99);
    return [
      { name: `${name}: added to the honest p99`, value: addedMs, unit: "ms", target: "at most 50" },
      { name: `${name}: median, without`, value: quantile(calm.latencies, 0.5), unit: "ms" },
      { name: `${name}: median, under it`, value: quantile(under.latencies, 0.5), unit: "ms" },
      {
        name: `${name}: memory above`,
        value: (under.residentKib - calm.residentKib) / 1024,
        unit: "MiB",
        target: "at most 400",
      },
      { name: `${name}: honest requests that failed`, value: under.failed, unit: "", target: "at most 0" },
    ];
  } finally {
    flood.kill("SIGKILL");
    await flood.exited;
  }
}

/** Of an organization with the paid tier's places and more requests a minute than any organization may send. */
async function attackerKey({ loquat }: Server): Promise<string> {
  const { id } = await loquat<{ id: string }>("org", "create", "Attacker");
  const limits = ["--requests", "1000000", "--characters", "100000000", "--seconds", "100000000"];
  await loquat("org", "set-limits", id, ...limits, "--concurrency", "10", "--monthly", "none");
  await loquat("credit", "grant", "1000", "--org", id);
  const { id: project } = await loquat<{ id: string }>("project", "create", "Flood", "--org", id);
  return (await loquat<{ secret: string }>("keys", "create", "--project", project)).secret;
}

/** An honest caller at a steady pace that does not wait for answers, so that a standstill counts as often as it would. */
async function callers({ url, key, pid }: Server, forMs: number) {
  const latencies: number[] = [];
  let failed = 0;
  let peakKib = 0;
  const ask = async () => {
    const begun = performance.now();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${url}/v1/audio/speech`, { method: "POST", headers, body: BODY });
    await response.arrayBuffer();
    if (response.status !== 200) failed++;
    latencies.push(performance.now() - begun);
  };
  const asked: Promise<void>[] = [];
  for (const endsMs = performance.now() + forMs; performance.now() < endsMs; ) {
    asked.push(ask().catch(() => void failed++));
    if (asked.length % 5 === 0) peakKib = Math.max(peakKib, ownKib(pid));
    await Bun.sleep(EVERY_MS);
  }
  await Promise.all(asked);
  return { latencies, failed, residentKib: peakKib };
}
