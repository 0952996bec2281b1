/** Tasks that wait for one engine, or for several that share their places: by organization, and whose turn is next. */
import type { Head, WaitingTask } from "./engine-tasks.ts";
import { OrganizationTasks, type Times } from "./organization-tasks.ts";
import { type Position, URGENCIES, type Urgency } from "./position.ts";
import { byNeed, openRounds, type Rounds, toEnd } from "./rounds.ts";

/** Whether a task of the organization may start now on the engine. */
export type MayRun = (urgency: Urgency, organization: string, engine: string) => boolean;

export function openWaitingTasks() {
  const organizations = new Map<string, OrganizationTasks>();
  const lengths = openCounts();
  const live = openRounds();
  const others = openRounds();

  function add(task: WaitingTask): void {
    const { organization } = task.position;
    const known = organizations.get(organization);
    const tasks = known ?? new OrganizationTasks();
    if (!known) organizations.set(organization, tasks);
    tasks.add(task);
    lengths.change(task.engine, 1);
  }

  function remove(task: WaitingTask): void {
    organizations.get(task.position.organization)!.remove(task);
    removed(task);
  }

  function removed({ engine, position: { organization } }: WaitingTask): void {
    if (organizations.get(organization)!.isEmpty) organizations.delete(organization);
    lengths.change(engine, -1);
  }

  /** Removes and returns the task whose turn it is, among those that may run. */
  function next(mayRun: MayRun, times: Times): WaitingTask | null {
    const task =
      nextLive(organizations, live, mayRun) ?? nextOther(organizations, others, { mayRun, ...times });
    if (task === null) return null;
    const { organization } = task.position;
    organizations.get(organization)!.take(task);
    toEnd(organizations, organization);
    removed(task);
    return task;
  }

  return {
    add,
    remove,
    next,
    /** The last task of an engine, no more urgent, of who has the most there, if that is two more than the organization's. */
    lastOfMost: (engine: string, position: Position) => lastOfMost(organizations, engine, position),
    length: lengths.of,
    lengthOf: (organization: string, engine: string) =>
      organizations.get(organization)?.lengthOf(engine) ?? 0,
  };
}

type Organizations = ReadonlyMap<string, OrganizationTasks>;

function nextLive(organizations: Organizations, rounds: Rounds, mayRun: MayRun): WaitingTask | null {
  const heads = new Map<string, WaitingTask>();
  for (const [name, tasks] of organizations) {
    const task = tasks.firstLive((engine) => mayRun("realtime", name, engine));
    if (task) heads.set(name, task);
  }
  return taken(rounds, [...heads.keys()], (name) => heads.get(name)!);
}

function nextOther(
  organizations: Organizations,
  rounds: Rounds,
  { mayRun, ...times }: Times & { mayRun: MayRun },
): WaitingTask | null {
  const heads = new Map<string, Head>();
  for (const [name, tasks] of organizations) {
    const head = tasks.first(times, (engine) => mayRun("batch", name, engine));
    if (head) heads.set(name, head);
  }
  return taken(rounds, byNeed(heads), (name) => heads.get(name)!.task);
}

function taken(
  rounds: Rounds,
  names: readonly string[],
  taskOf: (name: string) => WaitingTask,
): WaitingTask | null {
  const name = rounds.next(names);
  if (name === null) return null;
  rounds.took(name);
  return taskOf(name);
}

function lastOfMost(
  organizations: Organizations,
  engine: string,
  { organization, urgency }: Position,
): WaitingTask | null {
  const count = organizations.get(organization)?.lengthOf(engine) ?? 0;
  for (const each of URGENCIES.slice(URGENCIES.indexOf(urgency)).reverse()) {
    const most = [...organizations.values()]
      .filter((tasks) => tasks.last(engine, each))
      .sort((one, other) => other.lengthOf(engine) - one.lengthOf(engine))[0];
    if (most && most.lengthOf(engine) >= count + 2) return most.last(engine, each);
  }
  return null;
}

/** How many of something each name has. */
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
