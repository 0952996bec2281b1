/**
 * The engines, by name. Starts an engine on its first task, or at `warm`, and unloads it when it has been idle; what engines
 * have freed is given back to the system.
 *
 *   engine("kokoro-82m") ──find──> the current spec ──key──> its scheduler, started if necessary ──> run
 *
 * A caller keeps the engine that it received, even after another was installed under its name or it was removed: it stays
 * loaded until a minute after its last task, since its files may be gone.
 */

import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { returnFreeMemory } from "../natives/libc.ts";
import type { Runner, RunnerOptions } from "./runner.ts";
import { type Load, openScheduler, type Scheduler, type TaskTimes, type Turns } from "./scheduler.ts";
import type { AudioSeconds } from "./speed/audio-seconds.ts";
import { type Measure, openSpeedMeter, type SpeedMeter } from "./speed/speed-meter.ts";

/** `isReplaced`: whether another was installed in its place, or it was removed; absent: it never is. */
export type Engine = Pick<Scheduler, "run"> & { isReplaced?: () => boolean };

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
  isReplaced?: Engine["isReplaced"];
};

export type EngineRegistry = AsyncDisposable & {
  engine(name: string): Engine;
  warm(name: string): void;
  /** Keys of the engines that are started. */
  started(): string[];
  /** The load of each, by name; one that is being replaced may be listed beside its replacement. */
  loads(): (Load & { name: string })[];
  /** How many times faster than real time an engine ran lately; null until it was measured. */
  speed(name: string): number | null;
  /** Unloads an engine that has had no task for a minute; it loads again on its next one. False where none was unloaded. */
  unload(name: string): boolean;
  /** To be called when engines may have been replaced: unloads those whose callers have had no task for a while. */
  retire(): void;
};

const REPLACED_IDLE_MS = 60_000; // a live session may be silent that long, a listener have so much sound

type Running = {
  name: string;
  spec: EngineSpec;
  queue: Scheduler;
  engine: Engine;
  tasks: number;
  /** When it was started or its last task ended. */
  usedMs: number;
  timer: Timer | null;
};

/** Called after each task of an engine. */
export type TaskEnded = (engine: string, times: TaskTimes) => void;

type RegistryOptions = {
  ended?: TaskEnded | undefined;
  /** How long an engine that was replaced stays loaded for its callers. */
  replacedIdleMs?: number;
  memory?: IdleMemory;
};

export function openRegistry(
  find: (name: string) => EngineSpec,
  options: RegistryOptions = {},
): EngineRegistry {
  return new OpenRegistry(find, options);
}

class OpenRegistry implements EngineRegistry {
  readonly #find: (name: string) => EngineSpec;
  readonly #ended: TaskEnded;
  readonly #replacedIdleMs: number;
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();
  readonly #speeds = new Map<string, { spec: EngineSpec; meter: SpeedMeter }>();
  readonly #memory: IdleMemory;

  constructor(find: (name: string) => EngineSpec, options: RegistryOptions) {
    const { ended = () => {}, replacedIdleMs = REPLACED_IDLE_MS, memory = openIdleMemory() } = options;
    this.#find = find;
    this.#ended = ended;
    this.#replacedIdleMs = replacedIdleMs;
    this.#memory = memory;
  }

  engine(name: string): Engine {
    const spec = this.#find(name);
    return {
      isReplaced: () => spec.isReplaced?.() ?? false,
      run: async (task, claim, transfer) => {
        const running = this.#start(name, spec);
        if (running.timer) clearTimeout(running.timer);
        running.timer = null;
        running.tasks++;
        this.#memory.begun();
        try {
          return await running.engine.run(task, claim, transfer);
        } finally {
          running.tasks--;
          this.#memory.ended();
          running.usedMs = performance.now();
          this.#unloadLater(running);
        }
      },
    };
  }

