/**
 * The places of one engine, or of several that share them, and the tasks that wait for one: organizations take turns, and
 * within each of them its engines.
 *
 *   a full place   a task waits, unless too many of its engine or of its organization do
 *   a free place   the task whose turn it is starts
 */
import type { Claim } from "./claim.ts";
import type { WaitingTask } from "./queue/engine-tasks.ts";
import type { Position } from "./queue/position.ts";
import { type MayRun, openCounts, openWaitingTasks } from "./queue/waiting-tasks.ts";
import { queueFull, type RunnerOptions } from "./runner.ts";

/** What one of the engines adds. `queueMax` tasks of it may wait; those that are not live leave `reserved` places free. */
type EngineTurns = { engine: string } & Pick<RunnerOptions, "queueMax" | "reserved">;

/** Tasks that an engine works on, and those that wait for it. */
export type Load = { running: number; waiting: number };

export type Turns = {
  /** Resolves when it is the task's turn; each turn must end. Throws where no further task may wait. */
  take(claim: Claim, engine: EngineTurns): Promise<void>;
  end(claim: Claim, engine: EngineTurns, ranMs: number): void;
  load(engine: string): Load;
};

/** `shareMax` of the tasks that run may be one organization's. `now` is a clock in milliseconds. */
type TurnsOptions = Pick<RunnerOptions, "size" | "sizeNow"> & { shareMax?: number; now?: () => number };

const LEAD_MIN_MS = 500;
const LEAD_RUNS = 2; // one task that runs already, and the task itself
const WEIGHT = 0.1; // of the last run in the mean

export function openTurns(options: TurnsOptions): Turns {
  const { now = () => performance.now() } = options;
  const waiting = openWaitingTasks();
  const places = openPlaces(options);
  const lead = openLead();
  const reserves = new Map<string, number>();
  const mayRun: MayRun = (urgency, organization, engine) =>
    places.areFree(urgency, organization, reserves.get(engine) ?? 0);

  const feed = () => {
    const next = () => waiting.next(mayRun, lead.from(now()));
    for (let task = next(); task; task = next()) {
      places.change(task.position, { by: 1, engine: task.engine, reserved: reserves.get(task.engine) ?? 0 });
      task.start();
    }
  };

  /** Ensures that there is a place for the task to wait, or throws. */
  const makeRoom = (claim: Claim, { engine, queueMax }: EngineTurns) => {
    if (claim.begunMs !== undefined || mayRun(claim.urgency, claim.organization, engine)) return;
    if (waiting.lengthOf(claim.organization, engine) >= queueMax / 2) throw queueFull();
    if (waiting.length(engine) < queueMax) return;
    const displaced = waiting.lastOfMost(engine, claim);
    if (!displaced) throw queueFull();
    displaced.refuse();
  };

  return {
    take(claim, turns) {
      const { engine, reserved = 0 } = turns;
      claim.signal.throwIfAborted();
      reserves.set(engine, reserved);
      makeRoom(claim, turns);
      const turn = waitFor(waiting, { claim, engine, arrivedMs: now() });
      feed();
      return turn;
    },
    end(claim, { engine, reserved = 0 }, ranMs) {
      places.change(claim, { by: -1, engine, reserved });
      if (claim.urgency !== "realtime") lead.ran(ranMs);
      feed();
    },
    load: (engine) => ({ running: places.running(engine), waiting: waiting.length(engine) }),
  };
}

type Change = { by: 1 | -1; engine: string; reserved: number };

/** How many tasks run, and for whom. Places are reserved from the engines that reserve some, and count theirs alone. */
function openPlaces({ size, sizeNow = () => size, shareMax }: TurnsOptions) {
  const shares = openCounts();
  const engines = openCounts();
  let running = 0;
  let ofReserving = 0;
  return {
    change({ organization }: Position, { by, engine, reserved }: Change): void {
      running += by;
      if (reserved > 0) ofReserving += by;
      shares.change(organization, by);
      engines.change(engine, by);
    },
    running: engines.of,
    areFree: (urgency: Claim["urgency"], organization: string, reserved: number) =>
      running < sizeNow() &&
      (urgency === "realtime" || reserved === 0 || ofReserving < sizeNow() - reserved) &&
      shares.of(organization) < (shareMax ?? sizeNow()),
  };
}

/** How long before its listener runs out of sound a task counts as due: what tasks have taken lately. */
function openLead() {
  let meanRunMs = 0;
  return {
    from: (nowMs: number) => ({ nowMs, byMs: nowMs + Math.max(LEAD_MIN_MS, LEAD_RUNS * meanRunMs) }),
    ran(ranMs: number): void {
      meanRunMs += WEIGHT * (ranMs - meanRunMs);
    },
  };
}

type Waiting = Pick<ReturnType<typeof openWaitingTasks>, "add" | "remove">;
type Arrival = { claim: Claim; engine: string; arrivedMs: number };

/** Resolves when it is this claim's turn; rejects when the caller leaves or another task takes the place. */
function waitFor(waiting: Waiting, { claim, engine, arrivedMs }: Arrival): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.remove(task);
      reject(claim.signal.reason);
    };
    const task: WaitingTask = {
      position: claim,
      engine,
      arrivedMs,
      start() {
        claim.signal.removeEventListener("abort", leave);
        resolve();
      },
      refuse() {
        claim.signal.removeEventListener("abort", leave);
        waiting.remove(task);
        reject(queueFull());
      },
    };
    claim.signal.addEventListener("abort", leave, { once: true });
    waiting.add(task);
  });
}
