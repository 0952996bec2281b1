/** Promise: engines that share their places take turns too, so that none of them, and no organization, shuts the others out. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Claim, type Runner, soleClaim } from "../../src/engine/runner.ts";
import { openScheduler, openTurns } from "../../src/engine/scheduler.ts";

type Asked = { engine: string; organization: string; request?: string; urgency?: Claim["urgency"] };

/** Engines x, y and z with the same places. Tasks run until they are told to finish. */
function openShared({ size = 1, reserved = {} as Record<string, number> } = {}) {
  const order: string[] = [];
  const running: (() => void)[] = [];
  const runner: Runner<{ task: { name: string }; result: unknown }> = {
    run: (task) => {
      const { promise, resolve } = Promise.withResolvers<never>();
      order.push(task.name);
      running.push(() => resolve(undefined as never));
      return promise;
    },
    async [Symbol.asyncDispose]() {},
  };
  const turns = openTurns({ size });
  const open = (traced: string) =>
    openScheduler(runner, { size, turns, traced, reserved: reserved[traced] ?? 0 });
  const engines = new Map(["x", "y", "z"].map((name) => [name, open(name)]));
  const end = async () => {
    running.shift()!();
    await new Promise(setImmediate);
  };
  return {
    order,
    ask({ engine, organization, request = "1", urgency = "batch" }: Asked) {
      const claim = { ...soleClaim(), organization, request, urgency };
      return engines.get(engine)!.run({ name: `${organization}${engine}` }, claim);
    },
    load: (engine: string) => engines.get(engine)!.load(),
    end,
    async finish() {
      while (running.length > 0) await end();
    },
  };
}

const names = fc.constantFrom("a", "b", "c");
const asked = fc.array(
  fc.record({
    engine: fc.constantFrom("x", "y", "z"),
    organization: names,
    request: fc.constantFrom("1", "2"),
  }),
  { maxLength: 60 },
);

/** In which order tasks ran that waited behind another. */
async function orderOf(tasks: Asked[], size = 1): Promise<string[]> {
  const { ask, order, finish } = openShared({ size });
  const busy = Array.from({ length: size }, () => ask({ engine: "z", organization: "busy" }));
  const all = tasks.map(ask);
  await new Promise(setImmediate);
  await finish();
  await Promise.all([...busy, ...all]);
  return order.slice(size);
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe("whatever waits for engines with the same places", () => {
  test("each task runs once, organizations alternate over all engines, and engines within each of them", () =>
    fc.assert(
      fc.asyncProperty(asked, async (tasks) => {
        const order = await orderOf(tasks);
        const keys = tasks.map(({ organization, engine }) => `${organization}${engine}`);
        expect(order.toSorted()).toEqual(keys.toSorted());
        const owed = [...keys];
        const engineOf = new Map<string, string>();
        let last = "";
        for (const key of order) {
          const [organization = "", engine = ""] = key;
          if (organization === last) expect(owed.filter((other) => other[0] !== organization)).toEqual([]);
          if (engineOf.get(organization) === engine)
            expect(owed.filter((other) => other[0] === organization && other[1] !== engine)).toEqual([]);
          owed.splice(owed.indexOf(key), 1);
          engineOf.set(organization, engine);
          last = organization;
        }
      }),
      { numRuns: 200 },
    ));

  test("no more run than there are places, and none waits while one is free", () =>
    fc.assert(
      fc.asyncProperty(asked, fc.integer({ min: 1, max: 4 }), async (tasks, size) => {
        const { ask, load, end } = openShared({ size });
        const all = tasks.map(ask);
        await new Promise(setImmediate);
        const loads = () => ["x", "y", "z"].map(load);
        const sum = (key: "running" | "waiting") => loads().reduce((total, each) => total + each[key], 0);
        for (let left = tasks.length; left > 0; left--) {
          expect(sum("running")).toBe(Math.min(size, left));
          expect(sum("waiting")).toBe(Math.max(0, left - size));
          await end();
        }
        await Promise.all(all);
      }),
      { numRuns: 50 },
    ));
});

test("a flood of one model delays a caller of another by one turn", async () => {
  const order = await orderOf([
    ...times(50, { engine: "x", organization: "a" }),
    { engine: "y", organization: "a" },
  ]);
  expect(order.indexOf("ay")).toBeLessThanOrEqual(1);
});

test("an organization that floods three models has no more turns than one that uses a single one", async () => {
  const flood = ["x", "y", "z"].flatMap((engine) => times(20, { engine, organization: "a" }));
  const order = await orderOf([...flood, ...times(20, { engine: "x", organization: "b" })], 2);
  expect(order.slice(0, 40).filter((name) => name.startsWith("b"))).toHaveLength(20);
});

test("live speech of one model comes before the files of others", async () => {
  const order = await orderOf([
    ...times(5, { engine: "x", organization: "a" }),
    { engine: "y", organization: "a", urgency: "realtime" },
  ]);
  expect(order[0]).toBe("ay");
});

describe("places that transcription reserves for live speech", () => {
  test("are free for speech, which takes none from recordings", async () => {
    const { ask, order, end, finish } = openShared({ size: 4, reserved: { y: 1 } });
    const speech = times(8, { engine: "x", organization: "a" }).map(ask);
    const files = times(8, { engine: "y", organization: "b" }).map(ask);
    await new Promise(setImmediate);
    expect(order).toEqual(times(4, "ax"));
    for (let count = 0; count < 8; count++) await end();
    expect(order.filter((name) => name === "by").length).toBeGreaterThanOrEqual(3);
    await finish();
    await Promise.all([...speech, ...files]);
  });

  test("stay free of recordings", async () => {
    const { ask, order, finish } = openShared({ size: 4, reserved: { y: 1 } });
    const files = times(8, { engine: "y", organization: "b" }).map(ask);
    await new Promise(setImmediate);
    expect(order).toEqual(times(3, "by"));
    const live = ask({ engine: "y", organization: "a", urgency: "realtime" });
    await new Promise(setImmediate);
    expect(order.at(-1)).toBe("ay");
    await finish();
    await Promise.all([...files, live]);
  });
});
