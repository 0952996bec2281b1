/** Promise: the activity page has the last hour of all nodes, also of those that have ended since, in bounded rows. */
import { afterAll, describe, expect, test } from "bun:test";
import { shareActivity } from "../../src/cluster/shared-activity.ts";
import { openPostgres as openDatabase } from "../../src/db/open-postgres.ts";
import { openNodeMinuteRows } from "../../src/db/queries/node-minute-rows.ts";
import { openActivity } from "../../src/usage/activity.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { heldClock } from "../harness.ts";
import { until } from "../until.ts";

const server = await openPostgres();
const database = server && (await openDatabase(server.url));
const unlessPostgres = server ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)";
afterAll(async () => {
  await database?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const START = 1_800_000_000;
const MINUTE_MS = 60_000;

function open(id: string, startedMs = 1) {
  const rows = openNodeMinuteRows(database!);
  const clock = heldClock(START * 1000);
  const activity = openActivity(clock);
  const shared = shareActivity({ id, startedMs, rows, activity, clock, everyMs: 10 });
  const serve = (count: number, firstByteMs: number) => {
    for (let made = 0; made < count; made++) activity.ended({ status: 200, firstByteMs, isSession: false });
  };
  return { clock, activity, shared, serve };
}

const storedRows = async () =>
  Number(Object.values((await server!.query("select count(*) from node_minute"))[0]!));

describe.skipIf(!server)(`on PostgreSQL${unlessPostgres}`, () => {
  test("a minute has the requests of every node, and of one that has ended", async () => {
    const [one, other] = [open("one"), open("other")];
    one.serve(3, 10);
    other.serve(1, 40);
    await other.shared[Symbol.asyncDispose]();
    expect((await one.shared.minutes()).at(-1)).toMatchObject({
      start: START,
      succeeded: 4,
      p50Ms: 10,
      p95Ms: 40,
    });
    await one.shared[Symbol.asyncDispose]();
    const next = open("other", 2); // the same node, started again
    expect((await next.shared.minutes()).at(-1)).toMatchObject({ succeeded: 4 });
    await next.shared[Symbol.asyncDispose]();
  });

  test("a minute is complete once it is over, quiet ones take no room, and rows of an hour ago are deleted", async () => {
    await server!.query("delete from node_minute");
    const one = open("one");
    one.serve(700, 10);
    await until(async () => (await storedRows()) === 1);
    one.serve(1, 10);
    one.clock.pass(3 * MINUTE_MS);
    one.serve(1, 10);
    await until(async () => (await storedRows()) === 2);
    const reader = open("reader");
    reader.clock.pass(3 * MINUTE_MS);
    const minutes = await reader.shared.minutes();
    expect(minutes.slice(-4).map(({ succeeded }) => succeeded)).toEqual([701, 0, 0, 1]);
    const [row] = await server!.query(
      "select jsonb_array_length(waits) as kept from node_minute order by start",
    );
    expect(row).toEqual({ kept: 20 });
    one.clock.pass(63 * MINUTE_MS);
    await until(async () => (await storedRows()) === 0);
    for (const { shared } of [one, reader]) await shared[Symbol.asyncDispose]();
  });
});

test("a server with an embedded database has its own activity only", async () => {
  const clock = heldClock(START * 1000);
  const activity = openActivity(clock);
  await using shared = shareActivity({ id: "alone", rows: null, activity, clock });
  activity.ended({ status: 503, firstByteMs: null, isSession: false });
  expect((await shared.minutes()).at(-1)).toMatchObject({ failed: 1, p50Ms: null });
  expect(await shared.minutes()).toHaveLength(60);
});
