/**
 * Nodes on one PostgreSQL and Redis, whose engines take 200 ms and hold 8 requests at a time at each node: what two and four of
 * them answer to what one does, whether every answer was charged once, and whether limits are exact over all of them.
 */
import { SQL } from "bun";
import { openDatabase } from "../harness/postgres.ts";
import type { Row } from "../harness/row.ts";
import { type Server, startNode, startServer } from "../harness/server.ts";
import { REDIS } from "../requests/metered.ts";
import { addUpstream } from "../upstream/add-upstream.ts";
import { benchCharges } from "./charges.ts";
import { benchLimits } from "./limits.ts";
import { openStandInEngine, type StandInEngine, speak } from "./stand-in-engine.ts";

const COUNTS = [1, 2, 4];
const PLACES = 8; // of each node
const CALLERS = 12; // of each node: more than its places
const WARM_MS = 3000;
const ROUND_MS = 10_000;
const RATIO = "at least 3.6"; // of the most nodes to one

export async function benchCluster(): Promise<Row[]> {
  if (Bun.env.BENCH_CLUSTER === "charges") return benchCharges();
  await using database = await openDatabase();
  if (database === null) return [];
  using engine = openStandInEngine();
  const environment = { DATABASE_URL: database.url, REDIS_URL: REDIS };
  const rows = await benchNodes(environment, engine);
  return [...rows, ...(await benchCharges())];
}

async function benchNodes(environment: Record<string, string>, engine: StandInEngine): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const first = stack.use(await startServer(environment));
  const named = ["--model", "tts:acme=acme-tts", "--voice", "acme-voice", "--price", "20000000"];
  const places = ["--set", `max_in_flight=${PLACES}`];
  await addUpstream(first, ["engine", "--api", "openai", "--url", engine.url, ...named, ...places]);
  const urls = [first.url];
  const delivered: string[] = [];
  const rates: number[] = [];
  for (const count of COUNTS) {
    while (urls.length < count) urls.push(stack.use(await startNode(environment)).url);
    rates.push(await rateOf(urls, first.key, delivered));
  }
  const answers = rates.map((value, at): Row => {
    const nodes = COUNTS[at]!;
    return { name: `${nodes} node${nodes > 1 ? "s" : ""}: requests answered`, value, unit: "requests/s" };
  });
  const ratio = rates.at(-1)! / rates[0]!;
  return [
    ...answers,
    { name: `${COUNTS.at(-1)} nodes to one`, value: ratio, unit: "x", target: RATIO },
    ...(await chargesOf(delivered, first, environment.DATABASE_URL!)),
    ...(await benchLimits(first, urls, engine)),
  ];
}

/** Requests answered in a second, by callers that keep to a node each. Ids of all answers are added to `delivered`. */
async function rateOf(urls: readonly string[], key: string, delivered: string[]): Promise<number> {
  const begunMs = performance.now() + WARM_MS;
  const untilMs = begunMs + ROUND_MS;
  let answered = 0;
  const caller = async (url: string) => {
    while (performance.now() < untilMs) {
      const { status, id } = await speak(url, key);
      if (status !== 200) throw new Error(`a node answered ${status}`);
      delivered.push(id);
      const nowMs = performance.now();
      if (nowMs >= begunMs && nowMs < untilMs) answered++;
    }
  };
  await Promise.all(urls.flatMap((url) => Array.from({ length: CALLERS }, () => caller(url))));
  return (answered * 1000) / ROUND_MS;
}

/** How many answers were charged not at all, or more than once. */
async function chargesOf(delivered: string[], server: Server, url: string): Promise<Row[]> {
  const sql = new SQL(url, { max: 1 });
  const counted: { id: string; count: number }[] = await sql.unsafe(
    "select request_id as id, count(*)::int as count from usage_event group by request_id",
  );
  await sql.close();
  const charges = new Map(counted.map(({ id, count }) => [id, count]));
  const { data: differences } = await server.loquat<{ data: unknown[] }>("ledger", "verify");
  const lost = delivered.filter((id) => !charges.has(id)).length;
  const doubled = counted.filter(({ count }) => count > 1).length;
  const none = "at most 0";
  return [
    { name: "requests answered in all", value: delivered.length, unit: "" },
    { name: "answers that are not in the ledger", value: lost, unit: "", target: none },
    { name: "requests that were charged twice", value: doubled, unit: "", target: none },
    { name: "differences that the ledger finds", value: differences.length, unit: "", target: none },
  ];
}