  warm(name: string): void {
    this.#unloadLater(this.#start(name, this.#find(name)));
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

  retire(): void {
    for (const [name, { spec }] of this.#speeds) if (spec.isReplaced?.()) this.#speeds.delete(name);
    for (const running of this.#running.values()) this.#unloadLater(running);
  }

  unload(name: string): boolean {
    const idle = [...this.#running.values()].filter(
      (each) =>
        each.name === name && each.tasks === 0 && performance.now() - each.usedMs >= this.#replacedIdleMs,
    );
    for (const running of idle) {
      if (running.timer) clearTimeout(running.timer);
      this.#end(running);
    }
    return idle.length > 0;
  }

  #start(name: string, spec: EngineSpec): Running {
    const known = this.#running.get(spec.key);
    if (known) return known;
    const { key, options, audioSeconds, turns } = spec;
    const runner = spec.start(options, this);
    const measured = audioSeconds
      ? withMeasure(runner, this.#meterOf(name, spec).started(), audioSeconds)
      : runner;
    const queue = openScheduler(measured, {
      ...options,
      ...(turns ? { turns } : {}),
      traced: name,
      ran: (times) => this.#ended(name, times),
    });
    const engine = spec.divide?.(queue) ?? queue;
    const usedMs = performance.now();
    const started: Running = { name, spec, queue, engine, tasks: 0, usedMs, timer: null };
    this.#running.set(key, started);
    return started;
  }

  /** Kept when the engine is unloaded; another engine under the name has another. */
  #meterOf(name: string, spec: EngineSpec): SpeedMeter {
    const known = this.#speeds.get(name);
    if (known?.spec.key === spec.key) return known.meter;
    const meter = openSpeedMeter();
    this.#speeds.set(name, { spec, meter });
    return meter;
  }

  #unloadLater(running: Running): void {
    const { spec, tasks, usedMs } = running;
    if (running.timer) clearTimeout(running.timer);
    running.timer = null;
    const idleMs = spec.isReplaced?.() ? this.#replacedIdleMs : spec.idleMs;
    if (idleMs === null || tasks > 0) return;
    running.timer = setTimeout(() => this.#end(running), Math.max(0, usedMs + idleMs - performance.now()));
    running.timer.unref();
  }

  #end({ spec, queue }: Running): void {
    this.#running.delete(spec.key);
    const ended = Promise.resolve(queue[Symbol.asyncDispose]()).finally(() => {
      this.#ending.delete(ended);
      this.#memory.unloaded();
    });
    this.#ending.add(ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { timer } of this.#running.values()) if (timer) clearTimeout(timer);
    await Promise.all([...this.#running.values()].map(({ queue }) => queue[Symbol.asyncDispose]()));
    await Promise.all(this.#ending);
    this.#memory[Symbol.dispose]();
  }
}

function withMeasure(runner: Runner, measure: Measure, audioSeconds: AudioSeconds): Runner {
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
        (result) => early + secondsOf(result),
      );
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

export type IdleMemory = Disposable & {
  begun(): void;
  ended(): void;
  /** An engine was unloaded. */
  unloaded(): void;
};

type IdleMemoryOptions = { quietMs?: number; giveBack?: () => unknown };

const QUIET_MS = 10_000;

/**
 * Gives the system what engines have freed and the C library keeps, once none of them has had a task for a while. Trimming
 * takes milliseconds, for which no task waits then. @internal
 */
export function openIdleMemory({
  quietMs = QUIET_MS,
  giveBack = returnFreeMemory,
}: IdleMemoryOptions = {}): IdleMemory {
  let running = 0;
  let timer: Timer | null = null;
  const stop = () => {
    if (timer) clearTimeout(timer);
    timer = null;
  };
  const wait = () => {
    stop();
    if (running > 0) return;
    timer = setTimeout(giveBack, quietMs);
    timer.unref();
  };
  return {
    begun() {
      running++;
      stop();
    },
    ended() {
      running--;
      wait();
    },
    unloaded: wait,
    [Symbol.dispose]: stop,
  };
}
