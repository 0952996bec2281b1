/** Promise: limits kept in Redis keep the same contract, for several nodes. */
import { test } from "bun:test";
import { Redis } from "ioredis";
import { openRedisLimits } from "../../src/limit/redis.ts";
import { limitContract } from "../contract/limit.ts";

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
  limitContract("redis", async () => {
    await admin.flushdb();
    return {
      open: () => openRedisLimits(URL),
      [Symbol.asyncDispose]: async () => void (await admin.flushdb()),
    };
  });
} else {
  test.skip("limits in Redis (skipped: no server at 127.0.0.1:6379)", () => {});
}
