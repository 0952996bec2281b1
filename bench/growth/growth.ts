/**
 * What a request costs where there are many of what it touches: live sessions, organizations, keys, voices, aliases, rows of the
 * ledger. Its objects and its processor time should not grow with them, so that all work grows in proportion to requests alone.
 *
 * Objects are counted, and repeat whatever else the machine does. Processor time does not: the servers of all sizes run at once,
 * and are measured in turns. `BENCH_GROWTH=keys,aliases` measures what has the words in its name.
 */
import { COLLECTED, mediansIn } from "../cost/cost.ts";
import type { Counters } from "../cost/counters.ts";
import { costOf, type Kind, ofServer, type Subject, secondsOfSessions, speechOf } from "../cost/kinds.ts";
import type { Row } from "../harness/row.ts";
import { get, post } from "../harness/wire.ts";
import type { InstantOptions } from "../requests/instant.ts";
import { BODY, ONE } from "../requests/metered.ts";

const TIMES = 1000;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 3;
const RATIO_MAX = 1.25;
const IDLE_SECONDS = 3;

/** `timesOf`: how often a round asks for one; 1,000 unless said. */
type Growth = {
  name: string;
  sizes: readonly number[];
  open(size: number): Kind["open"];
  timesOf?(size: number): number;
};

type OptionsOf = (size: number) => Partial<InstantOptions>;

const speech = (optionsOf: OptionsOf) => (size: number) =>
  speechOf({ options: { ...ONE, ...optionsOf(size) } });

const listing = (path: string, optionsOf: OptionsOf) => (size: number) =>
  ofServer((key) => get(path, key), { options: { ...ONE, ...optionsOf(size) } });

const BY_ALIAS = BODY.replace("male-classic", "voice-0");
const withAliases = (aliases: number) => ({ plan: "unmetered", seeds: { aliases } }) as const; // prepaid: none
const byAlias = (size: number) =>
  ofServer((key) => post("/v1/audio/speech", key, BY_ALIAS), { options: { ...ONE, ...withAliases(size) } });

const OWN_VOICES_EACH = 20;
const withVoices = (voices: number) => ({ organizations: voices / OWN_VOICES_EACH, seeds: { voices } });

const GROWTHS: readonly Growth[] = [
  {
    name: "a second without audio, of live sessions",
    sizes: [10, 100, 1000],
    open: secondsOfSessions,
    timesOf: (sessions) => sessions * IDLE_SECONDS,
  },
  {
    name: "speech, of organizations in turn",
    sizes: [1, 10, 100],
    open: speech((organizations) => ({ organizations })),
  },
  { name: "speech, by keys in turn", sizes: [1, 100, 1000], open: speech((keys) => ({ keys })) },
  { name: "speech by an alias, of aliases", sizes: [1, 100, 1000], open: byAlias },
  { name: "GET /v1/models, of aliases", sizes: [1, 100, 1000], open: listing("/v1/models", withAliases) },
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

async function* rowsOf(growth: Growth): AsyncGenerator<Row> {
  const { name, sizes } = growth;
  const objects: number[] = [];
  for (const size of sizes) objects.push((await inTurns(growth, [size], {}))[0]!.objects);
  const times = (await inTurns(growth, sizes, COLLECTED)).map(({ processorUs }) => processorUs);
  for (const [index, size] of sizes.entries()) {
    yield { name: `${name} ${size.toLocaleString("en")}`, value: objects[index]!, unit: "objects" };
    yield { name: "  processor time", value: times[index]!, unit: "µs" };
  }
  yield { name: "  objects: of the last to the first", ...ratio(objects) };
  yield { name: "  processor time: of the last to the first", ...ratio(times) };
}

const ratio = (figures: number[]) => ({
  ...{ value: figures.at(-1)! / figures[0]!, unit: "x", target: `at most ${RATIO_MAX}` },
});

/** What each size costs; where several run, in turns. */
async function inTurns(
  { open, timesOf = () => TIMES }: Growth,
  sizes: readonly number[],
  environment: Record<string, string>,
): Promise<Counters[]> {
  await using opened = new AsyncDisposableStack();
  const subjects: { subject: Subject; times: number; costs: Counters[] }[] = [];
  for (const size of sizes) {
    const subject = opened.use(await open(size)(environment));
    subjects.push({ subject, times: timesOf(size), costs: [] });
  }
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
    for (const { subject, times, costs } of subjects) costs.push(...(await costOf(subject, times, 1)));
  return subjects.map(({ costs }) => mediansIn(costs.slice(WARM_UP_ROUNDS)));
}
