/**
 * The order in which tasks reach an engine: live audio first, then organizations in turn, and in each of them what its
 * listeners need first. So a long text delays no other listener's first words, and no flood delays another organization's files.
 *
 *   listener 1   ▶ played │ synthesized │  s3 is due here                  now ──┐
 *   listener 2                 s0 is due at once (no sound yet)                  │
 *
 *   org A: A2's s0 (due)   A1's s3 (listener has sound)   A4 (batch)             next: A2, B3, B3 … A1, A4
 *   org B: B3 B3 (batch)
 *
 * In each round, every waiting organization has one turn; one that joins during a round still gets its turn in it. Those
 * with a task that is due come first, and while there is one, what listeners do not need yet is left out of the rounds. A
 * streamed task is due when its listener has played everything before it, less the time that tasks take; a batch task,
 * a minute after it came. So everything is due at some time, and then has its turn within a round: nothing starves. Tasks in
 * the background, for which no caller waits, start while nothing else waits, and pause while other tasks run. Engines that share
 * their places take such turns within each organization too.
 *
 * Tasks wait by time, not by their number: what was admitted is served. A task whose caller leaves is removed at once.
 */

import type { Transferable } from "node:worker_threads";
import { lackOf, WAIT_MAX_MS } from "../errors.ts";
import { inSpan } from "../tracing/tracing.ts";
import type { EngineWork, ResultOf, Work } from "./protocol/task.ts";
import { isPatient, type Position, type WaitingTask } from "./queue/engine-tasks.ts";
import { type MayRun, openCounts, openWaitingTasks } from "./queue/waiting-tasks.ts";
import { busy, type Claim, type Runner, type RunnerOptions } from "./runner.ts";

export type Scheduler<W extends Work = EngineWork> = AsyncDisposable & {
  run<T extends W["task"]>(task: T, claim: Claim, transfer?: Transferable[]): Promise<ResultOf<T, W>>;
  load(): Load;
};

/** How long a task waited and ran, whether or not it succeeded. */
export type TaskTimes = { urgency: Claim["urgency"]; waitedMs: number; ranMs: number };

/**
 * `ran` is called after each task. `traced`: the name of the engine in the spans of its tasks; without it they have none.
 * `turns`: shared with other engines, which have other names; absent: its own. `now` is a clock in milliseconds.
 */
type QueueOptions = RunnerOptions & {
  ran?: (times: TaskTimes) => void;
  traced?: string;
  turns?: Turns;
  now?: () => number;
};

