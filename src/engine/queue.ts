/**
 * The order in which callers' tasks reach an engine: by urgency, then in turn between organizations, then in turn
 * between an organization's requests. So a long text never holds up another caller's first words.
 *
 *   streaming  org A: request 1 ▒▒▒▒▒   request 2 ▒          next: A1, B3, A2, B3, A1 …
 *              org B: request 3 ▒▒
 *   batch      waits until nothing of the above does
 *
 * At most `queueMax` tasks wait, and one organization holds at most half of those places: one more is refused at
 * once. A task whose caller leaves while it waits is gone at once.
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

export type Queue = AsyncDisposable & {
  run<T>(task: object, claim: Claim, transfer?: Transferable[]): Promise<T>;
  load(): Load;
};

export function openQueue(runner: Runner, { size, queueMax, reserved = 0 }: RunnerOptions): Queue {
  const line = openLine();
  let running = 0;

  const roomFor = (urgency: Claim["urgency"]) => (urgency === "realtime" ? size : size - reserved);

  const feed = () => {
    while (line.length() > 0 && running < roomFor(line.mostUrgent())) line.next().start();
  };

  /** Resolves when it is this claim's turn. */
  const turn = (claim: Claim) =>
    new Promise<void>((resolve, reject) => {
      const place: Place = {
        claim,
        start() {
          claim.signal.removeEventListener("abort", leave);
          running++;
          resolve();
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

  const isFull = ({ organization, urgency }: Claim) =>
    running >= roomFor(urgency) && (line.length() >= queueMax || line.lengthOf(organization) >= queueMax / 2);

  return {
    async run(task, claim, transfer = []) {
      claim.signal.throwIfAborted();
      if (isFull(claim)) throw queueFull();
      await turn(claim);
      try {
        return await runner.run(task, transfer);
      } finally {
        running--;
        feed();
      }
    },
    load: () => ({ running, waiting: line.length() }),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

type Place = { claim: Claim; start: () => void };
type Requests = Map<string, Place[]>;

/** The waiting line itself: maps keep insertion order, so who has had a turn goes to the end of them. */
function openLine() {
  const classes = URGENCIES.map(() => new Map<string, Requests>());
  const lengths = new Map<string, number>();
  let length = 0;

  const classOf = ({ urgency }: Claim) => classes[URGENCIES.indexOf(urgency)]!;
  const count = (organization: string, change: 1 | -1) => {
    length += change;
    lengths.set(organization, (lengths.get(organization) ?? 0) + change);
    if (lengths.get(organization) === 0) lengths.delete(organization);
  };

  function add(place: Place): void {
    const { organization, request } = place.claim;
    const requests = getOrAdd(classOf(place.claim), organization, () => new Map());
    getOrAdd(requests, request, () => []).push(place);
    count(organization, 1);
  }

  function remove(place: Place): void {
    const { organization, request } = place.claim;
    const organizations = classOf(place.claim);
    const requests = organizations.get(organization)!;
    const places = requests.get(request)!;
    places.splice(places.indexOf(place), 1);
    if (places.length === 0) requests.delete(request);
    if (requests.size === 0) organizations.delete(organization);
    count(organization, -1);
  }

  /** Whose turn it is, taken out of the line. */
  function next(): Place {
    const organizations = classes.find(({ size }) => size > 0)!;
    const requests = toEnd(organizations);
    const place = toEnd(requests)[0]!;
    remove(place);
    return place;
  }

  return {
    add,
    remove,
    next,
    mostUrgent: () => URGENCIES[classes.findIndex(({ size }) => size > 0)]!,
    length: () => length,
    lengthOf: (name: string) => lengths.get(name) ?? 0,
  };
}

/** The first value of a map that is not empty, its entry moved to the end. */
function toEnd<K, V>(map: Map<K, V>): V {
  const [key, value] = map.entries().next().value!;
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
