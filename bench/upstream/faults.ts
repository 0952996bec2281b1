/**
 * Ten thousand requests to an upstream of which one answer in twenty is faulty: each is charged for what was delivered. Those
 * that are refused with 503 are asked again, and counted in addition.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { ask, openFaulty, type Received, TIMEOUTS } from "../../test/upstreams/faulty.ts";
import { inParallel, type Row } from "../harness/row.ts";
import { startServer } from "../harness/server.ts";
import { addUpstream } from "./add-upstream.ts";

const REQUESTS = 10_000;
const CALLERS = 24;
const SERVERS = 3;
const FAULTY = 0.05; // of the answers
const SETTLED_MS = 2000;
const RETRY_MS = 500; // where all servers are busy or out

export async function benchFaults(): Promise<Row[]> {
  await using server = await startServer({ LOG_LEVEL: "silent" });
  const servers = Array.from({ length: SERVERS }, () => openFaulty({ share: FAULTY, random: Math.random }));
  const limits = Object.entries(TIMEOUTS).flatMap(([name, ms]) => ["--set", `timeouts.${name}=${4 * ms}`]);
  const named = ["--model", "tts:acme=acme-tts", "--voice", "acme-voice", "--price", "20000000"];
  const urls = servers.flatMap(({ url }) => ["--url", url]);
  await addUpstream(server, ["faulty", "--api", "openai", ...urls, ...named, ...limits]);
  const answers: Received[] = [];
  await inParallel(CALLERS, REQUESTS, async (turn) => {
    let answer = await ask(server, turn);
    for (; answer.status === 503; answer = await ask(server, turn)) {
      answers.push(answer);
      await Bun.sleep(RETRY_MS);
    }
    answers.push(answer);
  });
  await Bun.sleep(SETTLED_MS);
  for (const each of servers) each[Symbol.dispose]();
  const charged = chargedIn(server.folder);
  const wrong = answers.filter(({ id, characters }) => (charged.get(id) ?? 0) !== characters);
  for (const { id, kind, status, characters } of wrong.slice(0, 5))
    process.stdout.write(
      `  ${id} (${kind}, ${status}): ${charged.get(id)} charged, ${characters} delivered\n`,
    );
  const { data: differences } = await server.loquat<{ data: unknown[] }>("ledger", "verify");
  const faults = servers.reduce(
    (sum, { counts }) => sum + [...counts.values()].reduce((a, b) => a + b, 0),
    0,
  );
  const countOf = (is: (answer: Received) => boolean) => answers.filter(is).length;
  return [
    { name: "requests", value: answers.length, unit: "" },
    { name: "faulty answers of the upstream's servers", value: faults, unit: "" },
    { name: "requests answered in full", value: countOf(({ isWhole }) => isWhole), unit: "" },
    {
      name: "streams broken off",
      value: countOf(({ status, isWhole }) => status === 200 && !isWhole),
      unit: "",
    },
    { name: "requests refused with 502", value: countOf(({ status }) => status === 502), unit: "" },
    { name: "requests refused with 503", value: countOf(({ status }) => status === 503), unit: "" },
    {
      name: "requests charged more or less than was delivered",
      value: wrong.length,
      unit: "",
      target: "at most 0",
    },
    { name: "differences that the ledger finds", value: differences.length, unit: "", target: "at most 0" },
  ];
}

/** Characters by request. */
function chargedIn(folder: string): Map<string, number> {
  using database = new Database(join(folder, "loquat.db"), { readonly: true });
  const sums = "select request_id as id, sum(quantity) as quantity from usage_event group by request_id";
  const rows = database.query(sums).all() as { id: string; quantity: number }[];
  return new Map(rows.map(({ id, quantity }) => [id, quantity]));
}
