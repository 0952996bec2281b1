/** Tasks that wait for one engine, or for several that share their places: by organization, and whose turn is next. */
import type { Head, WaitingTask } from "./engine-tasks.ts";
import { OrganizationTasks, type Times } from "./organization-tasks.ts";
import type { Urgency } from "./position.ts";
import { byNeed, openRounds, type Rounds, toEnd } from "./rounds.ts";

/** Whether a task of the organization may start now on the engine. */
export type MayRun = (urgency: Urgency, organization: string, engine: string) => boolean;

/** `isBehind`: whether an organization has less than its share, so that it comes before those that have theirs. */
type Choice = { mayRun: MayRun; isBehind: (organization: string) => boolean };

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
  function next(choice: Choice, times: Times): WaitingTask | null {
    const task =
      nextLive(organizations, live, choice) ?? nextOther(organizations, others, { ...choice, ...times });
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
    /** Of one engine. */
    length: lengths.of,
    organizations: () => [...organizations.keys()],
    /** How many tasks have their turn before a further one of the organization. */
    ahead(organization: string): number {
      const count = organizations.get(organization)?.length ?? 0;
      const ofOther = ([name, { length }]: [string, OrganizationTasks]) =>
        name === organization ? 0 : Math.min(length, count + 1);
      return [...organizations].reduce((sum, each) => sum + ofOther(each), count);
    },
  };
}

type Organizations = ReadonlyMap<string, OrganizationTasks>;

function nextLive(
  organizations: Organizations,
  rounds: Rounds,
  { mayRun, isBehind }: Choice,
): WaitingTask | null {
  const heads = new Map<string, WaitingTask>();
  for (const [name, tasks] of organizations) {
    const task = tasks.firstLive((engine) => mayRun("realtime", name, engine));
    if (task) heads.set(name, task);
  }
  return taken(rounds, [...preferred(heads, isBehind).keys()], (name) => heads.get(name)!);
}

function nextOther(
  organizations: Organizations,
  rounds: Rounds,
  { mayRun, isBehind, ...times }: Times & Choice,
): WaitingTask | null {
  const heads = new Map<string, Head>();
  for (const [name, tasks] of organizations) {
    const head = tasks.first(times, (engine) => mayRun("batch", name, engine));
    if (head) heads.set(name, head);
  }
  return taken(rounds, byNeed(preferred(heads, isBehind)), (name) => heads.get(name)!.task);
}

/** Those that are behind, where any is. */
function preferred<T>(heads: ReadonlyMap<string, T>, isBehind: Choice["isBehind"]): ReadonlyMap<string, T> {
  const behind = [...heads].filter(([name]) => isBehind(name));
  return behind.length > 0 ? new Map(behind) : heads;
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

/** How many of something each name has. */
export function openCounts() {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    names: () => [...counts.keys()],
    change(name: string, by: 1 | -1): void {
      counts.set(name, of(name) + by);
      if (counts.get(name) === 0) counts.delete(name);
    },
  };
}
