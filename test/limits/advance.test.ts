/** Promise: nodes that take limits in advance admit no more than one store would, and nearly as much. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import fc from "fast-check";
import { takeInAdvance } from "../../src/limits/advance/advance.ts";
import { type Bucket, take } from "../../src/limits/bucket.ts";
import { failOver } from "../../src/limits/fail-over.ts";
import type { Ask, LimitStore } from "../../src/limits/limits.ts";
import { openMemoryLimits } from "../../src/limits/memory.ts";
import { openLog } from "../../src/log/log.ts";

const START = Date.UTC(2026, 0, 2);
const RUNS = 500;
const STEP_MS = 125;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Nodes that share a store in memory. `asked` counts what reaches the store. */
function openNodes(count: number) {
  const clock = { at: START, now: () => clock.at };
  const memory = openMemoryLimits();
  let asked = 0;
  const shared: LimitStore = {
    ...memory,
    decide(ask) {
      asked++;
      return memory.decide(ask);
    },
    async [Symbol.asyncDispose]() {},
  };
  const nodes = Array.from({ length: count }, () => takeInAdvance(shared, clock));
  return {
    ...{ clock, nodes, shared },
    asked: () => asked,
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.at += Math.min(left, STEP_MS);
        jest.advanceTimersByTime(Math.min(left, STEP_MS));
        for (let turn = 0; turn < 10; turn++) await null; // what is due is returned
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    },
  };
}

const request = (now: number, cost: number, perMinute: number): Ask => ({
  ...{ organizationId: "org", now, slot: null },
  take: [{ bucket: "characters", cost, perMinute }],
});

/** Rounds of requests: so many at once, of this cost, at this node, after this time. */
const rounds = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.nat(60), fc.nat(400), fc.constantFrom(1000, 3000)),
    many: fc.integer({ min: 1, max: 20 }),
    cost: fc.integer({ min: 1, max: 40 }),
    node: fc.nat(2),
  }),
  { maxLength: 80, size: "max" },
);

