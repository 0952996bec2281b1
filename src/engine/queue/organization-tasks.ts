/** The tasks of one organization that wait, by engine: engines that share their places take turns as organizations do. */
import { EngineTasks, type Head, type WaitingTask } from "./engine-tasks.ts";
import { byNeed, openRounds, toEnd } from "./rounds.ts";

/** Streamed tasks count as due if they are by `byMs`. */
export type Times = { nowMs: number; byMs: number };

/** Whether a task of the engine may start now. */
type MayRun = (engine: string) => boolean;

export class OrganizationTasks {
  readonly #engines = new Map<string, EngineTasks>();
  readonly #live = openRounds();
  readonly #others = openRounds();

  get isEmpty(): boolean {
    return this.#engines.size === 0;
  }

  get length(): number {
    return [...this.#engines.values()].reduce((sum, { length }) => sum + length, 0);
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

  firstLive(mayRun: MayRun): WaitingTask | null {
    const names = [...this.#engines].filter(([name, tasks]) => tasks.firstLive() && mayRun(name));
    const name = this.#live.next(names.map(([name]) => name));
    return name === null ? null : this.#engines.get(name)!.firstLive();
  }

  /** The next task that is not live. */
  first({ nowMs, byMs }: Times, mayRun: MayRun): Head | null {
    const heads = new Map<string, Head>();
    for (const [name, tasks] of this.#engines) {
      const head = mayRun(name) ? tasks.first(nowMs, byMs) : null;
      if (head) heads.set(name, head);
    }
    const name = this.#others.next(byNeed(heads));
    return name === null ? null : heads.get(name)!;
  }

  #leave(engine: string): void {
    if (this.#engines.get(engine)!.length === 0) this.#engines.delete(engine);
  }
}
