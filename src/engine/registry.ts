/**
 * The engines, by name. Starts an engine on its first task, or at `warm`, and unloads it when it has been idle.
 *
 *   engine("kokoro-82m") ──find──> the current spec ──key──> its scheduler, started if necessary ──> run
 *
 * A caller keeps the engine that it received, even after another was installed under its name.
 */

import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Runner, RunnerOptions } from "./runner.ts";
import { openScheduler, type Scheduler, type TaskTimes } from "./scheduler.ts";
import type { AudioSeconds } from "./speed/audio-seconds.ts";
import { type Measure, openSpeedMeter, type SpeedMeter } from "./speed/speed-meter.ts";
import type { Load, Turns } from "./turns.ts";

export type Engine = Pick<Scheduler, "run">;

/** How an engine is started. Another key is another engine, even under the same name. */
export type EngineSpec = {
  key: string;
  options: RunnerOptions;
  /** Given the other engines: some use the output of others. */
  start(options: RunnerOptions, registry: Pick<EngineRegistry, "engine">): Runner;
  /** Divides tasks that are too long for one turn; by default none is. */
  divide?(queue: Scheduler): Engine;
  /** How long it may be idle before it is unloaded; null: it is never unloaded. */
  idleMs: number | null;
  /** The audio of its tasks, where its speed is measured. */
  audioSeconds?: AudioSeconds | null;
  /** Shared with other engines; absent: it has places of its own. */
  turns?: Turns;
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

type Running = {
  name: string;
  queue: Scheduler;
  engine: Engine;
  tasks: number;
  timer: Timer | null;
  replaced: boolean;
};

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
        const running = this.#start(name, spec);
        if (running.timer) clearTimeout(running.timer);
        running.timer = null;
        running.tasks++;
        try {
          return await running.engine.run(task, claim, transfer);
        } finally {
          running.tasks--;
          this.#unloadLater(spec, running);
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
    const { key, options, audioSeconds, turns } = spec;
    const runner = spec.start(options, this);
    const measured = audioSeconds
      ? measuring(runner, this.#meterOf(name, key).started(), audioSeconds)
      : runner;
    const queue = openScheduler(measured, {
      ...options,
      ...(turns ? { turns } : {}),
      traced: name,
      ran: (times) => this.#ended(name, times),
    });
    const engine = spec.divide?.(queue) ?? queue;
    const started: Running = { name, queue, engine, tasks: 0, timer: null, replaced: false };
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
      const secondsOf = audioSeconds(task);
      let early = 0;
      const { early: deliver } = claim ?? {};
      const counting = deliver && {
        early(samples: Float32Array) {
          early += samples.length / TTS_SAMPLE_RATE;
          deliver(samples);
        },
      };
      const counted = claim && { ...claim, ...counting };
      return measure(
        () => runner.run(task, transfer, counted),
        (result) => early + secondsOf(result as never),
      );
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}
