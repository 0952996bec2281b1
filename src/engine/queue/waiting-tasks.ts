/** Tasks that wait for one engine, or for several that share their places: by organization, and whose turn is next. */
import { TransientMap } from "../../transient.ts";
import { EngineTasks, type Head, type Urgency, type WaitingTask } from "./engine-tasks.ts";

/** Whether a task of the organization may start now on the engine. */
export type MayRun = (urgency: Urgency, organization: string, engine: string) => boolean;

/** `isBehind`: whether an organization has less than its share, so that it comes before those that have theirs. */
type Choice = { mayRun: MayRun; isBehind: (organization: string) => boolean };

export function openWaitingTasks() {
  const organizations = new TransientMap<string, OrganizationTasks>();
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
    /** How many tasks have their turn before a further one of the organization, which is not in the background. */
    ahead(organization: string): number {
      const count = organizations.get(organization)?.urgentLength ?? 0;
      const ofOther = ([name, { urgentLength: length }]: [string, OrganizationTasks]) =>
        name === organization ? 0 : Math.min(length, count + 1);
      return [...organizations].reduce((sum, each) => sum + ofOther(each), count);
    },
  };
}

type Organizations = Iterable<[string, OrganizationTasks]>;

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
  return taken(rounds, byNeed(preferred(urgentOf(heads), isBehind)), (name) => heads.get(name)!.task);
}

/** Without those in the background, where any other may start. */
function urgentOf(heads: ReadonlyMap<string, Head>): ReadonlyMap<string, Head> {
  const urgent = [...heads].filter(([, { kind }]) => kind !== "background");
  return urgent.length > 0 ? new Map(urgent) : heads;
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
  const counts = new TransientMap<string, number>();
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

type Rounds = ReturnType<typeof openRounds>;

/**
 * Whose turn it is among several that wait: each has one turn in a round, and who joins during a round has a turn in it. Once
 * all were served, another round begins.
 */
function openRounds() {
  const served = new Set<string>();
  return {
    /** Null: there is no name. */
    next: (names: readonly string[]): string | null =>
      names.find((name) => !served.has(name)) ?? names[0] ?? null,
    /** The name had its turn. */
    took(name: string): void {
      if (served.has(name)) served.clear();
      served.add(name);
    },
  };
}

/** Those with a task that is due first, the earliest before the others; where one is, none whose listeners have sound. */
function byNeed(heads: ReadonlyMap<string, Head>): string[] {
  const names = [...heads.keys()];
  const of = (kind: Head["kind"]) => names.filter((name) => heads.get(name)!.kind === kind);
  const due = of("due").sort((one, other) => heads.get(one)!.dueMs - heads.get(other)!.dueMs);
  return due.length > 0 ? [...due, ...of("batch")] : names;
}

/** Moves a key to the end: maps keep the order of insertion. */
function toEnd<V>(map: TransientMap<string, V>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** Streamed tasks count as due if they are by `byMs`. */
type Times = { nowMs: number; byMs: number };

/** Whether a task of the engine may start now. */
type MayRunEngine = (engine: string) => boolean;

/** The tasks of one organization that wait, by engine: engines that share their places take turns as organizations do. */
class OrganizationTasks {
  readonly #engines = new TransientMap<string, EngineTasks>();
  readonly #live = openRounds();
  readonly #others = openRounds();

  get isEmpty(): boolean {
    return this.#engines.size === 0;
  }

  get length(): number {
    return [...this.#engines.values()].reduce((sum, { length }) => sum + length, 0);
  }

  get urgentLength(): number {
    return [...this.#engines.values()].reduce((sum, { urgentLength }) => sum + urgentLength, 0);
  }

  add(task: WaitingTask): void {
    const known = this.#engines.get(task.engine);
    const tasks = known ?? new EngineTasks();
    if (!known) this.#engines.set(task.engine, tasks);
    tasks.add(task);
  }

  remove(task: WaitingTask): void {
    this.#engines.get(task.engine)!.remove(task);
    this.#leave(task.engine);
  }

  /** Removes a task because it is its turn. */
  take(task: WaitingTask): void {
    const { engine, position } = task;
    this.#engines.get(engine)!.take(task);
    (position.urgency === "realtime" ? this.#live : this.#others).took(engine);
    toEnd(this.#engines, engine);
    this.#leave(engine);
  }

  firstLive(mayRun: MayRunEngine): WaitingTask | null {
    const names = [...this.#engines].filter(([name, tasks]) => tasks.firstLive() && mayRun(name));
    const name = this.#live.next(names.map(([name]) => name));
    return name === null ? null : this.#engines.get(name)!.firstLive();
  }

  /** The next task that is not live. */
  first({ nowMs, byMs }: Times, mayRun: MayRunEngine): Head | null {
    const heads = new Map<string, Head>();
    for (const [name, tasks] of this.#engines) {
      const head = mayRun(name) ? tasks.first(nowMs, byMs) : null;
      if (head) heads.set(name, head);
    }
    const name = this.#others.next(byNeed(urgentOf(heads)));
    return name === null ? null : heads.get(name)!;
  }

  #leave(engine: string): void {
    if (this.#engines.get(engine)!.length === 0) this.#engines.delete(engine);
  }
}
