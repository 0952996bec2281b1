/** Whose turn it is among several that wait: each has one turn in a round, and who joins during a round has a turn in it. */
import type { Head } from "./engine-tasks.ts";

export type Rounds = ReturnType<typeof openRounds>;

/** Names served in this round come after those that were not; once all were served, another round begins. */
export function openRounds() {
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
export function byNeed(heads: ReadonlyMap<string, Head>): string[] {
  const names = [...heads.keys()];
  const of = (...kinds: Head["kind"][]) => names.filter((name) => kinds.includes(heads.get(name)!.kind));
  const due = of("due").sort((one, other) => heads.get(one)!.dueMs - heads.get(other)!.dueMs);
  return due.length > 0 ? [...due, ...of("batch")] : of("ahead", "batch");
}

/** Moves a key to the end: maps keep the order of insertion. */
export function toEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
