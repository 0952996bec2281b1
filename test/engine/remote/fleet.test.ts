/** Promise: a task runs on the least busy node, elsewhere where that fails before it delivered, or is refused promptly. */

import { expect, test } from "bun:test";
import type { StreamingTask } from "../../../src/engine/protocol/streaming-recognition.ts";
import { type SynthesisTask, samplesOf } from "../../../src/engine/protocol/synthesis.ts";
import type { Engine } from "../../../src/engine/registry.ts";
import type { Fleet } from "../../../src/engine/remote/fleet.ts";
import { busy, type Claim, StartFailure, soleClaim } from "../../../src/engine/runner.ts";
import { until } from "../../until.ts";
import { ANY_TASK, SPEECH } from "../any-task.ts";
import { join, openFleet } from "./joined.ts";

const claim = (organization: string, signal = new AbortController().signal): Claim => ({
  ...soleClaim(signal),
  organization,
  request: organization,
});
const returning = (result: unknown) => async () => result as never;
const local: Engine = { run: returning("local") };
const never = () => new Promise<never>(() => {});

test("a task and its samples reach the engine, and its samples come back", async () => {
  using fleet = openFleet();
  await join(fleet, {
    name: "a",
    run: async (task) => {
      const { samples } = task as { samples: Float32Array };
      return samples.map((each) => each * 2) as never;
    },
  });
  const samples = Float32Array.from({ length: 100_000 }, (_, at) => at);
  const result = await fleet.engine("e", null).run({ kind: "turn", samples }, soleClaim()).then(samplesOf);
  expect(result).toEqual(samples.map((each) => each * 2));
  expect(samples.length).toBe(100_000);
});

test("tasks spread over nodes by how busy they are for their size", async () => {
  using fleet = openFleet();
  const counts = { small: 0, large: 0 };
  const counting = (name: keyof typeof counts) => () => {
    counts[name]++;
    return never();
  };
  await join(fleet, { name: "small", run: counting("small"), size: 2 });
  await join(fleet, { name: "large", run: counting("large"), size: 6 });
  for (let count = 0; count < 8; count++)
    fleet
      .engine("e", null)
      .run(ANY_TASK, soleClaim())
      .catch(() => {});
  await until(() => counts.small + counts.large === 8);
  expect(counts).toEqual({ small: 2, large: 6 });
});

test("organizations take turns in a node's queue, whichever API node their tasks come from", async () => {
  using one = openFleet();
  using other = openFleet();
  const order: string[] = [];
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const run = async (task: object) => {
    await gate;
    order.push((task as SynthesisTask).text);
    return null as never;
  };
  const node = await join(one, { name: "a", run });
  await join(other, { name: "a", run, served: node.served });
  const ask = (fleet: Fleet, organization: string, name: string) =>
    fleet.engine("e", null).run({ ...SPEECH, text: name }, claim(organization));
  const first = ask(one, "x", "x0");
  await until(() => node.registry.loads()[0]?.running === 1);
  const others = ["x1", "x2", "x3"].map((name) => ask(one, "x", name));
  await until(() => node.registry.loads()[0]?.waiting === 3);
  others.push(ask(other, "y", "y1"));
  await until(() => node.registry.loads()[0]?.waiting === 4);
  go();
  await Promise.all([first, ...others]);
  expect(order).toEqual(["x0", "y1", "x1", "x2", "x3"]);
});

test("a task that a node refuses unbegun goes on to every other node, and then to the local engine", async () => {
  using fleet = openFleet();
  let retries = 0;
  fleet.observe({ retried: () => retries++ });
  for (const name of ["a", "b", "c"])
    await join(fleet, {
      name,
      run: async () => Promise.reject(name === "b" ? new StartFailure(new Error("no")) : busy(1000)),
    });
  expect(await fleet.engine("e", local).run(ANY_TASK, soleClaim())).toBe("local");
  expect(retries).toBe(3);
  await expect(fleet.engine("e", null).run(ANY_TASK, soleClaim())).rejects.toMatchObject({
    code: "service_unavailable",
  });
});

