/**
 * `npm run bench -- chaos`: real nodes on one PostgreSQL under load, while something between them fails. Whatever it is, each
 * answer that was delivered is charged once, nothing else is, and the ledger adds up. `BENCH_CHAOS=killed` plays those with
 * the word in their name.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Cli, openCli } from "../../test/cli/process.ts";
import { type Load, lift, startLoadOf } from "../../test/faults/load.ts";
import { type Fixture, openPostgres, openProxy, openRedis } from "../../test/faults/server-fixture.ts";
import { openStandIn, respond, stream, tone } from "../../test/upstreams/stand-in.ts";
import type { Row } from "../harness/row.ts";
import { openBalancer } from "./balancer.ts";

const CALLERS = 6;
const CUT_MS = 10_000;
const SILENT_MS = 60_000;
const CALM_MS = 3000;
const RESTARTS = 6;
const KILLS = 4;
const STREAM = {
  ...{ model: "svc-tts1", voice: "male-classic", response_format: "pcm", stream: true },
  input: "It was the best of times, it was the worst of times, and nobody knew which. ".repeat(8),
};
/** One that was taken back stays as a row of nothing. */
const CHARGES = "select request_id as id from usage_event where quantity > 0";
const SECRET = { LOQUAT_ENGINE_SECRET: "a secret of benchmarks, long enough to be one" };

type Environment = Record<string, string>;

const keyOf = ({ folder }: Cli) => readFileSync(join(folder, "data", "first-key"), "utf8").trim();

/** `serve` starts one more node on the database of the scenario. */
type Stage = {
  cli: Cli;
  database: Fixture;
  shared: Environment;
  serve(environment?: Environment): ReturnType<Cli["serve"]>;
  /** `more`: what is asked for, and how many bytes a whole answer has where its headers do not tell. */
  load(origin: () => string | null, more?: { body?: string; bytes?: number }): Promise<Load>;
};
/**
 * Resolves to the load, once it has stopped; what it used is closed only then. `refuses`: 503 is a right answer meanwhile.
 * `breaks`: so many connections may break, each of a request that was charged.
 */
type Scenario = { name: string; refuses: boolean; breaks?: number; play(stage: Stage): Promise<Load> };

const SCENARIOS: Scenario[] = [
  { name: "PostgreSQL cut off from one of two nodes", refuses: true, play: cutDatabase },
  { name: "Redis cut off from a node", refuses: false, play: cutRedis },
  { name: "an engine node cut off from an API node", refuses: false, play: cutEngines },
  { name: "one of two engine nodes killed in the middle of streams", refuses: false, play: killEngines },
  {
    name: "one of two API nodes killed",
    ...{ refuses: false, breaks: KILLS * CALLERS, play: killNodes },
  },
  { name: "one server of an upstream accepts and says nothing", refuses: false, play: silentUpstream },
  { name: "three nodes restarted in turn behind a balancer", refuses: false, play: rollingRestart },
];

export async function benchChaos(): Promise<Row[]> {
  const named = Bun.env.BENCH_CHAOS;
  const rows: Row[] = [];
  for (const scenario of SCENARIOS)
    if (named === undefined || scenario.name.includes(named)) rows.push(...(await played(scenario)));
  return rows;
}

