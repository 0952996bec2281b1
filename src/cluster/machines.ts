/**
 * What is used of the machine of each node: now as it reports, and in the last hour a minute at a time. Each node looks at
 * itself every ten seconds, and keeps in memory what it has seen of all: after a restart the hour begins anew.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import { repeating } from "../one-at-a-time.ts";
import type { MachineUse, Node } from "./node.ts";
import { tasksOf } from "./totals.ts";

const EVERY_MS = 10_000;
const FIRST_MS = 1000;
const MINUTES = 60;

type Figures = {
  cpu: number | null;
  processCpu: number | null;
  memoryUsedBytes: number | null;
  processMemoryBytes: number | null;
  diskFreeBytes: number | null;
  gpuUse: number | null;
  gpuMemoryUsedBytes: number | null;
  running: number | null;
  waiting: number | null;
};
type Figure = keyof Figures;

/** `start` in Unix seconds. Null: not seen. */
export type MachineMinute = Figures & { start: number };

export type MachineHour = {
  node: Node;
  /** Oldest first; the last minute is not over yet. */
  minutes: MachineMinute[];
};

export type Machines = AsyncDisposable & {
  now(): MachineHour[];
  /** As every ten seconds. */
  look(): Promise<void>;
};

/** How the figures of a minute become one; of all others the mean. */
const EXTREMES: Partial<Record<Figure, (one: number, other: number) => number>> = {
  diskFreeBytes: Math.min,
  running: Math.max,
  waiting: Math.max,
};

type Sum = { value: number; count: number };
type Sums = Partial<Record<Figure, Sum>>;

type Deps = {
  /** Looks at the machine of this node. */
  look(): Promise<void>;
  nodes(): Node[];
  clock: Clock;
};

export function watchMachines({ look, nodes, clock }: Deps): Machines {
  let hours = new Map<string, Map<number, Sums>>();
  const minuteNow = () => Math.floor(unixSeconds(clock) / 60);

  async function see(): Promise<void> {
    await look();
    const minute = minuteNow();
    const seen = nodes().map((node) => {
      const hour = hours.get(node.id) ?? new Map<number, Sums>();
      for (const old of hour.keys()) if (old <= minute - MINUTES || old > minute) hour.delete(old);
      hour.set(minute, added(hour.get(minute) ?? {}, figuresOf(node)));
      return [node.id, hour] as const;
    });
    hours = new Map(seen); // without those that left
  }

  const looking = repeating(EVERY_MS, see, () => {}); // what cannot be seen has no figures
  const first = setTimeout(looking.run, FIRST_MS);
  first.unref();
  return {
    now() {
      const start = minuteNow() - MINUTES + 1;
      return nodes().map((node) => ({
        node,
        minutes: Array.from({ length: MINUTES }, (_none, index) => ({
          start: (start + index) * 60,
          ...figuresIn(hours.get(node.id)?.get(start + index) ?? {}),
        })),
      }));
    },
    look: looking.run,
    async [Symbol.asyncDispose]() {
      clearTimeout(first);
      await looking[Symbol.asyncDispose]();
    },
  };
}

function figuresOf({ report }: Node): Figures {
  const { machine, memoryBytes } = report;
  return {
    cpu: machine?.cpu ?? null,
    processCpu: machine?.processCpu ?? null,
    memoryUsedBytes: machine?.memoryUsedBytes ?? null,
    processMemoryBytes: memoryBytes,
    diskFreeBytes: machine?.disk?.freeBytes ?? null,
    ...gpuFigures(machine?.gpus ?? []),
    ...tasksOf(report),
  };
}

/** The mean use of those that say it, and the memory of all. */
function gpuFigures(gpus: NonNullable<MachineUse["gpus"]>) {
  const uses = gpus.flatMap(({ use }) => use ?? []);
  const memories = gpus.flatMap(({ memoryUsedBytes }) => memoryUsedBytes ?? []);
  const sum = (all: number[]) => all.reduce((total, each) => total + each, 0);
  return {
    gpuUse: uses.length > 0 ? sum(uses) / uses.length : null,
    gpuMemoryUsedBytes: memories.length > 0 ? sum(memories) : null,
  };
}

function added(sums: Sums, figures: Figures): Sums {
  const all = { ...sums };
  for (const [figure, value] of Object.entries(figures) as [Figure, number | null][]) {
    if (value === null) continue;
    const known = all[figure];
    const extreme = EXTREMES[figure];
    if (known === undefined) all[figure] = { value, count: 1 };
    else if (extreme) all[figure] = { value: extreme(known.value, value), count: 1 };
    else all[figure] = { value: known.value + value, count: known.count + 1 };
  }
  return all;
}

function figuresIn(sums: Sums): Figures {
  const part = (figure: Figure) => {
    const sum = sums[figure];
    return sum ? sum.value / sum.count : null;
  };
  const whole = (figure: Figure) => {
    const value = part(figure);
    return value === null ? null : Math.round(value);
  };
  return {
    cpu: part("cpu"),
    processCpu: part("processCpu"),
    memoryUsedBytes: whole("memoryUsedBytes"),
    processMemoryBytes: whole("processMemoryBytes"),
    diskFreeBytes: whole("diskFreeBytes"),
    gpuUse: part("gpuUse"),
    gpuMemoryUsedBytes: whole("gpuMemoryUsedBytes"),
    running: whole("running"),
    waiting: whole("waiting"),
  };
}
