/** Promise: a refused request is given the time until its organization has a slot, within a factor of two or by one task. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openSlotTimes } from "../../src/usage/slots.ts";

const DAY_MS = 86_400_000;

/** Requests for `slots`, of which `servers` at once are worked on for `taskMs` each, in the order in which they came. */
function openServer({ slots, servers, taskMs }: { slots: number; servers: number; taskMs: number }) {
  let nowMs = DAY_MS;
  const times = openSlotTimes({ now: () => nowMs });
  const held: string[] = [];
  const ends: number[] = []; // of the first ones of `held`
  let count = 0;
  const work = () => {
    while (ends.length < Math.min(servers, held.length)) ends.push(nowMs + taskMs);
  };
  return {
    times,
    /** Takes every free slot. */
    fill() {
      while (held.length < slots) {
        held.push(`${count}`);
        times.began("org", `${count++}`, false);
      }
      work();
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    nowMs: () => nowMs,
    nextMs: () => ends[0]!,
    /** The next one ends. */
    end() {
      nowMs = Math.max(nowMs, ends.shift()!);
      times.ended("org", held.shift()!, true);
      work();
    },
  };
}

const shapes = fc.record({
  slots: fc.integer({ min: 1, max: 32 }),
  servers: fc.integer({ min: 1, max: 4 }),
  taskMs: fc.integer({ min: 200, max: 20_000 }),
});

/** As the header has it. */
const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));

describe("while requests keep all slots in use", () => {
  test("the wait for the next slot, and for one behind others, is expected as long as it is", () => {
    fc.assert(
      fc.property(shapes, fc.nat(40), fc.double({ min: 0, max: 0.9, noNaN: true }), (shape, ahead, part) => {
        const server = openServer(shape);
        server.fill();
        for (let count = 0; count < 3 * shape.slots + 5; count++) {
          server.end();
          server.fill();
        }
        server.pass((server.nextMs() - server.nowMs()) * part);
        const expected = server.times.waitMs("org", ahead);
        const askedMs = server.nowMs();
        for (let count = 0; count <= ahead; count++) {
          server.end();
          server.fill();
        }
        const trueMs = server.nowMs() - askedMs;
        if (Math.abs(expected - trueMs) > shape.taskMs)
          expect(seconds(expected) / seconds(trueMs)).toBeWithin(0.49, 2.01);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});

test("of requests that all came at once, the pace counts at which they end", () => {
  const server = openServer({ slots: 32, servers: 2, taskMs: 1000 });
  server.fill();
  for (let count = 0; count < 12; count++) server.end();
  expect(server.times.waitMs("org", 9) / 5000).toBeWithin(0.5, 2);
});

test("without any request that ended, half of the oldest is assumed to be done", () => {
  const server = openServer({ slots: 2, servers: 2, taskMs: 9000 });
  server.fill();
  server.pass(4000);
  expect(server.times.waitMs("org", 0)).toBe(4000);
});

test("live sessions are expected to last as long again, and refused requests tell nothing", () => {
  let nowMs = 0;
  const times = openSlotTimes({ now: () => nowMs });
  times.began("org", "session", true);
  nowMs = 7000;
  expect([times.waitMs("org", 0), times.areLive("org")]).toEqual([7000, true]);
  times.began("org", "request", false);
  nowMs = 7001;
  times.ended("org", "request", false);
  times.began("org", "other", false);
  nowMs = 12_001;
  expect([times.waitMs("org", 0), times.areLive("org")]).toEqual([5000, false]);
});

test("nothing is kept of an organization whose requests have ended", () => {
  const times = openSlotTimes({ now: () => 0 });
  times.began("org", "1", true);
  times.ended("org", "1", true);
  times.ended("org", "1", true);
  expect(times.waitMs("org", 0)).toBe(0);
});
