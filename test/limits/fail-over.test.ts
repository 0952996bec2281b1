/** Promise: while a limit store is down or slow, no request waits for it longer than 60 ms, and all are counted. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, createServer } from "node:net";
import { failOver } from "../../src/limits/fail-over.ts";
import type { LimitStore } from "../../src/limits/limits.ts";
import { openRedisLimits } from "../../src/limits/redis.ts";
import { openLog } from "../../src/log/log.ts";
import { freePort } from "../free-port.ts";
import { quietFor, until } from "../until.ts";

const binary = Bun.which("redis-server");
const unlessRedis = binary ? "" : " (skipped: redis-server is not installed)";

describe.skipIf(!binary)(`a separate Redis${unlessRedis}`, () => {
  let port: number;
  let redis: Bun.Subprocess;
  let store: LimitStore;
  let logged: { level: string; event: string }[];
  let failures: number;

  const start = () => {
    redis = Bun.spawn([binary!, "--port", String(port), "--save", "", "--bind", "127.0.0.1"], {
      stdout: "ignore",
      stderr: "ignore",
    });
  };
  const ask = () => {
    const take = { bucket: "requests", cost: 1, perMinute: 1 } as const;
    return store.decide({ organizationId: "org", now: 0, take: [take], slot: null });
  };
  /** Until the store itself refuses, because its bucket is empty. */
  const counts = () =>
    until(async () => {
      const before = failures;
      const { refused } = await ask();
      return failures === before && refused !== null;
    });

  beforeEach(async () => {
    port = freePort();
    start();
    [logged, failures] = [[], 0];
    const log = openLog("info", (line) => logged.push(JSON.parse(line)));
    store = failOver(await openRedisLimits(`redis://127.0.0.1:${port}`), log, () => failures++);
    await counts();
    [logged.length, failures] = [0, 0];
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    redis.kill("SIGKILL");
    await redis.exited;
  });

  const eventsOf = (level: string) => logged.filter((line) => line.level === level).map(({ event }) => event);

  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "stopped by %s admits no more than what was left",
    async (signal) => {
      redis.kill(signal);
      const answers = await Promise.all(Array.from({ length: 50 }, ask));
      answers.push(await ask(), await ask());
      expect(answers.map(({ refused }) => refused)).toEqual(Array(52).fill("requests"));
      if (signal === "SIGSTOP") expect(eventsOf("warn")).toEqual([]); // answered before the hang was known
      expect(failures).toBe(52);
      await until(() => eventsOf("warn").length !== 0); // a server that hangs is known after a second
      expect(eventsOf("warn")).toEqual(["limit_store_unavailable"]);

      if (signal === "SIGSTOP") redis.kill("SIGCONT");
      else start();
      await counts();
      expect(eventsOf("info")).toEqual(["limit_store_available"]);
    },
  );

  test("is not considered late when the event loop was blocked", async () => {
    for (let turn = 0; turn < 6; turn++) {
      const asked = [ask(), ask()];
      if (turn % 2 === 0) await null;
      const end = performance.now() + 300;
      while (performance.now() < end); // timers are due before the answers are read
      for (const { refused } of await Promise.all(asked)) expect(refused).toBe("requests");
    }
    expect({ failures, logged }).toEqual({ failures: 0, logged: [] });
  });

  test("that is slow is not considered down, and limits hold", async () => {
    const slow = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      near.pipe(far);
      far.on("data", (chunk) => setTimeout(() => near.write(chunk), slowMs));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one.on("error", () => {}).on("close", () => other.destroy());
    });
    let slowMs = 0;
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const address = slow.address() as { port: number };
    const log = openLog("info", (line) => logged.push(JSON.parse(line)));
    await using late = failOver(
      await openRedisLimits(`redis://127.0.0.1:${address.port}`),
      log,
      () => failures++,
    );
    const take = [{ bucket: "requests", cost: 1, perMinute: 20 } as const];
    const decide = (id: number) =>
      late.decide({ organizationId: "late", now: 0, take, slot: { id: `slot_${id}`, max: 10 } });
    const first = await decide(0);
    expect(first.levels[0]!.points).toBe(19);
    slowMs = 200;
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => decide(index + 1)));
    expect(answers.filter(({ refused }) => refused === null).length).toBe(9); // ten at once, and one was held
    for (let index = 0; index < 10; index++) await late.release("late", `slot_${index}`);
    const more = await Promise.all(Array.from({ length: 100 }, (_, index) => decide(index + 200)));
    expect(more.filter(({ refused }) => refused === null).length).toBe(10); // and twenty a minute
    expect(await decide(1000)).toMatchObject({ refused: "requests" });
    await quietFor(slowMs + 100); // the late answers come
    expect(logged).toEqual([]);
    expect(failures).toBeGreaterThan(0);
    slow.close();
  });
});

test("a store that never answers is not awaited, and its slots are counted locally", async () => {
  const never = () => new Promise<never>(() => {});
  const dead: LimitStore = {
    ...{ decide: never, renew: never, release: never, inFlight: never },
    async [Symbol.asyncDispose]() {},
  };
  const store = failOver(
    dead,
    openLog("silent", () => {}),
    () => {},
  );
  const hold = (id: string) =>
    store.decide({ organizationId: "org", now: 0, take: [], slot: { id, max: 1 } });
  expect(await hold("a")).toMatchObject({ refused: null });
  expect(await hold("b")).toMatchObject({ refused: "slot" });
  expect([await store.renew("org", "a", 0), await store.renew("org", "b", 0)]).toEqual([true, false]);
  expect(await store.inFlight("org", 0)).toBe(1);
  await store.release("org", "a");
  expect(await store.inFlight("org", 0)).toBe(0);
  expect(await hold("b")).toMatchObject({ refused: null });
});
