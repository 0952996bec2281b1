/**
 * Counts what a server allocates and asks of its databases, on the thread that serves. Preloaded into its process: it
 * answers each line "count" on standard input with a line of JSON.
 *
 * Nothing is collected (`BUN_JSC_useGC=0`), so every object that was ever made is still there: their number is that of the
 * heap's objects, and their bytes are what the heap has grown by, in blocks of 16 KiB. The bytes of buffers and of long
 * strings lie outside the heap, and are not counted.
 */
import { heapStats } from "bun:jsc";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

export type Counters = {
  objects: number;
  bytes: number;
  /** Of SQLite on this thread, which only reads, and of PostgreSQL. */
  statements: number;
  /** Of Redis. */
  commands: number;
};

type Methods = Record<string, (...values: unknown[]) => unknown>;

const counts = { statements: 0, commands: 0 };
const load = createRequire(Bun.main); // the packages of the server, which may be another checkout's
countCalls(statementsOf(load("better-sqlite3")), ["run", "get", "all", "iterate"], "statements");
countCalls(load("pg").Client.prototype, ["query"], "statements");
countCalls(load("ioredis").Redis.prototype, ["sendCommand"], "commands");
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line !== "count") return;
  const { objectTypeCounts, heapCapacity: bytes } = heapStats();
  const objects = Object.values(objectTypeCounts).reduce((sum, count) => sum + count, 0);
  process.stdout.write(`${JSON.stringify({ objects, bytes, ...counts } satisfies Counters)}\n`);
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
