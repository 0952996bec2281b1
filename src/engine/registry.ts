/**
 * The engines, by name. One starts when its first task comes, or at `warm`; where it may, it ends when nobody asked it
 * for a while, and starts again when somebody does.
 *
 *   engine("kokoro-82m") ──find──> which one that is today ──key──> its queue, started if need be ──> run
 *
 * Whoever holds an engine keeps the one it was when they asked, also after another was installed under its name.
 */

import type { Runner, RunnerOptions } from "./runner.ts";
import { type Load, openScheduler, type Scheduler } from "./scheduler.ts";

export type Engine = Pick<Scheduler, "run">;

/** Where an engine is to be had. Another key is another engine, though of the same name. */
export type EngineSpec = {
  key: string;
  options: RunnerOptions;
  /** With the other engines at hand: some read what others write. */
  start(options: RunnerOptions, registry: Pick<EngineRegistry, "engine">): Runner;
  /** It ends when it ran nothing for so long; null: it stays. */
  idleMs: number | null;
};

export type EngineRegistry = AsyncDisposable & {
  engine(name: string): Engine;
  warm(name: string): void;
  /** Keys of those that are started. */
  started(): string[];
  /** How busy each of them is, by name; one that is being replaced may stand beside what replaces it. */
  loads(): (Load & { name: string })[];
  /** What was replaced ends as soon as nobody has a task there. */
  retire(isReplaced: (key: string) => boolean): void;
};

const AT_ONCE_MS = 1000; // whoever holds a replaced engine may have another task for it

type Running = { name: string; queue: Scheduler; tasks: number; timer: Timer | null; replaced: boolean };

export function openRegistry(find: (name: string) => EngineSpec): EngineRegistry {
  return new OpenRegistry(find);
}

class OpenRegistry implements EngineRegistry {
  readonly #find: (name: string) => EngineSpec;
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();

  constructor(find: (name: string) => EngineSpec) {
    this.#find = find;
  }

  engine(name: string): Engine {
    const spec = this.#find(name);
    return {
      run: async (task, claim, transfer) => {
        const engine = this.#startedFor(name, spec);
        if (engine.timer) clearTimeout(engine.timer);
        engine.timer = null;
        engine.tasks++;
        try {
          return await engine.queue.run(task, claim, transfer);
        } finally {
          engine.tasks--;
          this.#restLater(spec, engine);
        }
      },
    };
  }

  warm(name: string): void {
    const spec = this.#find(name);
    this.#restLater(spec, this.#startedFor(name, spec));
  }

  started(): string[] {
    return [...this.#running.keys()];
  }

  loads(): (Load & { name: string })[] {
    return [...this.#running.values()].map(({ name, queue }) => ({ name, ...queue.load() }));
  }

  retire(isReplaced: (key: string) => boolean): void {
    for (const [key, engine] of this.#running) {
      if (!isReplaced(key)) continue;
      engine.replaced = true;
      this.#restLater({ key, idleMs: null }, engine);
    }
  }

  #startedFor(name: string, spec: EngineSpec): Running {
    const known = this.#running.get(spec.key);
    if (known) return known;
    const { key, options } = spec;
    const queue = openScheduler(spec.start(options, this), options);
    const started: Running = { name, queue, tasks: 0, timer: null, replaced: false };
    this.#running.set(key, started);
    return started;
  }

  #restLater({ key, idleMs }: Pick<EngineSpec, "key" | "idleMs">, engine: Running): void {
    const afterMs = engine.replaced ? AT_ONCE_MS : idleMs;
    if (afterMs === null || engine.tasks > 0) return;
    if (engine.timer) clearTimeout(engine.timer);
    engine.timer = setTimeout(() => this.#end(key, engine), afterMs);
    engine.timer.unref();
  }

  #end(key: string, { queue }: Running): void {
    this.#running.delete(key);
    const ended = Promise.resolve(queue[Symbol.asyncDispose]()).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { timer } of this.#running.values()) if (timer) clearTimeout(timer);
    await Promise.all([...this.#running.values()].map(({ queue }) => queue[Symbol.asyncDispose]()));
    await Promise.all(this.#ending);
  }
}