export function openScheduler<W extends Work = EngineWork>(
  runner: Runner<W>,
  options: QueueOptions,
): Scheduler<W> {
  const { reserved = 0, ran, traced, now = () => performance.now() } = options;
  const { turns = openTurns(options) } = options;
  const engine = { engine: traced ?? "", reserved };
  return {
    async run(task, claim, transfer = []) {
      const trace = traced === undefined ? null : claim.trace;
      const attributes = trace ? { "loquat.engine": traced!, "loquat.urgency": claim.urgency } : {};
      const arrivedMs = now();
      const turn = turns.take(claim, engine);
      await inSpan(trace, ["queue", attributes], () => turn);
      const begunMs = now();
      claim.begun?.();
      try {
        return await inSpan(trace, ["engine", attributes], () => runner.run(task, transfer, claim));
      } catch (cause) {
        throw lackOf(cause) ?? cause;
      } finally {
        const ranMs = now() - begunMs;
        turns.end(claim, engine, ranMs);
        ran?.({ urgency: claim.urgency, waitedMs: begunMs - arrivedMs, ranMs });
      }
    },
    load: () => turns.load(engine.engine),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

/** What one of the engines adds. Its tasks that are not live leave `reserved` places free. */
type EngineTurns = { engine: string } & Pick<RunnerOptions, "reserved">;

/** Tasks that an engine works on, and those that wait for it. */
export type Load = { running: number; waiting: number };

export type Turns = {
  /**
   * Resolves when it is the task's turn; each turn must end. Rejects after `WAIT_MAX_MS`, or at once where the work ahead
   * would take longer, with the time that it takes.
   */
  take(claim: Claim, engine: EngineTurns): Promise<void>;
  end(claim: Claim, engine: EngineTurns, ranMs: number): void;
  load(engine: string): Load;
};

/** `now` is a clock in milliseconds. */
type TurnsOptions = Pick<RunnerOptions, "size" | "sizeNow" | "spare"> & { now?: () => number };

/**
 * How many tasks that callers wait for run in this process. Threads that work in the background read it, and pause meanwhile
 * (`workers/pause.ts`): where every core is busy, callers do not notice them.
 */
export const awaited = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

const LEAD_MIN_MS = 500;
const LEAD_RUNS = 2; // one task that runs already, and the task itself
const WEIGHT = 0.1; // of the last run in the mean

/**
 * The places of one engine, or of several that share them, and the tasks that wait for one.
 *
 *   a free place   the task whose turn it is starts; an organization that runs less than its share comes first
 *   no free place  a task waits, for `WAIT_MAX_MS` at most; one that would wait longer is refused at once.
 *                  Those in the background wait as long as others do
 *
 * An organization's share is the places divided by the organizations that run or wait: alone, it may use all of them.
 */
export function openTurns(options: TurnsOptions): Turns {
  const { size, sizeNow = () => size, now = () => performance.now() } = options;
  const waiting = openWaitingTasks();
  const places = openPlaces(options);
  const runs = openRunTimes();
  const reserves = new Map<string, number>();
  const mayRun: MayRun = (urgency, organization, engine) =>
    places.areFree(urgency, organization, reserves.get(engine) ?? 0);

  /** As the organizations are now. */
  const behind = () => {
    const active = new Set([...waiting.organizations(), ...places.organizations()]);
    const share = Math.max(1, Math.floor(sizeNow() / active.size));
    return (organization: string) => places.of(organization) < share;
  };

  const feed = () => {
    const next = () => waiting.next({ mayRun, isBehind: behind() }, runs.lead(now()));
    for (let task = next(); task; task = next()) {
      places.change(task.position, { by: 1, engine: task.engine, reserved: reserves.get(task.engine) ?? 0 });
      task.start();
    }
  };

  /** Until a task of the organization that comes now has its turn, at the pace of the last runs. */
  const waitMs = (organization: string) => ((waiting.ahead(organization) + 1) * runs.meanMs()) / sizeNow();

  /** Live speech comes before all others, and its sessions measure how late they are. */
  const checkWait = (claim: Claim, engine: string) => {
    if (isPatient(claim) || claim.urgency === "realtime") return;
    if (mayRun(claim.urgency, claim.organization, engine)) return;
    const ms = waitMs(claim.organization);
    if (ms > WAIT_MAX_MS) throw busy(ms);
  };

  return {
    take(claim, { engine, reserved = 0 }) {
      claim.signal.throwIfAborted();
      reserves.set(engine, reserved);
      checkWait(claim, engine);
      const late = () => busy(waitMs(claim.organization));
      const turn = waitFor(waiting, { claim, engine, arrivedMs: now(), late });
      feed();
      return turn;
    },
    end(claim, { engine, reserved = 0 }, ranMs) {
      places.change(claim, { by: -1, engine, reserved });
      if (claim.urgency !== "realtime" && claim.urgency !== "background") runs.ran(ranMs);
      feed();
    },
    load: (engine) => ({ running: places.running(engine), waiting: waiting.length(engine) }),
  };
}

type Change = { by: 1 | -1; engine: string; reserved: number };

/** How many tasks run, and for whom. Places are reserved from the engines that reserve some, and count theirs alone. */
function openPlaces({ size, sizeNow = () => size, spare = 0 }: TurnsOptions) {
  const shares = openCounts();
  const engines = openCounts();
  let running = 0;
  let ofReserving = 0;
  return {
    change({ organization, urgency }: Position, { by, engine, reserved }: Change): void {
      running += by;
      if (urgency !== "background") Atomics.add(awaited, 0, by);
      if (by < 0) Atomics.notify(awaited, 0);
      if (reserved > 0) ofReserving += by;
      shares.change(organization, by);
      engines.change(engine, by);
    },
    running: engines.of,
    organizations: shares.names,
    /** How many of them one organization has. */
    of: shares.of,
    areFree: (urgency: Claim["urgency"], organization: string, reserved: number) =>
      running < sizeNow() + (shares.of(organization) === 0 ? spare : 0) &&
      (urgency === "realtime" || reserved === 0 || ofReserving < sizeNow() - reserved),
  };
}

/** What tasks have taken lately; live ones, of a fraction of a second, are left out, and those in the background. */
function openRunTimes() {
  let meanMs: number | null = null;
  return {
    meanMs: () => meanMs ?? 0,
    /** How long before its listener runs out of sound a task counts as due. */
    lead: (nowMs: number) => ({ nowMs, byMs: nowMs + Math.max(LEAD_MIN_MS, LEAD_RUNS * (meanMs ?? 0)) }),
    ran(ranMs: number): void {
      meanMs = meanMs === null ? ranMs : meanMs + WEIGHT * (ranMs - meanMs);
    },
  };
}

type Waiting = Pick<ReturnType<typeof openWaitingTasks>, "add" | "remove">;
type Arrival = { claim: Claim; engine: string; arrivedMs: number; late: () => Error };

/** Resolves when it is this claim's turn; rejects when the caller leaves, or with what `late` returns. */
function waitFor(waiting: Waiting, { claim, engine, arrivedMs, late }: Arrival): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      claim.signal.removeEventListener("abort", leave);
    };
    const giveUp = (reason: () => unknown) => {
      over();
      waiting.remove(task);
      reject(reason());
    };
    const leave = () => giveUp(() => claim.signal.reason);
    const task: WaitingTask = {
      position: claim,
      engine,
      arrivedMs,
      start() {
        over();
        resolve();
      },
    };
    const timer = isPatient(claim) ? undefined : setTimeout(() => giveUp(late), WAIT_MAX_MS);
    claim.signal.addEventListener("abort", leave, { once: true });
    waiting.add(task);
  });
}
