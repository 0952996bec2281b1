/** What metering adds to a request. */
import { quantile } from "../harness/row.ts";
import { CALM_PER_SECOND, ONE, start } from "../requests/metered.ts";
import { figure, type Group } from "./group.ts";
import { openEmbedded, openPostgresAndRedis, type Stores } from "./store-groups.ts";

const metered = (
  name: string,
  targets: [string, string, string],
  openStores: () => Promise<Stores>,
): Group => ({
  rounds: 5,
  figures: [
    figure(`${name}: saturation`, "requests/s"),
    figure(`${name}: saturation to unmetered`, "x", targets[0]),
    figure(`${name}: added to p50 at ${CALM_PER_SECOND}/s`, "ms", targets[1]),
    figure(`${name}: added to p99 at ${CALM_PER_SECOND}/s`, "ms", targets[2]),
    figure(`${name}: p99 at ${CALM_PER_SECOND}/s`, "ms"),
  ],
  async open({ instant }) {
    const stores = await openStores();
    const ours = await start(ONE, stores.environment, instant);
    const bare = await start({ ...ONE, metered: false }, stores.environment, instant);
    for (const each of [ours, bare]) await each.saturation(); // until what is hot is compiled
    return {
      async measure() {
        const rate = await ours.saturation();
        const share = rate / (await bare.saturation());
        const [calm, bareCalm] = [
          await ours.latencies(CALM_PER_SECOND),
          await bare.latencies(CALM_PER_SECOND),
        ];
        const added = (q: number) => quantile(calm, q) - quantile(bareCalm, q);
        return [rate, share, added(0.5), added(0.99), quantile(calm, 0.99)];
      },
      async close() {
        await Promise.all([ours, bare].map((each) => each[Symbol.asyncDispose]()));
        await stores[Symbol.asyncDispose]();
      },
    };
  },
});

export const SQLITE = metered("SQLite", ["at least 0.6", "at most 0.4", "at most 2"], openEmbedded);

export const POSTGRES = metered(
  "PostgreSQL and Redis",
  ["at least 0.38", "at most 1", "at most 4"],
  openPostgresAndRedis,
);
