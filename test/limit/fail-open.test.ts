/** Promise: a limit store that is gone, hung or restarted costs no request more than 60 ms, and limiting goes on after. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { failOpen } from "../../src/limit/fail-open.ts";
import type { LimitStore } from "../../src/limit/limits.ts";
import { openRedisLimits } from "../../src/limit/redis.ts";
import { openLog } from "../../src/log.ts";

const binary = Bun.which("redis-server");
const unlessRedis = binary ? "" : " (skipped: redis-server is not installed)";

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

describe.skipIf(!binary)(`a Redis of its own${unlessRedis}`, () => {
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
  const ask = async () => {
    const begun = performance.now();
    const take = { bucket: "requests", cost: 1, perMinute: 1 } as const;
    const answer = await store.decide({ organizationId: "org", now: 0, take: [take], slot: null });
    return { ...answer, tookMs: performance.now() - begun };
  };
  /** Until it counts: the second of two asks is refused. */
  const counts = async () => {
    while ((await ask()).refused === null) await Bun.sleep(10);
  };

  beforeEach(async () => {
    port = await freePort();
    start();
    [logged, failures] = [[], 0];
    const log = openLog("info", (line) => logged.push(JSON.parse(line)));
    store = failOpen(await openRedisLimits(`redis://127.0.0.1:${port}`), log, () => failures++);
    await counts();
    [logged.length, failures] = [0, 0];
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    redis.kill("SIGKILL");
    await redis.exited;
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)("%s", async (signal) => {
    redis.kill(signal);
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    answers.push(await ask(), await ask());
    expect(answers.map(({ refused }) => refused)).toEqual(Array(52).fill(null));
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(200); // 60 on a machine of our own
    expect(failures).toBe(52);
    expect(logged.filter(({ level }) => level === "warn").length).toBe(1);

    if (signal === "SIGSTOP") redis.kill("SIGCONT");
    else start();
    await counts();
    expect(logged.filter(({ level }) => level === "info").length).toBe(1);
  });
});

test("a store that never answers is not waited for", async () => {
  const never = () => new Promise<never>(() => {});
  const dead: LimitStore = {
    ...{ decide: never, renew: never, release: never, inFlight: never },
    async [Symbol.asyncDispose]() {},
  };
  const store = failOpen(dead, openLog("silent"), () => {});
  const ask = { organizationId: "org", now: 0, take: [], slot: { id: "a", max: 0 } };
  expect(await store.decide(ask)).toMatchObject({ refused: null });
  expect(await store.renew("org", "a", 0)).toBe(true);
  await store.release("org", "a");
  expect(await store.inFlight("org", 0)).toBe(0);
});
