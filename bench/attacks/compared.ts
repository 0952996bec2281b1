/**
 * The same attacks against this checkout and an earlier one, in turns, each on a fresh server: how many attempts were answered,
 * how many probes of /healthz were held up, the longest of them, and the memory above that of the server at rest.
 *
 *   BENCH_AGAINST=FOLDER BENCH_ATTACK_SECONDS=5 npm run bench -- attacks
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/free-port.ts";
import { type Checkout, HERE, otherIn } from "../against/checkout.ts";
import { residentKib } from "../harness/process.ts";
import type { Row } from "../harness/row.ts";
import { type Server, startNode, startServer, wyomingKeyIn } from "../harness/server.ts";

/** `start`: the attack on a server, by a process that prints its attempts when it ends. */
export type Attack = {
  name: string;
  start(server: Server): Promise<Bun.Subprocess<"ignore", "pipe", "inherit">>;
};

type Measured = { attempts: number; probes: number; held: number; longestMs: number; memoryMib: number };

const PORT_FLOODS = fileURLToPath(new URL("../../test/faults/port-floods.ts", import.meta.url));
const EVERY_MS = 20;
const HELD_MS = 250;
const WYOMING = "strangers at Wyoming's port";

export async function compareAttacks(folder: string, attacks: Attack[], seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  const table = [
    "| Attack | attempts | probes within 250 ms | longest probe | memory above |",
    "| --- | --- | --- | --- | --- |",
  ];
  const all = [...attacks.map(({ name }) => name), WYOMING];
  for (const name of all) {
    const attack = attacks.find((each) => each.name === name) ?? null;
    const before = await measured(otherIn(folder), attack, seconds);
    const after = await measured(HERE, attack, seconds);
    table.push(`| ${[name, ...cellsOf(before, after)].join(" | ")} |`);
    rows.push(
      { name: `${name}: longest probe`, value: after.longestMs, unit: "ms", target: `at most ${HELD_MS}` },
      { name: "  the other checkout", value: before.longestMs, unit: "ms" },
    );
  }
  process.stdout.write(`${table.join("\n")}\n`);
  return rows;
}

const cellsOf = (before: Measured, after: Measured): string[] =>
  [
    ({ attempts }: Measured) => attempts.toFixed(0),
    ({ probes, held }: Measured) => `${probes - held} of ${probes}`,
    ({ longestMs }: Measured) => `${longestMs.toFixed(0)} ms`,
    ({ memoryMib }: Measured) => `${memoryMib.toFixed(0)} MiB`,
  ].map((cell) => `${cell(before)}; ${cell(after)}`);

async function measured(checkout: Checkout, attack: Attack | null, seconds: number): Promise<Measured> {
  if (attack === null) return atWyoming(checkout, seconds);
  await using server = await startServer({ LOG_LEVEL: "silent" }, checkout.command);
  return await probed(server, await attack.start(server), { seconds, endsItself: false });
}

async function atWyoming({ command }: Checkout, seconds: number): Promise<Measured> {
  const LOQUAT_DATA = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const port = String(freePort());
  try {
    const LOQUAT_WYOMING_KEY = await wyomingKeyIn({ LOQUAT_DATA }, command);
    const environment = { LOG_LEVEL: "silent", LOQUAT_DATA, LOQUAT_WYOMING_PORT: port, LOQUAT_WYOMING_KEY };
    await using node = await startNode(environment, command);
    const flood = Bun.spawn(["nice", "-n", "19", process.execPath, PORT_FLOODS, port, String(seconds)], {
      ...{ stdin: "ignore", stdout: "pipe", stderr: "inherit" },
    });
    return await probed(node, flood, { seconds, endsItself: true });
  } finally {
    rmSync(LOQUAT_DATA, { recursive: true, force: true });
  }
}

async function probed(
  { url, pid }: Pick<Server, "url" | "pid">,
  flood: Bun.Subprocess<"ignore", "pipe", "inherit">,
  { seconds, endsItself }: { seconds: number; endsItself: boolean },
): Promise<Measured> {
  const restKib = residentKib(pid);
  const found = { probes: 0, held: 0, longestMs: 0 };
  let peakKib = restKib;
  for (const endsMs = performance.now() + seconds * 1000; performance.now() < endsMs; ) {
    const begun = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    const waitedMs = performance.now() - begun;
    found.probes++;
    if (waitedMs > HELD_MS) found.held++;
    found.longestMs = Math.max(found.longestMs, waitedMs);
    if (found.probes % 5 === 0) peakKib = Math.max(peakKib, residentKib(pid));
    await Bun.sleep(EVERY_MS);
  }
  if (!endsItself) flood.kill("SIGTERM");
  const printed = await flood.stdout.text();
  await flood.exited;
  return { ...found, attempts: attemptsIn(printed), memoryMib: (peakKib - restKib) / 1024 };
}

/** Of what a flood prints: numbers by outcome. */
const attemptsIn = (printed: string): number =>
  Object.values(JSON.parse(printed) as Record<string, number>).reduce((sum, count) => sum + count, 0);
