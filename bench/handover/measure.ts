/**
 * Measures handovers under load, in a process of its own: the namespace of the network may be its own too.
 *
 *   arguments: requests over new connections · requests over kept connections · least handovers
 *
 * Prints what was answered and lost at each port, as JSON.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migratesConnections } from "../../src/server/lifecycle/take-over.ts";
import { freePort } from "../../test/free-port.ts";
import { asking, type Callers, type Count, isResponse, keeping, startCallers } from "./callers.ts";

export type Handovers = {
  migrates: boolean | null;
  handovers: number;
  seconds: number;
  fresh: Count;
  kept: Count;
  metrics: Count;
  wyoming: Count;
};

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const [fresh = 0, kept = 0, handovers = 1] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "loquat-handover-"));
const ports = {
  PORT: String(freePort()),
  LOQUAT_METRICS_PORT: String(freePort()),
  LOQUAT_WYOMING_PORT: String(freePort()),
};

let env: Record<string, string | undefined> = {
  ...{ PATH: Bun.env.PATH, LOQUAT_DATA: folder, LOQUAT_PLAN: "unmetered", LOG_LEVEL: "warn" },
  ...{ LOQUAT_REUSE_PORT: "1", LOQUAT_LAME_DUCK_SECONDS: "1", PORT: ports.PORT },
};
const loquat = (...args: string[]) =>
  Bun.spawn([process.execPath, MAIN, ...args], { env, stdout: "pipe", stderr: "inherit" });

/** Resolves when it listens. */
async function start(...options: string[]) {
  const child = loquat("serve", ...options);
  const reader = child.stdout.getReader();
  for (let text = ""; !text.includes("listens on"); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server ended before it listened: ${text}`);
    text += Buffer.from(value).toString();
  }
  reader.releaseLock();
  return child;
}

async function measure(): Promise<Handovers> {
  let server = await start();
  const { data } = (await loquat("keys", "list", "--json").stdout.json()) as { data: { id: string }[] };
  const key = readFileSync(join(folder, "first-key"), "utf8").trim();
  env = { ...env, ...ports, LOQUAT_WYOMING_KEY: data[0]!.id };
  const takeOver = async () => {
    const previous = server;
    server = await start("--take-over");
    if ((await previous.exited) !== 0) throw new Error("the previous server failed");
  };
  await takeOver(); // the first has no Wyoming, for which it had to make a key
  const get = (path: string) =>
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`;
  const port = Number(ports.PORT);
  const describe = asking(Number(ports.LOQUAT_WYOMING_PORT), '{"type": "describe"}\n', (text) =>
    text.includes('"info"'),
  );
  const begun = performance.now();
  const loads = {
    fresh: startCallers(8, asking(port, get("/v1/models"), isResponse), fresh),
    kept: keptCallers(8, port, get("/v1/models")),
    metrics: startCallers(1, asking(Number(ports.LOQUAT_METRICS_PORT), get("/metrics"), isResponse)),
    wyoming: startCallers(1, describe),
  };
  const sum = ({ count }: Callers) => count.answered + count.lost;
  let done = 0;
  for (; done < handovers || sum(loads.fresh) < fresh || sum(loads.kept) < kept; done++) await takeOver();
  await Promise.all(Object.values(loads).map((load) => load.stop()));
  const seconds = (performance.now() - begun) / 1000;
  server.kill("SIGTERM");
  await server.exited;
  const { fresh: a, kept: b, metrics, wyoming } = loads;
  const counts = { fresh: a.count, kept: b.count, metrics: metrics.count, wyoming: wyoming.count };
  return { migrates: migratesConnections(), handovers: done, seconds, ...counts };
}

/** Each caller has a connection of its own. */
function keptCallers(callers: number, port: number, text: string): Callers {
  const all = Array.from({ length: callers }, () => startCallers(1, keeping(port, text)));
  return {
    get count() {
      const total = { answered: 0, lost: 0 };
      for (const { count } of all) {
        total.answered += count.answered;
        total.lost += count.lost;
      }
      return total;
    },
    stop: async () => void (await Promise.all(all.map((each) => each.stop()))),
  };
}

try {
  process.stdout.write(JSON.stringify(await measure()));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