test("recordings of more than a connection holds wait for it, and are all sent", async () => {
  using fleet = openFleet();
  const count = (task: object) => (task as { samples: Float32Array }).samples.length as never;
  await join(fleet, { name: "a", run: async (task) => count(task), size: 9 });
  const samples = new Float32Array(12_000_000); // 48 MB
  const all = Array.from({ length: 5 }, () =>
    fleet.engine("e", null).run({ kind: "turn", samples }, soleClaim()),
  );
  expect(await Promise.all(all)).toEqual(Array(5).fill(samples.length));
});

test("a task that fails is tried once more, on another node", async () => {
  using fleet = openFleet();
  let attempts = 0;
  const failing = () => {
    attempts++;
    return Promise.reject(new Error("the model broke"));
  };
  for (const name of ["a", "b", "c"]) await join(fleet, { name, run: failing });
  const engine = fleet.engine("e", local);
  expect(await engine.run(ANY_TASK, soleClaim()).catch((error: Error) => error.message)).toBe(
    "the model broke",
  );
  expect(attempts).toBe(2);
});

test("a task whose node is lost runs on another one", async () => {
  using fleet = openFleet();
  const first = await join(fleet, { name: "a", run: never });
  const engine = fleet.engine("e", null);
  const result = engine.run(ANY_TASK, soleClaim());
  await until(() => first.registry.loads()[0]?.running === 1);
  await join(fleet, { name: "b", run: returning("b") });
  first.cut();
  expect(await result).toBe("b");
});

test("a node is counted once it takes tasks, not before it has said which engines it has", async () => {
  using fleet = openFleet();
  const takesTasks: boolean[] = [];
  const received = () => takesTasks.push(...fleet.nodes().map((node) => node.accepts("e", null)));
  await join(fleet, { name: "a", run: never, received });
  expect(takesTasks).toContain(true);
  expect(takesTasks).not.toContain(false);
});

test("all tasks of one engine go to equal installations", async () => {
  using fleet = openFleet();
  const first = await join(fleet, { name: "a", run: returning("a"), identity: "e@1" });
  const engine = fleet.engine("e", null);
  expect(await engine.run(ANY_TASK, soleClaim())).toBe("a");
  await join(fleet, { name: "b", run: returning("b"), identity: "e@2" });
  first.cut();
  await until(() => fleet.nodes().length === 1);
  await expect(engine.run(ANY_TASK, soleClaim())).rejects.toMatchObject({
    code: "service_unavailable",
    retryAfterSeconds: 5,
  });
  expect(await fleet.engine("e", null).run(ANY_TASK, soleClaim())).toBe("b");
});

test("a node whose package was replaced sends the task on", async () => {
  using fleet = openFleet();
  const { offers } = await join(fleet, { name: "a", run: returning("a") });
  offers[0] = { ...offers[0]!, identity: "e@2" };
  expect(await fleet.engine("e", local).run(ANY_TASK, soleClaim())).toBe("local");
});

test("an engine whose last node has left is refused with a time to try again, then unknown", async () => {
  using fleet = openFleet(50);
  let changes = 0;
  const { cut } = await join(fleet, { name: "a", run: returning("a") });
  fleet.observe({ changed: () => changes++ });
  cut();
  expect(fleet.offerOf("e")).not.toBeNull();
  await expect(fleet.engine("e", null).run(ANY_TASK, soleClaim())).rejects.toMatchObject({
    code: "service_unavailable",
    retryAfterSeconds: 5,
  });
  await until(() => fleet.offerOf("e") === null);
  expect(changes).toBe(2);
});

