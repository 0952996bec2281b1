/**
 * Counts what a server allocates and asks of its databases, on the thread that serves, and what its process asks of the
 * processors. Preloaded into that process, it answers three lines on standard input with a line of JSON: "count"; "collect new", before
 * which the objects made since the last collection are collected; and "collect all", before which all are.
 *
 * Where nothing is collected (`BUN_JSC_useGC=0`), every object that was ever made is still there: their number is that of the
 * heap's objects, and their bytes are what the heap has grown by, in blocks of 16 KiB. Buffers and long strings lie outside it:
 * they are in what the allocator of the process has given out in all.
 */
import { edenGC, fullGC, heapStats } from "bun:jsc";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

export type Counters = {
  objects: number;
  bytes: number;
  /** Bytes that the process took from its allocator: the heaps of all threads, buffers, strings, what the runtime itself needs. */
  allocated: number;
  /** Times that a thread of the process went to sleep, and had to be woken. */
  sleeps: number;
  /** Processor time of all threads, in microseconds. */
  processorUs: number;
  /** Of SQLite on this thread, which only reads, and of PostgreSQL. */
  statements: number;
  /** Of Redis. */
  commands: number;
};

/** With what the allocator says of itself, which the runtime's types leave out. */
type HeapStats = ReturnType<typeof heapStats> & {
  mimalloc: Record<"malloc_normal" | "malloc_huge", { total: number }>;
};

type Methods = Record<string, (...values: unknown[]) => unknown>;

/** By the line that asks. */
const BEFORE_COUNTING: Record<string, () => void> = {
  count() {},
  "collect new": edenGC,
  "collect all": fullGC,
};

const counts = { statements: 0, commands: 0 };
const load = createRequire(Bun.main); // the packages of the server, which may be another checkout's
countCalls(statementsOf(load("better-sqlite3")), ["run", "get", "all", "iterate"], "statements");
countCalls(load("pg").Client.prototype, ["query"], "statements");
countCalls(load("ioredis").Redis.prototype, ["sendCommand"], "commands");
createInterface({ input: process.stdin }).on("line", (line) => {
  const prepare = BEFORE_COUNTING[line];
  if (!prepare) return; // a line of the program itself
  prepare();
  const { objectTypeCounts, heapCapacity: bytes, mimalloc } = heapStats() as HeapStats;
  const { userCPUTime, systemCPUTime, voluntaryContextSwitches: sleeps } = process.resourceUsage();
  const counters: Counters = {
    objects: Object.values(objectTypeCounts).reduce((sum, count) => sum + count, 0),
    bytes,
    allocated: mimalloc.malloc_normal.total + mimalloc.malloc_huge.total,
    sleeps,
    processorUs: userCPUTime + systemCPUTime,
    ...counts,
  };
  process.stdout.write(`${JSON.stringify(counters)}\n`);
});

function statementsOf(Sqlite: typeof import("better-sqlite3")): Methods {
  const database = new Sqlite(":memory:");
  const prototype = Object.getPrototypeOf(database.prepare("select 1"));
  database.close();
  return prototype;
}

function countCalls(prototype: Methods, names: string[], counter: keyof typeof counts): void {
  for (const name of names) {
    const call = prototype[name]!;
    prototype[name] = function (...values) {
      counts[counter]++;
      return call.apply(this, values);
    };
  }
}
