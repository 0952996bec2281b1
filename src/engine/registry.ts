/**
 * The engines, by name. Starts an engine on its first task, or at `warm`, and unloads it when it has been idle.
 *
 *   engine("kokoro-82m") ──find──> the current spec ──key──> its scheduler, started if necessary ──> run
 *
 * A caller keeps the engine that it received, even after another was installed under its name.
 */

import type { Runner, RunnerOptions } from "./runner.ts";
import { type Load, openScheduler, type Scheduler, type TaskTimes } from "./scheduler.ts";
import type { AudioSeconds } from "./speed/audio-seconds.ts";
import { type Measure, openSpeedMeter, type SpeedMeter } from "./speed/speed-meter.ts";

export type Engine = Pick<Scheduler, "run">;

/** How an engine is started. Another key is another engine, even under the same name. */
export type EngineSpec = {
  key: string;
  options: RunnerOptions;
  /** Given the other engines: some use the output of others. */
  start(options: RunnerOptions, registry: Pick<EngineRegistry, "engine">): Runner;
  /** How long it may be idle before it is unloaded; null: it is never unloaded. */
  idleMs: number | null;
  /** The audio of its tasks, where its speed is measured. */
  audioSeconds?: AudioSeconds | null;
};

export type EngineRegistry = AsyncDisposable & {
  engine(name: string): Engine;
  warm(name: string): void;
  /** Keys of the engines that are started. */
  started(): string[];
  /** The load of each, by name; one that is being replaced may be listed beside its replacement. */
  loads(): (Load & { name: string })[];
  /** How many times faster than real time an engine ran since the start; null until it was measured. */
  speed(name: string): number | null;
  /** Unloads replaced engines as soon as they have no task. */
  retire(isReplaced: (key: string) => boolean): void;
};

const REPLACED_IDLE_MS = 1000; // a caller that holds a replaced engine may have another task for it

type Running = { name: string; queue: Scheduler; tasks: number; timer: Timer | null; replaced: boolean };

/** Called after each task of an engine. */
export type TaskEnded = (engine: string, times: TaskTimes) => void;

export function openRegistry(
  find: (name: string) => EngineSpec,
  ended: TaskEnded = () => {},
): EngineRegistry {
  return new OpenRegistry(find, ended);
}

class OpenRegistry implements EngineRegistry {
  readonly #find: (name: string) => EngineSpec;
  readonly #ended: TaskEnded;
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();
  readonly #speeds = new Map<string, { key: string; meter: SpeedMeter }>();

  constructor(find: (name: string) => EngineSpec, ended: TaskEnded) {
    this.#find = find;
    this.#ended = ended;
  }

  engine(name: string): Engine {
    const spec = this.#find(name);
    return {
      run: async (task, claim, transfer) => {
        const engine = this.#start(name, spec);
        if (engine.timer) clearTimeout(engine.timer);
        engine.timer = null;
        engine.tasks++;
        try {
          return await engine.queue.run(task, claim, transfer);
        } finally {
          engine.tasks--;
          this.#unloadLater(spec, engine);
        }
      },
    };
  }

  warm(name: string): void {
    const spec = this.#find(name);
    this.#unloadLater(spec, this.#start(name, spec));
  }

  started(): string[] {
    return [...this.#running.keys()];
  }

  loads(): (Load & { name: string })[] {
    return [...this.#running.values()].map(({ name, queue }) => ({ name, ...queue.load() }));
  }

  speed(name: string): number | null {
    return this.#speeds.get(name)?.meter.speed() ?? null;
  }

  retire(isReplaced: (key: string) => boolean): void {
    for (const [name, { key }] of this.#speeds) if (isReplaced(key)) this.#speeds.delete(name);
    for (const [key, engine] of this.#running) {
      if (!isReplaced(key)) continue;
      engine.replaced = true;
      this.#unloadLater({ key, idleMs: null }, engine);
    }
  }

  #start(name: string, spec: EngineSpec): Running {
    const known = this.#running.get(spec.key);
    if (known) return known;
    const { key, options, audioSeconds } = spec;
    const runner = spec.start(options, this);
    const measured = audioSeconds
      ? measuring(runner, this.#meterOf(name, key).started(), audioSeconds)
      : runner;
    const queue = openScheduler(measured, {
      ...options,
      traced: name,
      ran: (times) => this.#ended(name, times),
    });
    const started: Running = { name, queue, tasks: 0, timer: null, replaced: false };
    this.#running.set(key, started);
    return started;
  }

  /** Kept when the engine is unloaded; another engine under the name has another. */
  #meterOf(name: string, key: string): SpeedMeter {
    const known = this.#speeds.get(name);
    if (known?.key === key) return known.meter;
    const meter = openSpeedMeter();
    this.#speeds.set(name, { key, meter });
    return meter;
  }

  #unloadLater({ key, idleMs }: Pick<EngineSpec, "key" | "idleMs">, engine: Running): void {
    const afterMs = engine.replaced ? REPLACED_IDLE_MS : idleMs;
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

function measuring(runner: Runner, measure: Measure, audioSeconds: AudioSeconds): Runner {
  return {
    run(task, transfer, claim) {
      return measure(() => runner.run(task, transfer, claim), audioSeconds(task));
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}
