/**
 * The activity of all nodes: each writes its minutes into the database, and the node that is asked adds them up. A node
 * that has ended keeps its part of the last hour. An embedded database has one node, whose activity is not written.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { NodeMinuteRows } from "../db/queries/node-minute-rows.ts";
import { unavailableOnError } from "../errors.ts";
import type { Activity } from "../usage/activity.ts";
import { figuresOf, isQuiet, thinned } from "../usage/minute.ts";

const WRITE_MS = 5000;
const KEPT_SECONDS = 3600;

export type SharedActivity = AsyncDisposable & {
  /** The last hour of all nodes, oldest first; the last minute is not over yet. */
  minutes(): Promise<ReturnType<typeof figuresOf>>;
};

/** `rows` null: there is one node. `startedMs`: when its process started. */
type Deps = {
  id: string;
  startedMs?: number;
  rows: NodeMinuteRows | null;
  activity: Activity;
  clock: Clock;
  everyMs?: number;
};

export function shareActivity(deps: Deps): SharedActivity {
  const {
    id,
    startedMs = Math.round(performance.timeOrigin),
    rows,
    activity,
    clock,
    everyMs = WRITE_MS,
  } = deps;
  if (rows === null)
    return { minutes: async () => figuresOf(activity.minutes()), async [Symbol.asyncDispose]() {} };
  const process = { node: id, startedMs };
  const oldest = () => unixSeconds(clock) - KEPT_SECONDS;
  let writtenTo = 0; // minutes before it are in the database
  let writing: Promise<void> | null = null;

  async function write(store: NodeMinuteRows): Promise<void> {
    const minutes = activity.minutes(writtenTo);
    const served = minutes.filter((minute) => !isQuiet(minute)).map(thinned);
    await store.put(process, served, oldest());
    writtenTo = minutes.at(-1)?.start ?? writtenTo;
  }

  /** One at a time. What a database that does not answer has missed is written later. */
  function writeAll(store: NodeMinuteRows): Promise<void> {
    writing ??= write(store)
      .catch(() => {})
      .finally(() => {
        writing = null;
      });
    return writing;
  }

  const timer = setInterval(() => void writeAll(rows), everyMs);
  timer.unref();
  return {
    async minutes() {
      const others = await unavailableOnError("The database", rows.others(process, oldest()));
      return figuresOf(activity.minutes(), others);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await writing;
      await writeAll(rows);
    },
  };
}