test("a draining node takes no more tasks, answers those it has, and closes", async () => {
  using fleet = openFleet();
  let finish = (_: never) => {};
  const { server, registry } = await join(fleet, {
    name: "a",
    run: () =>
      new Promise<never>((resolve) => {
        finish = resolve;
      }),
  });
  const begun = fleet.engine("e", null).run(ANY_TASK, soleClaim());
  await until(() => registry.loads()[0]?.running === 1);
  server.drain();
  await until(() => !fleet.nodes()[0]!.accepts("e", null));
  server.closeWhenIdle();
  expect(await fleet.engine("e", local).run(ANY_TASK, soleClaim())).toBe("local");
  finish("done" as never);
  expect(await begun).toBe("done");
  await until(() => fleet.nodes().length === 0);
});

test("a caller who leaves is answered at once, and its waiting task never runs", async () => {
  using fleet = openFleet();
  let runs = 0;
  const { registry } = await join(fleet, {
    name: "a",
    run: () => {
      runs++;
      return never();
    },
  });
  fleet
    .engine("e", null)
    .run(ANY_TASK, soleClaim())
    .catch(() => {});
  const left = new AbortController();
  const waiting = fleet.engine("e", null).run(ANY_TASK, claim("x", left.signal));
  await until(() => registry.loads()[0]?.waiting === 1);
  left.abort(new Error("left"));
  expect(await waiting.catch((error: Error) => error.message)).toBe("left");
  await until(() => registry.loads()[0]?.waiting === 0);
  expect(runs).toBe(1);
});

test("streams of two API nodes have ids of their own in the engine, and end with their node", async () => {
  using one = openFleet();
  const other = openFleet();
  const tasks: StreamingTask[] = [];
  const run = async (task: object) => {
    const { feed } = structuredClone(task) as StreamingTask;
    tasks.push(structuredClone(task) as StreamingTask);
    return feed.map(({ id, samples }) => ({ id, words: [], language: String(samples[0]) })) as never;
  };
  const node = await join(one, { name: "a", run, stateful: true });
  const second = await join(other, { name: "a", run, served: node.served });
  const streamOn = async (fleet: Fleet, value: number) => {
    const task: StreamingTask = {
      kind: "streaming-recognition",
      open: [{ id: 1, language: null }],
      feed: [{ id: 1, samples: Float32Array.of(value) }],
      finish: [],
      close: [],
    };
    return fleet.engine("e", null).run(task, soleClaim());
  };
  expect(await streamOn(one, 5)).toEqual([{ id: 1, words: [], language: "5" }]);
  expect(await streamOn(other, 6)).toEqual([{ id: 1, words: [], language: "6" }]);
  expect(tasks.map(({ open }) => open[0]?.id)).toEqual([1, 2]);
  second.cut();
  await until(() => tasks.length === 3);
  expect(tasks[2]).toEqual({ kind: "streaming-recognition", open: [], feed: [], finish: [], close: [2] });
  other[Symbol.dispose]();
});

test("a task that waits at one node moves to another that has become free, and is not left at the first", async () => {
  using fleet = openFleet();
  const ends: (() => void)[] = [];
  const stuck = await join(fleet, { name: "a", run: never });
  const run = (text: string): Promise<unknown> =>
    fleet.engine("e", null).run({ ...SPEECH, text }, soleClaim());
  void run("1").catch(() => {});
  await until(() => stuck.registry.loads().some(({ running }) => running === 1));
  const served: number[] = [];
  const waiting = [run("2"), run("3")]; // `a` is the only node
  await until(() => stuck.registry.loads().some(({ waiting }) => waiting === 2));
  await join(fleet, {
    name: "b",
    run: async (task) => {
      served.push(Number((task as SynthesisTask).text));
      await new Promise<void>((resolve) => ends.push(resolve));
      return "b" as never;
    },
  });
  await until(() => served.length === 1);
  ends[0]!();
  await until(() => served.length === 2);
  ends[1]!();
  expect(await Promise.all(waiting)).toEqual(["b", "b"]);
  expect(served).toEqual([2, 3]);
  await until(() => stuck.registry.loads().every(({ waiting }) => waiting === 0)); // they are cancelled there
});