async function played({ name, refuses, breaks = 0, play }: Scenario): Promise<Row[]> {
  const database = await openPostgres();
  if (database === null) return [];
  await using _database = database;
  using cli = openCli();
  const shared = { DATABASE_URL: database.url.replace(/:\d+\//, ":5432/") };
  const load = await play({
    ...{ cli, database, shared },
    serve: (environment = {}) => cli.serve({ ...shared, ...environment }),
    async load(origin, more = {}) {
      await lift(cli, shared);
      return startLoadOf({ origin, key: keyOf(cli), callers: CALLERS, ...more });
    },
  });
  const events = (await database.query(CHARGES)) as { id: string }[];
  const charged = new Set(events.map(({ id }) => id));
  const verified = await cli.run(["ledger", "verify"], shared);
  const allowed = ["200", ...(refuses ? ["503"] : []), ...(breaks > 0 ? ["broken"] : [])];
  const others = [...load.statuses].filter(([status]) => !allowed.includes(status));
  for (const [status, count] of others) process.stdout.write(`  ${name}: ${count} answers were ${status}\n`);
  const row = (what: string, value: number, target?: string): Row => ({
    ...{ name: `${name}: ${what}`, value, unit: "" },
    ...(target && { target }),
  });
  const none = "at most 0";
  return [
    row("delivered", load.delivered.length),
    row("refused with 503", load.statuses.get("503") ?? 0),
    row(
      "other answers",
      others.reduce((sum, [, count]) => sum + count, 0),
      none,
    ),
    row("slowest, s", load.slowestMs() / 1000),
    row("delivered and not charged", load.delivered.filter((id) => !charged.has(id)).length, none),
    row("charged twice", events.length - charged.size, none),
    row("charged and not delivered", charged.size - load.delivered.length, `at most ${breaks}`),
    row("the ledger does not add up", verified.code === 0 ? 0 : 1, none),
  ];
}

async function cutDatabase({ serve, database, load }: Stage): Promise<Load> {
  const nodes = [await serve({ DATABASE_URL: database.url }), await serve()];
  let turn = 0;
  const loading = await load(() => nodes[turn++ % 2]!.url);
  await Bun.sleep(CALM_MS);
  database.proxy.stall();
  await Bun.sleep(CUT_MS);
  database.proxy.open();
  return await ended(loading, nodes);
}

async function cutRedis({ serve, load }: Stage): Promise<Load> {
  await using redis = (await openRedis())!;
  await using proxy = await openProxy(Number(new URL(redis.url).port));
  const node = await serve({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` });
  const loading = await load(() => node.url);
  await Bun.sleep(CALM_MS);
  proxy.stall();
  await Bun.sleep(CUT_MS);
  proxy.open();
  return await ended(loading, [node]);
}

async function cutEngines({ cli, serve, load }: Stage): Promise<Load> {
  const environment = { ...SECRET, LOQUAT_ROLE: "engine", LOQUAT_DATA: join(cli.folder, "engines") };
  const engines = await cli.serve(environment);
  await using proxy = await openProxy(Number(new URL(engines.url).port));
  const api = await serve({ ...SECRET, LOQUAT_ENGINES: `ws://127.0.0.1:${proxy.port}` });
  const loading = await load(() => api.url);
  await Bun.sleep(CALM_MS);
  proxy.stall();
  await Bun.sleep(CUT_MS);
  proxy.open();
  return await ended(loading, [api, engines]);
}

/** Streams end whole: what a node had not delivered is made by the other. */
async function killEngines({ cli, serve, load }: Stage): Promise<Load> {
  const start = (name: string, port = "0") =>
    cli.serve({ ...SECRET, LOQUAT_ROLE: "engine", LOQUAT_DATA: join(cli.folder, name), PORT: port });
  let mortal = await start("mortal");
  const other = await start("other");
  const { port } = new URL(mortal.url);
  const engines = [mortal, other].map(({ url }) => url.replace("http", "ws")).join(",");
  const api = await serve({ ...SECRET, LOQUAT_ENGINES: engines });
  const body = JSON.stringify(STREAM);
  const { id, bytes } = await askOnce(api.url, keyOf(cli), body);
  const loading = await load(() => api.url, { body, bytes });
  loading.delivered.push(id);
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(CALM_MS);
    await mortal.stop("SIGKILL");
    mortal = await start("mortal", port);
  }
  return await ended(loading, [api, mortal, other]);
}

/** How long an answer is that is whole, and its request. */
async function askOnce(url: string, key: string, body: string): Promise<{ id: string; bytes: number }> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/audio/speech`, { method: "POST", headers, body });
  const { byteLength } = await response.arrayBuffer();
  return { id: response.headers.get("x-request-id")!, bytes: byteLength };
}

async function killNodes({ serve, load }: Stage): Promise<Load> {
  const nodes = [await serve(), await serve()];
  let turn = 0;
  const loading = await load(() => nodes[turn++ % nodes.length]?.url ?? null);
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(CALM_MS);
    await nodes.shift()!.stop("SIGKILL");
    nodes.push(await serve());
  }
  return await ended(loading, nodes);
}

async function silentUpstream({ cli, shared, serve, load }: Stage): Promise<Load> {
  let isSilent = false;
  const clip = [tone(0.3)];
  const open = (isMute: boolean) =>
    openStandIn(({ path }, reply) => {
      if (path.endsWith("/models")) return respond(reply, 200, { body: '{"data":[{"id":"acme"}]}' });
      if (!isMute || !isSilent) stream(reply, clip);
    });
  using mute = open(true);
  using well = open(false);
  const node = await serve();
  const named = ["--model", "tts:acme=acme-tts", "--voice", "acme-voice"];
  const urls = [mute, well].flatMap(({ url }) => ["--url", url]);
  await cli.run(["upstream", "add", "acme", "--api", "openai", ...urls, ...named], shared);
  await Bun.sleep(2000); // a definition is read once a second
  const body = JSON.stringify({ model: "acme-tts", voice: "acme-voice", input: "Go on." });
  const loading = await load(() => node.url, { body });
  await Bun.sleep(CALM_MS);
  isSilent = true;
  await Bun.sleep(SILENT_MS);
  isSilent = false;
  return await ended(loading, [node]);
}

async function rollingRestart({ serve, load }: Stage): Promise<Load> {
  using balancer = await openBalancer();
  const lame = { LOQUAT_LAME_DUCK_SECONDS: "1" };
  const nodes = [await serve(lame), await serve(lame), await serve(lame)];
  const inUse = async () => {
    balancer.use(nodes.map(({ url }) => url));
    while (balancer.ready() < nodes.length) await Bun.sleep(50);
  };
  await inUse();
  const loading = await load(() => balancer.url);
  for (let restart = 0; restart < RESTARTS; restart++) {
    await Bun.sleep(CALM_MS / 2);
    await nodes.shift()!.stop();
    nodes.push(await serve(lame));
    await inUse();
  }
  return await ended(loading, nodes);
}

async function ended(load: Load, nodes: { stop(): Promise<number> }[]): Promise<Load> {
  await Bun.sleep(CALM_MS);
  await load.stop();
  await Promise.all(nodes.map((node) => node.stop()));
  return load;
}
