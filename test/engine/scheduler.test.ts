/** Promise: urgent tasks go first, organizations take turns, no backlog shuts others out, and cancelled tasks leave. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Claim, Runner } from "../../src/engine/runner.ts";
import { awaited, openScheduler, type Scheduler } from "../../src/engine/scheduler.ts";

type Task = { name: string };
type Work = { task: Task; result: unknown };

/** An engine that works on a task until it is told to finish, and notes the order in which they came. */
function openEngine() {
  const order: string[] = [];
  const running: (() => void)[] = [];
  const runner: Runner<Work> = {
    run: (task) => {
      const { promise, resolve } = Promise.withResolvers<never>();
      order.push(task.name);
      running.push(() => resolve(task.name as never));
      return promise;
    },
    async [Symbol.asyncDispose]() {},
  };
  return {
    runner,
    order,
    /** Finishes one of those that run. */
    async end(index: number) {
      running.splice(index, 1)[0]!();
      await new Promise(setImmediate);
    },
    /** Finishes everything, one task after another. */
    async finish() {
      while (running.length > 0) {
        running.shift()!();
        await new Promise(setImmediate);
      }
    },
  };
}

const claim = (parts: Partial<Claim> = {}): Claim => ({
  urgency: "batch",
  organization: "a",
  request: "1",
  signal: new AbortController().signal,
  ...parts,
});

/** Queues tasks "urgency organization request" behind one that is running, and tells in which order they ran. */
async function orderOf(tasks: [Claim["urgency"], string, string][], size = 1) {
  const { runner, order, finish } = openEngine();
  const queue = openScheduler(runner, { size });
  const busy = Array.from({ length: size }, () => queue.run({ name: "busy" }, claim({ organization: "z" })));
  const ran = tasks.map(([urgency, organization, request]) =>
    queue.run({ name: `${organization}${request}` }, claim({ urgency, organization, request })),
  );
  await new Promise(setImmediate);
  await finish();
  await Promise.all([...busy, ...ran]);
  return order.slice(size);
}

describe("the order of tasks", () => {
  test("has those in the background last, of every organization, however long they wait", async () => {
    expect(
      await orderOf([
        ["background", "a", "1"],
        ["batch", "b", "2"],
        ["background", "c", "3"],
        ["streaming", "b", "4"],
        ["batch", "a", "5"],
        ["realtime", "b", "6"],
      ]),
    ).toEqual(["b6", "b4", "a5", "b2", "c3", "a1"]);
  });

  test("has a task in the background of who runs none behind others of who runs many", async () => {
    expect(
      await orderOf([
        ["background", "new", "1"],
        ["batch", "z", "2"],
        ["batch", "z", "3"],
      ]),
    ).toEqual(["z2", "z3", "new1"]);
  });

  test("tells threads that work in the background while others run", async () => {
    const { runner, end } = openEngine();
    const queue = openScheduler(runner, { size: 2 });
    const count = () => Atomics.load(awaited, 0);
    const before = count();
    const background = queue.run({ name: "1" }, claim({ urgency: "background" }));
    await new Promise(setImmediate);
    expect(count()).toBe(before);
    const other = queue.run({ name: "2" }, claim());
    await new Promise(setImmediate);
    expect(count()).toBe(before + 1);
    await end(1);
    await other;
    expect(count()).toBe(before);
    await end(0);
    await background;
  });

  test("serves a new organization before more tasks of the last one", async () => {
    const { runner, order, finish } = openEngine();
    const queue = openScheduler(runner, { size: 2 });
    const ask = (organization: string) => queue.run({ name: organization }, claim({ organization }));
    const many = Array.from({ length: 7 }, () => [ask("a"), ask("b")]).flat();
    await new Promise(setImmediate);
    const late = ask("c");
    await finish();
    await Promise.all([...many, late]);
    expect(order.slice(0, 5)).toEqual(["a", "b", "c", "a", "b"]);
  });

  test("is first come, first served within one request", async () => {
    const tasks = Array.from({ length: 5 }, () => ["batch", "a", "1"] as [Claim["urgency"], string, string]);
    expect(await orderOf(tasks)).toEqual(["a1", "a1", "a1", "a1", "a1"]);
  });

  test("is realtime first, then turns, and in each streams before files", async () => {
    const order = await orderOf([
      ["batch", "a", "1"],
      ["streaming", "a", "2"],
      ["batch", "b", "3"],
      ["realtime", "b", "4"],
    ]);
    expect(order).toEqual(["b4", "a2", "b3", "a1"]);
  });

  test("does not let a flood of streams delay another organization's request", async () => {
    const flood = Array.from({ length: 50 }, (_, index): [Claim["urgency"], string, string] => [
      "streaming",
      "a",
      String(index),
    ]);
    const order = await orderOf([...flood, ["batch", "b", "1"], ["batch", "b", "2"]]);
    expect(order.slice(0, 4)).toEqual(["a0", "b1", "a1", "b2"]);
  });

  test("takes turns between organizations, whatever one of them has queued", async () => {
    const order = await orderOf([
      ["batch", "a", "1"],
      ["batch", "a", "1"],
      ["batch", "a", "1"],
      ["batch", "b", "2"],
      ["batch", "b", "2"],
    ]);
    expect(order).toEqual(["a1", "b2", "a1", "b2", "a1"]);
  });

  test("takes turns between an organization's requests: a long text does not delay a new one", async () => {
    const order = await orderOf([
      ["streaming", "a", "1"],
      ["streaming", "a", "1"],
      ["streaming", "a", "1"],
      ["streaming", "a", "2"],
      ["streaming", "b", "3"],
    ]);
    expect(order).toEqual(["a1", "b3", "a2", "a1", "a1"]);
  });

  test("runs every task once, in the order of its request, and alternates between organizations", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom<string>("a", "b", "c"), fc.nat(3)), { maxLength: 60 }),
        async (pairs) => {
          const order = await orderOf(pairs.map(([org, request]) => ["batch", org, String(request)]));
          expect(order.toSorted()).toEqual(pairs.map(([org, request]) => `${org}${request}`).toSorted());
          const left = Map.groupBy(pairs, ([org]) => org);
          const owed = new Map([...left].map(([org, tasks]) => [org, tasks.length]));
          let last = "";
          for (const [org] of order) {
            if (org === last) {
              const others = [...owed].filter(([other, count]) => other !== org && count > 0);
              expect(others).toEqual([]);
            }
            owed.set(org!, owed.get(org!)! - 1);
            last = org!;
          }
        },
      ),
      { numRuns: 200 },
    ));
});

