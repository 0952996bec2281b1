/**
 * What events and webhooks cost a request at 500 charges a second: a server that also raises 500 events a second, sends each to an
 * endpoint, and watches each charge with spend alerts, against one that does none of it, in turns. The receiver runs in this
 * process, so that part of its cost counts too.
 */
import { withDatabase } from "../harness/postgres.ts";
import { median, quantile, type Row } from "../harness/row.ts";
import { CALM_PER_SECOND, ONE, REDIS, ROUNDS, start } from "./metered.ts";

export async function benchEvents(): Promise<Row[]> {
  return [
    ...(await compared("SQLite", {})),
    ...(await withDatabase((url) =>
      compared("PostgreSQL and Redis", { DATABASE_URL: url, REDIS_URL: REDIS }),
    )),
  ];
}

async function compared(stores: string, environment: Record<string, string>): Promise<Row[]> {
  let received = 0;
  await using receiver = receiving(() => received++);
  const reachable = {
    ...environment,
    LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8",
    LOQUAT_SECRET: "x".repeat(64),
  };
  await using telling = await start({ ...ONE, told: receiver.url }, reachable);
  await using silent = await start(ONE, environment);
  const [ours, theirs]: [number[], number[]] = [[], []];
  let sent = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const before = received;
    const p99 = quantile(await telling.latencies(CALM_PER_SECOND), 0.99);
    sent = received - before;
    const without = quantile(await silent.latencies(CALM_PER_SECOND), 0.99);
    if (round === 0) continue; // until then, what is hot is compiled
    ours.push(p99);
    theirs.push(without);
  }
  if (sent === 0) throw new Error("no webhook was sent");
  const row = (name: string, figure: Omit<Row, "name">): Row => ({ name: `${stores}: ${name}`, ...figure });
  const ratio = { value: median(ours) / median(theirs), unit: "x", target: "at most 1.1" };
  return [
    row("p99 with events and webhooks", { value: median(ours), unit: "ms" }),
    row("p99 without", { value: median(theirs), unit: "ms" }),
    row("p99, ratio", ratio),
    row("webhooks that arrived in the last round", { value: sent, unit: "webhooks" }),
  ];
}

function receiving(came: () => void) {
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      await request.arrayBuffer();
      came();
      return new Response(null, { status: 204 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}
