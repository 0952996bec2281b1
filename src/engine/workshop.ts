/**
 * The engines, by name. One starts when its first task comes, or at `warm`; where it may, it ends when nobody asked it
 * for a while, and starts again when somebody does.
 *
 *   engine("kokoro-82m") ──find──> which one that is today ──key──> its queue, started if need be ──> run
 *
 * Whoever holds an engine keeps the one it was when they asked, also after another was installed under its name.
 */
import { openQueue, type Queue } from "./queue.ts";
import type { Runner, RunnerOptions } from "./runner.ts";

export type Engine = Pick<Queue, "run">;

/** Where an engine is to be had. Another key is another engine, though of the same name. */
export type Recipe = {
  key: string;
  options: RunnerOptions;
  /** With the other engines at hand: some read what others write. */
  start(options: RunnerOptions, workshop: Pick<Workshop, "engine">): Runner;
  /** It ends when it ran nothing for so long; null: it stays. */
  idleMs: number | null;
};

export type Workshop = AsyncDisposable & {
  engine(name: string): Engine;
  warm(name: string): void;
  /** Keys of those that are started. */
  started(): string[];
  /** What was replaced ends as soon as nobody has a task there. */
  retire(isReplaced: (key: string) => boolean): void;
};

const AT_ONCE_MS = 1000; // whoever holds a replaced engine may have another task for it

type Running = { queue: Queue; tasks: number; timer: Timer | null; replaced: boolean };

export function openWorkshop(find: (name: string) => Recipe): Workshop {
  const running = new Map<string, Running>();
  const ending = new Set<Promise<void>>();

  const startedFor = (recipe: Recipe): Running => {
    const known = running.get(recipe.key);
    if (known) return known;
    const { options } = recipe;
    const started: Running = {
      queue: openQueue(recipe.start(options, workshop), options),
      tasks: 0,
      timer: null,
      replaced: false,
    };
    running.set(recipe.key, started);
    return started;
  };

  const restLater = ({ key, idleMs }: Pick<Recipe, "key" | "idleMs">, engine: Running) => {
    const afterMs = engine.replaced ? AT_ONCE_MS : idleMs;
    if (afterMs === null || engine.tasks > 0) return;
    if (engine.timer) clearTimeout(engine.timer);
    engine.timer = setTimeout(() => {
      running.delete(key);
      const ended = Promise.resolve(engine.queue[Symbol.asyncDispose]()).finally(() => ending.delete(ended));
      ending.add(ended);
    }, afterMs);
    engine.timer.unref();
  };

  const workshop: Workshop = {
    engine(name) {
      const recipe = find(name);
      return {
        async run(task, claim, transfer) {
          const engine = startedFor(recipe);
          if (engine.timer) clearTimeout(engine.timer);
          engine.timer = null;
          engine.tasks++;
          try {
            return await engine.queue.run(task, claim, transfer);
          } finally {
            engine.tasks--;
            restLater(recipe, engine);
          }
        },
      };
    },
    warm(name) {
      const recipe = find(name);
      restLater(recipe, startedFor(recipe));
    },
    started: () => [...running.keys()],
    retire(isReplaced) {
      for (const [key, engine] of running) {
        if (!isReplaced(key)) continue;
        engine.replaced = true;
        restLater({ key, idleMs: null }, engine);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { timer } of running.values()) if (timer) clearTimeout(timer);
      await Promise.all([...running.values()].map(({ queue }) => queue[Symbol.asyncDispose]()));
      await Promise.all(ending);
    },
  };
  return workshop;
}