describe("points", () => {
  test("what is left and held is never more than one bucket would have left", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 6000 }), rounds, async (perMinute, steps) => {
        await using fixture = openNodes(3);
        let model: Bucket | null = null;
        for (const { waitMs, many, cost, node } of steps) {
          await fixture.pass(waitMs);
          const now = fixture.clock.now();
          const asks = Array.from({ length: many }, () =>
            fixture.nodes[node]!.decide(request(now, cost, perMinute)),
          );
          for (const { refused } of await Promise.all(asks))
            if (refused === null) model = take(model, perMinute, { cost, now }).bucket;
          const one = take(model, perMinute, { cost: 0, now }).bucket.points;
          const levelAt = async (store: LimitStore) =>
            (await store.decide(request(now, 0, perMinute))).levels[0]!.points;
          const left = await levelAt(fixture.shared);
          const held = await Promise.all(fixture.nodes.map(async (each) => (await levelAt(each)) - left));
          expect(left + held.reduce((sum, points) => sum + points, 0)).toBeLessThanOrEqual(one + 0.001);
        }
      }),
      { numRuns: RUNS },
    ));

  test("nearly all that one bucket would admit is admitted", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 6000 }), rounds, async (perMinute, steps) => {
        await using fixture = openNodes(3);
        const held = (3 * 2 * perMinute) / 32; // of three nodes, with what was not refilled meanwhile
        let model: Bucket | null = null;
        for (const { waitMs, many, cost, node } of steps) {
          await fixture.pass(waitMs);
          const now = fixture.clock.now();
          for (let turn = 0; turn < many; turn++) {
            const { refused } = await fixture.nodes[node]!.decide(request(now, cost, perMinute));
            if (refused === null) model = take(model, perMinute, { cost, now }).bucket;
            else expect(take(model, perMinute, { cost: cost + held, now }).admitted).toBe(false);
          }
        }
      }),
      { numRuns: RUNS },
    ));

  test("a busy organization's requests are decided at the node, others at the store", async () => {
    await using fixture = openNodes(1);
    const ask = () => fixture.nodes[0]!.decide(request(fixture.clock.now(), 1, 60_000));
    for (let turn = 0; turn < 1000; turn++) {
      await ask();
      await fixture.pass(2);
    }
    expect(fixture.asked()).toBeLessThan(100);
    await fixture.pass(1000);
    const before = fixture.asked();
    for (let turn = 0; turn < 10; turn++) {
      await fixture.pass(1000);
      await ask();
    }
    expect(fixture.asked() - before).toBe(10);
  });

  test("a loan that is used up is ended as well: a limit that is lowered then admits all of it", async () => {
    for (let used = 1; used <= 40; used++) {
      await using fixture = openNodes(1);
      const ask = (cost: number, perMinute: number) =>
        fixture.nodes[0]!.decide(request(fixture.clock.now(), cost, perMinute));
      for (let turn = 0; turn < used; turn++) await ask(1, 60_000);
      await fixture.pass(1000);
      expect(await ask(30, 30)).toMatchObject({ refused: null });
    }
  });

  test("a node that stood still does not use what it held", async () => {
    await using fixture = openNodes(1);
    const node = fixture.nodes[0]!;
    const ask = (id: string): Ask => ({
      ...request(fixture.clock.now(), 1, 6000),
      slot: { id, max: 100 },
    });
    for (let turn = 0; turn < 10; turn++) {
      await node.decide(ask(`request_${turn}`));
      await node.release("org", `request_${turn}`);
    }
    const before = fixture.asked();
    await node.decide(ask("at once"));
    await node.release("org", "at once");
    expect(fixture.asked()).toBe(before);
    fixture.clock.at += 1000; // without its timers
    await node.decide({ ...ask("points"), slot: null });
    expect(fixture.asked()).toBe(before + 1);
    await node.decide({ ...ask("slot"), take: [] });
    expect(fixture.asked()).toBe(before + 2);
  });

  test("near the end of a limit nothing is taken in advance", async () => {
    await using fixture = openNodes(2);
    const answers = [];
    for (let turn = 0; turn < 400; turn++)
      answers.push(await fixture.nodes[turn % 2]!.decide(request(START, 1, 300)));
    expect(answers.filter(({ refused }) => refused === null).length).toBe(300);
  });

  test("what a closing node holds is given back", async () => {
    const fixture = openNodes(1);
    const ask = () => fixture.nodes[0]!.decide(request(START, 1, 6000));
    for (let turn = 0; turn < 10; turn++) await ask();
    await fixture[Symbol.asyncDispose]();
    expect((await fixture.shared.decide(request(START, 0, 6000))).levels[0]!.points).toBe(5990);
  });

  test("what a node takes that then stops is lost, and the bucket fills again", async () => {
    await using fixture = openNodes(1);
    for (let turn = 0; turn < 10; turn++) await fixture.nodes[0]!.decide(request(START, 1, 6000));
    const level = async (now: number) =>
      (await fixture.shared.decide(request(now, 0, 6000))).levels[0]!.points;
    const lent = 5990 - (await level(START));
    expect(lent).toBeGreaterThan(0);
    expect(await level(START + 9000)).toBe(6000 - lent);
    expect(await level(START + 20_000)).toBe(6000);
  });

  test("a store that fails leaves nothing held, and the next request is decided", async () => {
    const memory = openMemoryLimits();
    let fails = false;
    const store: LimitStore = {
      ...memory,
      decide: (ask) => (fails ? Promise.reject(new Error("gone")) : memory.decide(ask)),
    };
    await using node = takeInAdvance(store, { now: () => START });
    const ask = (cost: number) => node.decide(request(START, cost, 6000));
    for (let turn = 0; turn < 10; turn++) await ask(1);
    fails = true;
    await expect(ask(1000)).rejects.toThrow("gone");
    await expect(ask(1)).rejects.toThrow("gone");
    fails = false;
    expect((await ask(1)).refused).toBeNull();
  });

  test("a loan is ended as soon as a store that was not reached answers again", async () => {
    const clock = { at: START, now: () => clock.at };
    const memory = openMemoryLimits();
    let fails = false;
    const shared: LimitStore = {
      ...memory,
      decide: (ask) => (fails ? Promise.reject(new Error("gone")) : memory.decide(ask)),
    };
    const counted = failOver(
      shared,
      openLog("silent", () => {}),
      () => {},
    );
    await using node = takeInAdvance(counted, clock);
    const pass = async (ms: number) => {
      clock.at += ms;
      jest.advanceTimersByTime(ms);
      for (let turn = 0; turn < 50; turn++) await null;
    };
    const ask = (cost: number) => node.decide(request(clock.at, cost, 6000));
    const lent = async () => {
      const { bucket } = take(null, 6000, { cost: 0, now: clock.at });
      return bucket.points - (await memory.decide(request(clock.at, 0, 6000))).levels[0]!.points;
    };
    for (let turn = 0; turn < 10; turn++) await ask(1);
    fails = true;
    expect((await ask(1000)).refused).toBeNull();
    for (let turn = 0; turn < 4; turn++) await pass(250);
    expect(await lent()).toBeGreaterThan(0); // the bucket is as full as the loan lets it be
    fails = false;
    await pass(250);
    await pass(250);
    expect(await lent()).toBe(0);
  });
});

