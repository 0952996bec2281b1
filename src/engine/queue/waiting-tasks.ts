/**
 * Tasks that wait for an engine, by organization, and whose turn is next. A map keeps the order of insertion, so an
 * organization that has had its turn moves to the end of it.
 */
import { type Head, OrganizationTasks, type WaitingTask } from "./organization-tasks.ts";
import { type Position, URGENCIES, type Urgency } from "./position.ts";

export type WaitingTasks = ReturnType<typeof openWaitingTasks>;

/** Whether a task of the organization may start now. */
type MayRun = (urgency: Urgency, organization: string) => boolean;

/** Streamed tasks count as due if they are by `byMs`. */
type Times = { nowMs: number; byMs: number };

export function openWaitingTasks() {
  const organizations = new Map<string, OrganizationTasks>();
  const live = openRounds();
  const others = openRounds();
  let length = 0;

  function add(task: WaitingTask): void {
    const { organization } = task.position;
    const known = organizations.get(organization);
    const tasks = known ?? new OrganizationTasks();
    if (!known) organizations.set(organization, tasks);
    tasks.add(task);
    length++;
  }

  function remove(task: WaitingTask): void {
    organizations.get(task.position.organization)!.remove(task);
    removed(task.position.organization);
  }

  function removed(organization: string): void {
    if (organizations.get(organization)!.length === 0) organizations.delete(organization);
    length--;
  }

  /** Removes and returns the task whose turn it is, among those that may run. */
  function next(mayRun: MayRun, times: Times): WaitingTask | null {
    const task =
      nextLive(organizations, live, mayRun) ?? nextOther(organizations, others, { mayRun, ...times });
    if (task === null) return null;
    const { organization } = task.position;
    const tasks = organizations.get(organization)!;
    tasks.take(task);
    organizations.delete(organization);
    organizations.set(organization, tasks);
    removed(organization);
    return task;
  }

  return {
    add,
    remove,
    next,
    /** The last task, no more urgent, of who has the most tasks, if that is two more than the organization's. */
    lastOfMost: (position: Position) => lastOfMost(organizations, position),
    length: () => length,
    lengthOf: (organization: string) => organizations.get(organization)?.length ?? 0,
  };
}

type Organizations = ReadonlyMap<string, OrganizationTasks>;

function nextLive(organizations: Organizations, rounds: Rounds, mayRun: MayRun): WaitingTask | null {
  const names = [...organizations.keys()].filter(
    (name) => organizations.get(name)!.firstLive() && mayRun("realtime", name),
  );
  const name = rounds.next(names);
  return name === null ? null : organizations.get(name)!.firstLive();
}

function nextOther(
  organizations: Organizations,
  rounds: Rounds,
  { mayRun, nowMs, byMs }: Times & { mayRun: MayRun },
): WaitingTask | null {
  const heads = new Map<string, Head>();
  for (const [name, tasks] of organizations) {
    const head = mayRun("batch", name) ? tasks.first(nowMs, byMs) : null;
    if (head) heads.set(name, head);
  }
  const name = rounds.next(byNeed(heads));
  return name === null ? null : heads.get(name)!.task;
}

/** Those with a task that is due first, the earliest before the others; where one is, none whose listeners have sound. */
function byNeed(heads: ReadonlyMap<string, Head>): string[] {
  const names = [...heads.keys()];
  const of = (...kinds: Head["kind"][]) => names.filter((name) => kinds.includes(heads.get(name)!.kind));
  const due = of("due").sort((one, other) => heads.get(one)!.dueMs - heads.get(other)!.dueMs);
  return due.length > 0 ? [...due, ...of("batch")] : of("ahead", "batch");
}

function lastOfMost(
  organizations: ReadonlyMap<string, OrganizationTasks>,
  { organization, urgency }: Position,
): WaitingTask | null {
  const count = organizations.get(organization)?.length ?? 0;
  for (const each of URGENCIES.slice(URGENCIES.indexOf(urgency)).reverse()) {
    const most = [...organizations.values()]
      .filter((tasks) => tasks.last(each))
      .sort((one, other) => other.length - one.length)[0];
    if (most && most.length >= count + 2) return most.last(each);
  }
  return null;
}

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

type Rounds = ReturnType<typeof openRounds>;

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
