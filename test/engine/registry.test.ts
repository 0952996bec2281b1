/** Promise: an engine starts on first use, is unloaded when idle, and stays loaded while a caller holds it. */
import { expect, test } from "bun:test";
import { isOf } from "../../src/engine/protocol/task.ts";
import { type Engine, type EngineSpec, openRegistry } from "../../src/engine/registry.ts";
import { type Runner, soleClaim } from "../../src/engine/runner.ts";
import { quietFor, takes, until } from "../until.ts";
import { SPEECH } from "./any-task.ts";

/** Engines that answer which start they are of, and what happened to each. */
function engines(idleMs: number | null) {
  const events: string[] = [];
  let starts = 0;
  let version = 1;
  const find = (name: string): EngineSpec => {
    const key = `${name}@${version}`;
    return {
      key,
      isReplaced: () => key !== `${name}@${version}`,
      idleMs,
      options: { size: 2 },
      start(): Runner {
        const start = ++starts;
        events.push(`start ${key}`);
        return {
          run: async (task) => {
            await takes(isOf(task, "synthesis") ? Number(task.text) : 0);
            return `${key} #${start}` as never;
          },
          [Symbol.asyncDispose]: async () => void events.push(`end ${key}`),
        };
      },
    };
  };
  return { events, find, install: () => void version++ };
}

const run = (engine: Engine, ms = 0): Promise<unknown> =>
  engine.run({ ...SPEECH, text: String(ms) }, soleClaim());

test("an engine starts with its first task, once for all tasks", async () => {
  const { events, find } = engines(null);
  await using registry = openRegistry(find);
  const engine = registry.engine("a");
  expect(events).toEqual([]);
  expect(await Promise.all([run(engine), run(engine), run(registry.engine("a"))])).toEqual([
    "a@1 #1",
    "a@1 #1",
    "a@1 #1",
  ]);
  expect(registry.started()).toEqual(["a@1"]);
});

test("an idle engine is unloaded, and starts again on use", async () => {
  const { events, find } = engines(30);
  await using registry = openRegistry(find);
  const engine = registry.engine("a");
  await run(engine);
  await until(() => registry.started().length === 0);
  expect(events).toEqual(["start a@1", "end a@1"]);
  expect(await run(engine)).toBe("a@1 #2");
});

test("a working engine is not idle", async () => {
  const { events, find } = engines(30);
  await using registry = openRegistry(find);
  const engine = registry.engine("a");
  await Promise.all([run(engine, 120), run(engine)]);
  expect(events).toEqual(["start a@1"]);
});

test("an engine is unloaded when asked for, once it has had no task for a while", async () => {
  const { events, find } = engines(null);
  await using registry = openRegistry(find, { replacedIdleMs: 30 });
  const engine = registry.engine("a");
  expect(registry.unload("a")).toBe(false); // has not started
  const working = run(engine, 60);
  expect(registry.unload("a")).toBe(false);
  await working;
  expect(registry.unload("a")).toBe(false);
  await until(() => registry.unload("a"));
  expect(registry.started()).toEqual([]);
  expect(await run(engine)).toBe("a@1 #2");
  expect(events).toEqual(["start a@1", "end a@1", "start a@1"]);
});

test("a held engine stays; a new request gets the newly installed version", async () => {
  const { find, install } = engines(null);
  await using registry = openRegistry(find);
  const held = registry.engine("a");
  expect(await run(held)).toBe("a@1 #1");
  install();
  expect(await run(registry.engine("a"))).toBe("a@2 #2");
  expect(await run(held)).toBe("a@1 #1");
});

test("a replaced engine stays for its callers, and is unloaded when they have had no task for a while", async () => {
  const { events, find, install } = engines(null);
  await using registry = openRegistry(find, { replacedIdleMs: 1500 });
  const held = registry.engine("a");
  const long = run(held, 100);
  install();
  await run(registry.engine("a"));
  registry.retire();
  expect(await long).toBe("a@1 #1");
  await quietFor(1200);
  expect(await run(held)).toBe("a@1 #1");
  await until(() => registry.started().length <= 1);
  expect(events).toEqual(["start a@1", "start a@2", "end a@1"]);
});

test("an engine that had been idle for long when it was replaced is unloaded at once", async () => {
  const { events, find, install } = engines(null);
  await using registry = openRegistry(find, { replacedIdleMs: 50 });
  await run(registry.engine("a"));
  await takes(60);
  install();
  registry.retire();
  await until(() => registry.started().length === 0);
  expect(events).toEqual(["start a@1", "end a@1"]);
});

test("an engine that is installed again as it was stays loaded", async () => {
  const { events, find, install } = engines(null);
  let isRemoved = false;
  await using registry = openRegistry((name) => ({ ...find(name), isReplaced: () => isRemoved }), {
    replacedIdleMs: 50,
  });
  await run(registry.engine("a"));
  isRemoved = true;
  registry.retire();
  isRemoved = false;
  registry.retire();
  await quietFor(100);
  expect(registry.started()).toEqual(["a@1"]);
  install();
  expect(events).toEqual(["start a@1"]);
});

test("a warmed-up engine is loaded before its first task", async () => {
  const { events, find } = engines(null);
  {
    await using registry = openRegistry(find);
    registry.warm("a");
    expect(events).toEqual(["start a@1"]);
  }
  expect(events).toEqual(["start a@1", "end a@1"]);
});

test("the registry reports running and waiting tasks", async () => {
  const { find } = engines(null);
  await using registry = openRegistry(find);
  expect(registry.loads()).toEqual([]);
  const tasks = [1, 2, 3].map(() => run(registry.engine("a"), 50));
  expect(registry.loads()).toEqual([{ name: "a", running: 2, waiting: 1 }]);
  await Promise.all(tasks);
  expect(registry.loads()).toEqual([{ name: "a", running: 0, waiting: 0 }]);
});

test("an engine's speed outlives its unloading, and ends with its replacement", async () => {
  const { find, install } = engines(20);
  const audioSeconds = () => () => 100;
  await using registry = openRegistry((name) => ({ ...find(name), ...(name === "a" && { audioSeconds }) }));
  expect(registry.speed("a")).toBeNull();
  for (const name of ["a", "a", "b", "b"]) await run(registry.engine(name), 1);
  expect(registry.speed("a")).toBeGreaterThan(100);
  expect(registry.speed("b")).toBeNull();
  await until(() => registry.started().length === 0);
  expect(registry.speed("a")).toBeGreaterThan(100);
  install();
  await run(registry.engine("a"), 1);
  expect(registry.speed("a")).toBeNull();
  await run(registry.engine("a"), 1);
  expect(registry.speed("a")).toBeGreaterThan(100);
  install();
  registry.retire();
  expect(registry.speed("a")).toBeNull();
});