describe("slots", () => {
  const slotOf = (id: string, max: number): Ask => ({
    ...{ organizationId: "org", now: START, slot: { id, max } },
    take: [],
  });

  test("no more are in use than allowed, at any nodes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 64 }),
        fc.array(fc.record({ waitMs: fc.nat(150), node: fc.nat(2), begun: fc.nat(20), ended: fc.nat(20) }), {
          maxLength: 40,
          size: "max",
        }),
        async (max, steps) => {
          await using fixture = openNodes(3);
          const inUse: [node: number, id: string][] = [];
          let name = 0;
          for (const { waitMs, node, begun, ended } of steps) {
            await fixture.pass(waitMs);
            for (let turn = 0; turn < begun; turn++) {
              const id = `request_${name++}`;
              const ask = { ...slotOf(id, max), now: fixture.clock.now() };
              const { refused } = await fixture.nodes[node]!.decide(ask);
              if (refused === null) inUse.push([node, id]);
              expect(inUse.length).toBeLessThanOrEqual(max);
              const kept = 3 * Math.floor(max / 16);
              if (refused !== null) expect(inUse.length).toBeGreaterThanOrEqual(max - kept);
            }
            for (const [at, id] of inUse.splice(0, ended)) await fixture.nodes[at]!.release("org", id);
            for (const [at, id] of inUse)
              expect(await fixture.nodes[at]!.renew("org", id, fixture.clock.now())).toBe(true);
          }
        },
      ),
      { numRuns: RUNS },
    ));

  test("a kept slot is the next request's, and is not counted as in use", async () => {
    await using fixture = openNodes(1);
    const node = fixture.nodes[0]!;
    for (let turn = 0; turn < 50; turn++) {
      expect((await node.decide(slotOf(`request_${turn}`, 100))).refused).toBeNull();
      expect(await node.inFlight("org", START)).toBe(1);
      await node.release("org", `request_${turn}`);
      expect(await node.inFlight("org", START)).toBe(0);
    }
    expect(fixture.asked()).toBe(1);
    await fixture.pass(1000);
    await node.decide(slotOf("later", 100));
    expect(fixture.asked()).toBe(2);
  });

  test("few slots are never kept: another node may use each at once", async () => {
    await using fixture = openNodes(2);
    for (let turn = 0; turn < 20; turn++) {
      const node = fixture.nodes[turn % 2]!;
      for (const id of ["a", "b"]) expect((await node.decide(slotOf(id, 2))).refused).toBeNull();
      for (const id of ["a", "b"]) await node.release("org", id);
    }
  });
});
