/**
 * Does work that must not be lost, such as mails: rows of the database that any node may do, each at least once.
 *
 *   add, in the transaction of the cause ──wake, or a look each second──> claim for a lease ──attempt──> ended, or due again
 *                                                                           └── renewed while it runs
 *
 * A row whose process was killed is due again when its lease is over. A node that stops gives its rows back.
 */
import { type Clock, endsWithin } from "../clock.ts";
import { readEverySecond } from "../db/polling.ts";
import type { NewWork, WorkRows } from "../db/queries/work-rows.ts";
import { randomText } from "../ids.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "./attempt.ts";
import type { Ended } from "./decisions.ts";
import { openRunning } from "./running.ts";

const EXPIRE_MS = 60_000;
const NODE_MAX = 100;
const CLOSING_MS = 3000;
/** Between looks while what is due has no room: each reads what waits. */
const PAUSE_MS = 50;

export type Work = AsyncDisposable & {
  /** Rows of this kind are done by this node too. */
  handle(kind: string, handler: Handler): void;
  /** Durable when it resolves. A known id changes nothing. */
  add(rows: NewWork[]): Promise<void>;
  /** Adds a new row, and begins it here. `first`: how its first attempt ended; null if the node has no room for it now. */
  begin(row: NewWork): Promise<{ first: Promise<Ended> | null }>;
  /** Looks for what is due: a transaction of this process has added rows. Returns at once, never throws. */
  wake(): void;
  /** Does what is due, and waits for it. */
  run(): Promise<void>;
  /** Claims no more, and asks what runs to give its rows back. What is begun here is still attempted. */
  drain(): void;
};

/** `node`: a name of this process for the log and its leases. `clock`: of nodes that share a database, their common time. */
type WorkDeps = { rows: WorkRows; node: string; clock: Clock; log: Log; nodeMax?: number };

export function openWork({ nodeMax = NODE_MAX, ...deps }: WorkDeps): Work {
  const { rows, clock, log } = deps;
  const node = `${deps.node}/${randomText("0123456789abcdef", 8)}`;
  const handlers = new Map<string, Handler>();
  const running = openRunning({ ...deps, node, nodeMax }, wake);
  const { look, looked } = openLooks(pass, wake);
  const expire = openExpiry(deps);
  let isDraining = false;
  const onceRoom = openPause(wake);

  /** Leases are renewed first, since the clock may have leapt: this node must not claim what it is doing. */
  async function pass(): Promise<number> {
    if (handlers.size === 0) return 0;
    await running.renew();
    await expire();
    if (isDraining) return 0;
    let count = 0;
    const due = await rows.dueKinds([...handlers.keys()], clock.now());
    for (const kind of due) count += await running.claim(kind, handlers.get(kind)!);
    onceRoom.isFull = due.length > 0 && count === 0;
    return count;
  }

  /** A failure is reported by the next look of the timer. */
  function wake(): void {
    if (isDraining) return;
    if (onceRoom.isFull) onceRoom.pause();
    else void look().catch(() => {});
  }

  async function run(): Promise<void> {
    let before: number;
    do {
      await running.idle();
      await looked(); // it may have begun before what is due was added
      before = running.ends();
    } while ((await look()) > 0 || running.size() > 0 || running.ends() > before); // what ended may have added rows
  }

  const polling = readEverySecond(look, (cause) => log.warn("work_unavailable", { cause }));

  function drain(): void {
    isDraining = true;
    running.stop();
  }

  return {
    wake,
    run,
    drain,
    handle(kind, handler) {
      handlers.set(kind, handler);
      wake();
    },
    async add(added) {
      await rows.add(added);
      wake();
    },
    async begin(row) {
      const handler = handlers.get(row.kind);
      const begun = handler ? await running.begin(row, handler) : null;
      if (begun) return begun;
      await rows.add([row]);
      return { first: null };
    },
    async [Symbol.asyncDispose]() {
      drain();
      await polling[Symbol.asyncDispose]();
      await endsWithin(CLOSING_MS, Promise.all([running.idle(), looked()]));
    },
  };
}

/** Deletes what has expired, once a minute. */
function openExpiry({ rows, clock }: Pick<WorkDeps, "rows" | "clock">): () => Promise<void> {
  let expiredMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = clock.now();
    if (nowMs - expiredMs < EXPIRE_MS) return;
    await rows.expire(nowMs);
    expiredMs = nowMs;
  };
}

/** `isFull`: what is due waits for slots, or for others of its group. The next look is for all that ask within a while. */
function openPause(over: () => void) {
  let isPausing = false;
  const pause = {
    isFull: false,
    pause() {
      if (isPausing) return;
      isPausing = true;
      setTimeout(() => {
        isPausing = false;
        pause.isFull = false;
        over();
      }, PAUSE_MS).unref();
    },
  };
  return pause;
}

/** One look at a time; once more, by `again`, where another was asked for meanwhile. */
function openLooks(pass: () => Promise<number>, again: () => void) {
  let passing: Promise<number> | null = null;
  let isWoken = false;
  return {
    look(): Promise<number> {
      isWoken = passing !== null;
      passing ??= pass().finally(() => {
        passing = null;
        if (isWoken) again();
      });
      return passing;
    },
    /** Resolves when the look under way has ended. */
    looked: () => Promise.resolve(passing).catch(() => {}),
  };
}
