/**
 * What a request costs where there are many of what it touches: live sessions, organizations, keys, voices, aliases, rows of the
 * ledger. Its objects and its processor time should not grow with them, so that all work grows in proportion to requests alone.
 *
 * Objects are counted, and repeat whatever else the machine does. Processor time does not: the servers of all sizes run at once,
 * and are measured in turns.
 */
import { COLLECTED, mediansIn, mediansOf } from "../cost/cost.ts";
import type { Counters } from "../cost/counters.ts";
import { costOf, framesOfSessions, type Kind, ofServer, speechOf } from "../cost/kinds.ts";
import type { Row } from "../harness/row.ts";
import { get, post } from "../harness/wire.ts";
import type { InstantOptions } from "../requests/instant.ts";
import { BODY, ONE } from "../requests/metered.ts";

const TIMES = 1000;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 5;
const RATIO_MAX = 1.25;

type Growth = { name: string; sizes: readonly number[]; open(size: number): Kind["open"] };

const speech = (options: (size: number) => Partial<InstantOptions>) => (size: number) =>
  speechOf({ options: { ...ONE, ...options(size) } });

const listing = (path: string, options: (size: number) => Partial<InstantOptions>) => (size: number) =>
  ofServer((key) => get(path, key), { options: { ...ONE, ...options(size) } });

const BY_ALIAS = BODY.replace("male-classic", "voice-0");
const withAliases = (aliases: number) => ({ plan: "unmetered", seeds: { aliases } }) as const; // prepaid: none
const byAlias = (size: number) =>
  ofServer((key) => post("/v1/audio/speech", key, BY_ALIAS), { options: { ...ONE, ...withAliases(size) } });

const OWN_VOICES_EACH = 20;
const withVoices = (voices: number) => ({
  organizations: Math.max(1, voices / OWN_VOICES_EACH),
  seeds: { voices },
});

const GROWTHS: readonly Growth[] = [
  { name: "a frame, of live sessions", sizes: [1, 100, 1000], open: framesOfSessions },
  {
    name: "speech, of organizations in turn",
    sizes: [1, 10, 100],
    open: speech((organizations) => ({ organizations })),
  },
  { name: "speech, by keys in turn", sizes: [1, 100, 1000], open: speech((keys) => ({ keys })) },
  { name: "speech by an alias, of", sizes: [1, 100, 1000], open: byAlias },
  {
    name: "GET /v1/models, of aliases",
    sizes: [1, 100, 1000],
    open: listing("/v1/models", withAliases),
  },
  {
    name: "GET /v1/voices, of 20 own among",
    sizes: [20, 1000, 10_000],
    open: listing("/v1/voices", withVoices),
  },
  {
    name: "speech, with rows of the ledger",
    sizes: [1, 100_000, 10_000_000],
    open: speech((events) => ({ seeds: { events } })),
  },
];

export async function* benchGrowth(): AsyncGenerator<Row> {
  const words = Bun.env.BENCH_GROWTH?.split(",") ?? [""];
  for (const growth of GROWTHS) if (words.some((word) => growth.name.includes(word))) yield* rowsOf(growth);
}

async function* rowsOf({ name, sizes, open }: Growth): AsyncGenerator<Row> {
  const objects: number[] = [];
  for (const size of sizes) objects.push((await mediansOf(open(size), {})).objects);
  const times = (await inTurns(sizes.map(open))).map(({ processorUs }) => processorUs);
  for (const [index, size] of sizes.entries()) {
    yield { name: `${name} ${size.toLocaleString("en")}`, value: objects[index]!, unit: "objects" };
    yield { name: "  processor time", value: times[index]!, unit: "µs" };
  }
  yield { name: "  objects: of the last to the first", ...ratio(objects) };
  yield { name: "  processor time: of the last to the first", ...ratio(times) };
}

/** Of the last size to the first. */
const ratio = (figures: number[]) => ({
  ...{ value: figures.at(-1)! / figures[0]!, unit: "x", target: `at most ${RATIO_MAX}` },
});

async function inTurns(opens: Kind["open"][]): Promise<Counters[]> {
  await using opened = new AsyncDisposableStack();
  const subjects = [];
  for (const open of opens) subjects.push(opened.use(await open(COLLECTED)));
  const costs: Counters[][] = subjects.map(() => []);
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
    for (const [index, subject] of subjects.entries())
      costs[index]!.push(...(await costOf(subject, TIMES, 1)));
  return costs.map((rounds) => mediansIn(rounds.slice(WARM_UP_ROUNDS)));
}
