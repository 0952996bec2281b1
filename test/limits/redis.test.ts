/** Promise: limits in Redis keep the same contract, for several nodes. */
import { expect, test } from "bun:test";
import { Redis } from "ioredis";
import { takeInAdvance } from "../../src/limits/advance/advance.ts";
import type { LimitStore } from "../../src/limits/limits.ts";
import { openRedisLimits } from "../../src/limits/redis.ts";
import { limitContract } from "../contract/limit.ts";
import { expectSameLoans } from "../contract/loans.ts";

const URL = "redis://127.0.0.1:6379/13";

/** Null where no server answers: then these tests are skipped, and say so. */
async function connect(): Promise<Redis | null> {
  const redis = new Redis(URL, { lazyConnect: true, connectTimeout: 1000, retryStrategy: () => null });
  try {
    await redis.connect();
    return redis;
  } catch {
    return null;
  }
}

const admin = await connect();
if (admin) {
  limitContract(
    "redis",
    async () => {
      await admin.flushdb();
      return openRedisLimits(URL);
    },
    300,
  );

  limitContract(
    "redis, taken in advance",
    async (clock) => {
      await admin.flushdb();
      return takeInAdvance(await openRedisLimits(URL), clock);
    },
    300,
  );

  test("the script lends as a bucket does", () =>
    expectSameLoans(async () => {
      await admin.flushdb();
      return openRedisLimits(URL);
    }, 300));

  test("slots outlive the node that holds them, and nodes share them", async () => {
    await admin.flushdb();
    await using store = await openRedisLimits(URL);
    const hold = (on: LimitStore, id: string) =>
      on.decide({ organizationId: "org", now: 0, take: [], slot: { id, max: 2 } });
    const other = await openRedisLimits(URL);
    await hold(other, "a");
    await hold(store, "b");
    await other[Symbol.asyncDispose]();
    expect((await hold(store, "c")).refused).toBe("slot");
  });
} else {
  test.skip("limits in Redis (skipped: no server at 127.0.0.1:6379)", () => {});
}
