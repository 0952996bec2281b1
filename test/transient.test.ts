/** What comes and goes: a map and a set that keep nothing of what was removed. */
import { edenGC, fullGC } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { TransientMap, TransientSet } from "../src/transient.ts";

const AT_ONCE = 32;

/** Returns what removes the value again. */
type Adding = (value: object) => () => void;

/** How many of `count` values, of which `AT_ONCE` are there at the same time, remain after a collection of new objects. */
async function remaining(count: number, add: Adding): Promise<number> {
  const refs: WeakRef<object>[] = [];
  const removals: (() => void)[] = [];
  const pass = (times: number) => {
    for (let turn = 0; turn < times; turn++) {
      const value = {};
      refs.push(new WeakRef(value));
      removals.push(add(value));
      if (removals.length > AT_ONCE) removals.shift()!();
    }
  };
  pass(count);
  await new Promise(setImmediate); // a reference that was made in this turn holds its value
  fullGC();
  refs.length = 0;
  for (let round = 0; round < 5; round++) {
    pass(count / 5);
    await new Promise(setImmediate);
    edenGC();
  }
  return refs.filter((ref) => ref.deref() !== undefined).length;
}

function addingToMap(map: TransientMap<number, object>): Adding {
  let id = 0;
  return (value) => {
    const key = id++;
    map.set(key, value);
    return () => void map.delete(key);
  };
}

const addingTo =
  (set: TransientSet<object> | Set<object>): Adding =>
  (value) => {
    set.add(value);
    return () => void set.delete(value);
  };

const KINDS: [name: string, open: () => Adding, isCollected: boolean][] = [
  ["a map", () => addingToMap(new TransientMap()), true],
  ["a set", () => addingTo(new TransientSet()), true],
  ["the set of the engine", () => addingTo(new Set()), false],
];

describe("what was removed", () => {
  for (const [name, open, isCollected] of KINDS)
    test(`${name} ${isCollected ? "lets it be collected" : "keeps it, which is why the others exist"}`, async () => {
      const count = 5000;
      const left = await remaining(count, open());
      if (isCollected) expect(left).toBeLessThan(count / 10);
      else expect(left).toBeGreaterThan(count / 2);
    });
});

describe("a map of what comes and goes", () => {
  test("does what a map does", () => {
    const [ours, theirs] = [new TransientMap<number, number>([[1, 1]]), new Map([[1, 1]])];
    for (let turn = 0; turn < 20_000; turn++) {
      const key = (turn * 7919) % 61;
      if (turn % 3 === 0) expect(ours.delete(key)).toBe(theirs.delete(key));
      else {
        ours.set(key, turn);
        theirs.set(key, turn);
      }
      expect(ours.size).toBe(theirs.size);
      expect(ours.get(key)).toBe(theirs.get(key)!);
      expect(ours.has(key)).toBe(theirs.has(key));
    }
    expect([...ours]).toEqual([...theirs]);
    expect([...ours.keys()]).toEqual([...theirs.keys()]);
    expect([...ours.values()]).toEqual([...theirs.values()]);
    ours.clear();
    expect([...ours]).toEqual([]);
  });

  test("may be changed while it is read, by the entry that is read", () => {
    const map = new TransientMap(Array.from({ length: 100 }, (_, key) => [key, key] as [number, number]));
    for (const [key] of map) if (key % 3 !== 0) map.delete(key);
    expect(map.size).toBe(34);
    expect([...map.keys()].every((key) => key % 3 === 0)).toBe(true);
  });
});

test("a set of what comes and goes does what a set does", () => {
  const [ours, theirs] = [new TransientSet<number>(), new Set<number>()];
  for (let turn = 0; turn < 10_000; turn++) {
    const value = (turn * 7919) % 61;
    if (turn % 3 === 0) expect(ours.delete(value)).toBe(theirs.delete(value));
    else {
      ours.add(value);
      theirs.add(value);
    }
    expect(ours.has(value)).toBe(theirs.has(value));
    expect(ours.size).toBe(theirs.size);
  }
  expect([...ours]).toEqual([...theirs]);
  expect([...ours.values()]).toEqual([...theirs]);
  ours.clear();
  expect(ours.size).toBe(0);
});
