/**
 * Tasks that wait for an engine, by urgency, organization and request, and whose turn is next. Maps keep insertion order,
 * so an organization or request that has had its turn moves to the end of them.
 */
import { type Claim, URGENCIES } from "./claim.ts";

export type WaitingTask = { claim: Claim; start: () => void; refuse: () => void };
type Requests = Map<string, WaitingTask[]>;

export type WaitingTasks = ReturnType<typeof openWaitingTasks>;

export function openWaitingTasks() {
  const classes: Classes = URGENCIES.map(() => ({ waiting: new Map<string, Requests>() }));
  const live = openRounds();
  const others = openRounds();
  const lengths = openCounts();
  let length = 0;

  const classOf = ({ urgency }: Claim) => classes[URGENCIES.indexOf(urgency)]!;
  const count = (organization: string, change: 1 | -1) => {
    length += change;
    lengths.change(organization, change);
  };

  function add(task: WaitingTask): void {
    const { organization, request } = task.claim;
    const requests = getOrAdd(classOf(task.claim).waiting, organization, () => new Map());
    getOrAdd(requests, request, () => []).push(task);
    count(organization, 1);
  }

  function remove(task: WaitingTask): void {
    const { organization, request } = task.claim;
    const { waiting } = classOf(task.claim);
    const requests = waiting.get(organization)!;
    const tasks = requests.get(request)!;
    tasks.splice(tasks.indexOf(task), 1);
    if (tasks.length === 0) requests.delete(request);
    if (requests.size === 0) waiting.delete(organization);
    count(organization, -1);
  }

  /** Removes and returns the task whose turn it is, among those that may run. */
  function next(mayRun: (urgency: Claim["urgency"], organization: string) => boolean): WaitingTask | null {
    const able = URGENCIES.map((urgency, index) =>
      [...classes[index]!.waiting.keys()].filter((name) => mayRun(urgency, name)),
    );
    const [realtime = [], ...rest] = able;
    const organization = live.next(realtime) ?? others.next(rest.flat());
    if (organization === null) return null;
    const { waiting } = classes[able.findIndex((names) => names.includes(organization))]!;
    const requests = toEnd(waiting, organization);
    const task = toEnd(requests, requests.keys().next().value!)[0]!;
    remove(task);
    return task;
  }

  return {
    add,
    remove,
    next,
    /** The last task, no more urgent than the claim, of who has the most tasks, if that is two more than the claim's. */
    lastOfMost: (claim: Claim) => lastOfMost(classes, lengths, claim),
    length: () => length,
    lengthOf: lengths.of,
  };
}

type Classes = { waiting: Map<string, Requests> }[]; // by urgency

function lastOfMost(classes: Classes, lengths: Counts, { organization, urgency }: Claim): WaitingTask | null {
  for (const { waiting } of classes.slice(URGENCIES.indexOf(urgency)).reverse()) {
    const most = [...waiting.keys()].sort((one, other) => lengths.of(other) - lengths.of(one))[0];
    if (most === undefined || lengths.of(most) < lengths.of(organization) + 2) continue;
    return [...waiting.get(most)!.values()].at(-1)!.at(-1)!;
  }
  return null;
}

type Counts = ReturnType<typeof openCounts>;

/** How many of something each organization has. */
export function openCounts() {
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

/** Names served in this round come after those that were not; once all were served, another round begins. */
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

/** Returns a value of a map, and moves its entry to the end. */
function toEnd<K, V>(map: Map<K, V>, key: K): V {
  const value = map.get(key)!;
  map.delete(key);
  map.set(key, value);
  return value;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
