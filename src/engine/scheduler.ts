/**
 * The order in which callers' tasks reach an engine: live talk first, then in turn between organizations, of each what is
 * streamed before what can wait, then in turn between an organization's requests. So a long text never holds up another
 * caller's first words, and no flood of streams another organization's files.
 *
 *   org A: request 1 (streamed) ▒▒▒▒▒   request 2 (streamed) ▒   request 4 (batch) ▒        next: A1, B3, A2, B3, A1 … A4
 *   org B: request 3 (batch) ▒▒
 *
 * In each round every organization that waits has one turn; who comes late still has one in the round under way, so
 * whoever just had theirs comes after. At most `queueMax` tasks wait, and one organization holds at most half of those
 * places: one more is refused at once. Where all are taken, an organization that holds fewer gets one of those who hold
 * the most: their last task is refused. A task whose caller leaves while it waits is gone at once.
 */
import type { Transferable } from "node:worker_threads";
import { queueFull, type Runner, type RunnerOptions } from "./runner.ts";

const URGENCIES = ["realtime", "streaming", "batch"] as const;

/** Whose task it is, and how it may wait. */
export type Claim = {
  urgency: (typeof URGENCIES)[number];
  organization: string;
  request: string;
  signal: AbortSignal;
};

/** Tasks that an engine works on, and those that wait for it. */
export type Load = { running: number; waiting: number };

export type Scheduler = AsyncDisposable & {
  run<T>(task: object, claim: Claim, transfer?: Transferable[]): Promise<T>;
  load(): Load;
};

/** `shareMax` of the tasks that run may be one organization's. */
type QueueOptions = RunnerOptions & { shareMax?: number };

export function openScheduler(
  runner: Runner,
  { size, queueMax, reserved = 0, shareMax = size }: QueueOptions,
): Scheduler {
  const line = openLine();
  const shares = openCounts();
  let running = 0;

  const roomFor = (urgency: Claim["urgency"]) => (urgency === "realtime" ? size : size - reserved);

  const count = ({ organization }: Claim, change: 1 | -1) => {
    running += change;
    shares.change(organization, change);
  };
  const mayRun = (urgency: Claim["urgency"], organization: string) =>
    running < roomFor(urgency) && shares.of(organization) < shareMax;

  const feed = () => {
    for (let place = line.next(mayRun); place; place = line.next(mayRun)) place.start();
  };

  /** Resolves when it is this claim's turn. */
  const turn = (claim: Claim) =>
    new Promise<void>((resolve, reject) => {
      const place: Place = {
        claim,
        start() {
          claim.signal.removeEventListener("abort", leave);
          count(claim, 1);
          resolve();
        },
        refuse() {
          claim.signal.removeEventListener("abort", leave);
          line.remove(place);
          reject(queueFull());
        },
      };
      const leave = () => {
        line.remove(place);
        reject(claim.signal.reason);
      };
      claim.signal.addEventListener("abort", leave, { once: true });
      line.add(place);
      feed();
    });

  /** Sees to it that there is a place for it to wait, or throws. */
  const admit = (claim: Claim) => {
    if (mayRun(claim.urgency, claim.organization)) return;
    if (line.lengthOf(claim.organization) >= queueMax / 2) throw queueFull();
    if (line.length() < queueMax) return;
    const displaced = line.lastOfMost(claim);
    if (!displaced) throw queueFull();
    displaced.refuse();
  };

  return {
    async run(task, claim, transfer = []) {
      claim.signal.throwIfAborted();
      admit(claim);
      await turn(claim);
      try {
        return await runner.run(task, transfer);
      } finally {
        count(claim, -1);
        feed();
      }
    },
    load: () => ({ running, waiting: line.length() }),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

type Place = { claim: Claim; start: () => void; refuse: () => void };
type Requests = Map<string, Place[]>;

/** The waiting line itself: maps keep insertion order, so who has had a turn goes to the end of them. */
function openLine() {
  const classes = URGENCIES.map(() => ({ waiting: new Map<string, Requests>() }));
  const live = openRounds();
  const others = openRounds();
  const lengths = openCounts();
  let length = 0;

  const classOf = ({ urgency }: Claim) => classes[URGENCIES.indexOf(urgency)]!;
  const count = (organization: string, change: 1 | -1) => {
    length += change;
    lengths.change(organization, change);
  };

  function add(place: Place): void {
    const { organization, request } = place.claim;
    const requests = getOrAdd(classOf(place.claim).waiting, organization, () => new Map());
    getOrAdd(requests, request, () => []).push(place);
    count(organization, 1);
  }

  function remove(place: Place): void {
    const { organization, request } = place.claim;
    const { waiting } = classOf(place.claim);
    const requests = waiting.get(organization)!;
    const places = requests.get(request)!;
    places.splice(places.indexOf(place), 1);
    if (places.length === 0) requests.delete(request);
    if (requests.size === 0) waiting.delete(organization);
    count(organization, -1);
  }

  /** Whose turn it is of those that may run, taken out of the line. */
  function next(mayRun: (urgency: Claim["urgency"], organization: string) => boolean): Place | null {
    const able = URGENCIES.map((urgency, at) =>
      [...classes[at]!.waiting.keys()].filter((name) => mayRun(urgency, name)),
    );
    const [realtime = [], ...rest] = able;
    const organization = live.next(realtime) ?? others.next(rest.flat());
    if (organization === null) return null;
    const { waiting } = classes[able.findIndex((names) => names.includes(organization))]!;
    const requests = toEnd(waiting, organization);
    const place = toEnd(requests, requests.keys().next().value!)[0]!;
    remove(place);
    return place;
  }

  /** The last place of those who hold the most, no more urgent than the claim, if they hold two more than it does. */
  function lastOfMost({ organization, urgency }: Claim): Place | null {
    for (const { waiting } of classes.slice(URGENCIES.indexOf(urgency)).reverse()) {
      const most = [...waiting.keys()].sort((one, other) => lengths.of(other) - lengths.of(one))[0];
      if (most === undefined || lengths.of(most) < lengths.of(organization) + 2) continue;
      return [...waiting.get(most)!.values()].at(-1)!.at(-1)!;
    }
    return null;
  }

  return { add, remove, next, lastOfMost, length: () => length, lengthOf: lengths.of };
}

/** How many of something each organization has. */
function openCounts() {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    change(name: string, by: 1 | -1): void {
      counts.set(name, of(name) + by);
      if (counts.get(name) === 0) counts.delete(name);
    },
  };
}

/** Who had a turn in the round under way comes after who had none; where all of them had, another round begins. */
function openRounds() {
  const served = new Set<string>();
  return {
    next(names: string[]): string | null {
      const unserved = names.find((name) => !served.has(name));
      const name = unserved ?? names[0];
      if (name === undefined) return null;
      if (unserved === undefined) served.clear();
      served.add(name);
      return name;
    },
  };
}

/** A value of a map, its entry moved to the end. */
function toEnd<K, V>(map: Map<K, V>, key: K): V {
  const value = map.get(key)!;
  map.delete(key);
  map.set(key, value);
  return value;
}

/** The claim of somebody who has the engine to themselves. */
export function soleClaim(signal = new AbortController().signal): Claim {
  return { urgency: "batch", organization: "", request: "", signal };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