describe("places in the queue", () => {
  test("are freed at once by a cancelled task, which never runs", async () => {
    const { runner, order, finish } = openEngine();
    const queue = openScheduler(runner, { size: 1 });
    const running = queue.run({ name: "running" }, claim());
    const caller = new AbortController();
    const leaves = queue.run({ name: "leaves" }, claim({ signal: caller.signal }));
    caller.abort(new Error("left"));
    await expect(leaves).rejects.toThrow("left");
    const stays = queue.run({ name: "stays" }, claim());
    await new Promise(setImmediate);
    await finish();
    await Promise.all([running, stays]);
    expect(order).toEqual(["running", "stays"]);
    await expect(queue.run({ name: "late" }, claim({ signal: caller.signal }))).rejects.toThrow("left");
  });

  test("of a failed task go to the next", async () => {
    const runner: Runner<Work> = {
      run: async (task) => {
        if (task.name === "bad") throw new Error("bad");
        return "good" as never;
      },
      async [Symbol.asyncDispose]() {},
    };
    const queue = openScheduler(runner, { size: 1 });
    const answers = await Promise.allSettled(
      ["bad", "good", "bad", "good"].map((name) => queue.run({ name }, claim())),
    );
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
  });
});

test("places reserved for live sessions stay available, however much else waits", async () => {
  const { runner, order, finish } = openEngine();
  const queue = openScheduler(runner, { size: 3, reserved: 1 });
  const files = Array.from({ length: 5 }, () => queue.run({ name: "file" }, claim()));
  await new Promise(setImmediate);
  expect(order).toEqual(["file", "file"]);
  const talk = queue.run({ name: "talk" }, claim({ urgency: "realtime", organization: "b" }));
  await new Promise(setImmediate);
  expect(order).toEqual(["file", "file", "talk"]);
  await finish();
  await Promise.all([...files, talk]);
});

describe("of the places that run", () => {
  const ask = (queue: Scheduler<Work>, organization: string) =>
    queue.run({ name: organization }, claim({ organization }));

  test("a lone organization has all", async () => {
    const { runner, order, finish } = openEngine();
    const queue = openScheduler(runner, { size: 4 });
    const many = Array.from({ length: 6 }, () => ask(queue, "a"));
    await new Promise(setImmediate);
    expect([order.length, queue.load()]).toEqual([4, { running: 4, waiting: 2 }]);
    await finish();
    await Promise.all(many);
  });

  test("each organization has its share while others wait, however long its tasks take", async () => {
    const { runner, order, end, finish } = openEngine();
    const queue = openScheduler(runner, { size: 2 });
    const all = [ask(queue, "long")];
    for (let count = 0; count < 4; count++) all.push(ask(queue, "short"), ask(queue, "long"));
    await new Promise(setImmediate);
    for (let count = 0; count < 3; count++) await end(1); // the short ones, beside a long one that goes on
    expect(order).toEqual(["long", "short", "short", "short", "short"]);
    await finish();
    expect((await Promise.all(all)).length).toBe(9);
  });

  test("a spare one is for an organization that has none", async () => {
    const { runner, order, finish } = openEngine();
    const queue = openScheduler(runner, { size: 2, spare: 1 });
    const all = ["a", "a", "a", "b", "b", "c"].map((name) => ask(queue, name));
    await new Promise(setImmediate);
    expect(order).toEqual(["a", "a", "b"]);
    await finish();
    expect((await Promise.all(all)).length).toBe(6);
  });
});
