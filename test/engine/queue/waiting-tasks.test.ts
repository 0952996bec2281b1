/** Promise: in every order of arrival, a task that is due runs within a round, and what a listener needs first runs first. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Position, WaitingTask } from "../../../src/engine/queue/engine-tasks.ts";
import { openWaitingTasks } from "../../../src/engine/queue/waiting-tasks.ts";

type Arrival = { arrives: Position };
type Step = Arrival | "runs";
type Ran = { organization: string; arrivedMs: number; dueMs: number; ranMs: number };

const STEP_MS = 400;
const LEAD_MS = 500;
const ANY = { mayRun: () => true, isBehind: () => true };
const BATCH_DUE_MS = 60_000;

/** Each step takes `STEP_MS`; in the end, everything that still waits runs. */
function simulate(steps: Step[]): Ran[] {
  const waiting = openWaitingTasks();
  const ran: Ran[] = [];
  let nowMs = 0;
  const run = () => {
    const task = waiting.next(ANY, { nowMs, byMs: nowMs + LEAD_MS });
    if (!task) return false;
    const { organization, dueInMs = BATCH_DUE_MS } = task.position;
    const dueMs = task.arrivedMs + dueInMs;
    ran.push({ organization, arrivedMs: task.arrivedMs, dueMs, ranMs: nowMs });
    return true;
  };
  for (const step of steps) {
    nowMs += STEP_MS;
    if (step === "runs") run();
    else waiting.add(taskOf(step.arrives, nowMs));
  }
  while (run()) nowMs += STEP_MS;
  return ran;
}

const taskOf = (position: Position, arrivedMs: number): WaitingTask => ({
  position,
  engine: "",
  arrivedMs,
  start() {},
});

const streamed = (organization: string, request: string, dueInMs: number): Arrival => ({
  arrives: { urgency: "streaming", organization, request, dueInMs },
});
const batch = (organization: string, request: string): Arrival => ({
  arrives: { urgency: "batch", organization, request },
});

const organization = fc.constantFrom("a", "b", "c");
const request = fc.constantFrom("1", "2", "3");
const arrival = fc.oneof(
  fc.tuple(organization, request, fc.constantFrom(0, 0, 1000, 5000, 20_000)).map((args) => streamed(...args)),
  fc.tuple(organization, request).map((args) => batch(...args)),
);
const steps = fc.array(fc.oneof(arrival, fc.constant("runs" as const)), { maxLength: 120, size: "max" });

describe("whatever arrives, and when", () => {
  test("every task runs once, and before every task of its organization that came when it was due", () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const ran = simulate(steps);
        expect(ran.length).toBe(steps.filter((step) => step !== "runs").length);
        for (const [index, late] of ran.entries()) {
          const overtaken = ran
            .slice(0, index)
            .filter((other) => other.organization === late.organization && other.arrivedMs > late.dueMs);
          expect(overtaken).toEqual([]);
        }
      }),
    );
  });

  test("another organization has at most two turns between two of one with a task that is due", () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const ran = simulate(steps);
        for (const [index, { organization, dueMs }] of ran.entries()) {
          const meanwhile = ran.slice(0, index).filter(({ ranMs }) => ranMs > dueMs);
          const turns = Map.groupBy(meanwhile, (each) => each.organization);
          const owned = turns.get(organization)?.length ?? 0;
          for (const [other, { length }] of turns)
            if (other !== organization) expect(length).toBeLessThanOrEqual(2 * (owned + 1));
        }
      }),
    );
  });
});

/** The order in which tasks run that came at one moment. */
function orderOf(positions: Position[], waitedMs = 0): string[] {
  const waiting = openWaitingTasks();
  for (const position of positions) waiting.add(taskOf(position, 0));
  const order: string[] = [];
  const times = { nowMs: waitedMs, byMs: waitedMs + LEAD_MS };
  for (let task = waiting.next(ANY, times); task; task = waiting.next(ANY, times))
    order.push(`${task.position.organization}${task.position.request}`);
  return order;
}

const listener = (organization: string, request: string, dueInMs: number) =>
  streamed(organization, request, dueInMs).arrives;
const file = (organization: string, request: string) => batch(organization, request).arrives;

describe("of one organization", () => {
  test("a first segment runs before those whose listeners have sound, and they in the order of need", () => {
    const order = orderOf([listener("a", "1", 4000), listener("a", "2", 2000), listener("a", "3", 0)]);
    expect(order).toEqual(["a3", "a2", "a1"]);
  });

  test("streams run before files, until a file has waited for a minute", () => {
    expect(orderOf([file("a", "1"), listener("a", "2", 9000)])).toEqual(["a2", "a1"]);
    const late = [file("a", "1"), listener("a", "2", BATCH_DUE_MS + 1)];
    expect(orderOf(late, BATCH_DUE_MS + 2)).toEqual(["a1", "a2"]);
  });
});

describe("further parts of recordings", () => {
  const part = (organization: string, request: string, begunMs: number): Position => ({
    ...file(organization, request),
    begunMs,
  });

  test("run before their organization's other files, the oldest recording first", () => {
    const order = orderOf([file("a", "1"), part("a", "3", 20), part("a", "2", 10), listener("a", "4", 0)]);
    expect(order).toEqual(["a4", "a2", "a3", "a1"]);
  });

  test("take turns with another organization's files", () => {
    const order = orderOf([part("a", "1", 0), part("a", "2", 0), file("b", "1"), file("b", "2")]);
    expect(order).toEqual(["a1", "b1", "a2", "b2"]);
  });

  test("are due a minute after their recording came", () => {
    const begunMs = -BATCH_DUE_MS;
    expect(orderOf([listener("a", "1", 9000), part("a", "2", begunMs)])).toEqual(["a2", "a1"]);
  });
});

describe("of several organizations", () => {
  test("those with less than their share come first, and all the others in turn where there is none", () => {
    const waiting = openWaitingTasks();
    for (const name of ["a", "a", "b", "c"]) waiting.add(taskOf(file(name, "1"), 0));
    const next = (...behind: string[]) => {
      const choice = { ...ANY, isBehind: (name: string) => behind.includes(name) };
      return waiting.next(choice, { nowMs: 0, byMs: 0 })?.position.organization;
    };
    expect([next("c"), next("c"), next("a"), next()]).toEqual(["c", "a", "a", "b"]);
  });

  test("the tasks ahead are those that have their turn before a further one", () => {
    const waiting = openWaitingTasks();
    for (const name of ["a", "a", "a", "b"]) waiting.add(taskOf(file(name, "1"), 0));
    expect(["a", "b", "c"].map(waiting.ahead)).toEqual([4, 3, 2]);
  });

  test("a first segment runs before another's later ones, even in its second turn of the round", () => {
    const later = ["b", "c", "d"].map((name) => listener(name, "1", 5000));
    const order = orderOf([...later, listener("a", "1", 0), listener("a", "2", 0)]);
    expect(order).toEqual(["a1", "a2", "b1", "c1", "d1"]);
  });

  test("first segments of one do not displace another's file", () => {
    const flood = Array.from({ length: 4 }, (_, index) => listener("a", String(index), 0));
    expect(orderOf([...flood, file("b", "1"), file("b", "2")])).toEqual(["a0", "b1", "a1", "b2", "a2", "a3"]);
  });

  test("a segment whose listener is about to run out has its turn in a flood of first segments", () => {
    const flood = Array.from({ length: 4 }, (_, index) => listener("a", String(index), 4000));
    expect(orderOf([...flood, listener("b", "1", 4100)], 4000).slice(0, 2)).toEqual(["a0", "b1"]);
  });
});
