/**
 * Limits that several nodes share, in Redis: one script and one round trip a decision.
 *
 * A server that is gone or hangs is known within 50 ms, and asked again as soon as it is back.
 */
import { once } from "node:events";
import { Redis } from "ioredis";
import { type Answer, type Ask, LEASE_MS, type LimitStore } from "./limits.ts";

/** The arithmetic of `bucket.ts`, where the points are. Times and points travel as text, for Lua's numbers are cut. */
const DECIDE = `
local now, perMinute, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local slotId, slotMax, leaseMs = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local points, at, retryMs, resetMs = nil, now, 0, 0
local function timeFor(missing)
  if missing <= 0 then return 0 end
  return math.ceil(missing * 60000 / math.max(perMinute, 1e-300))
end
local function answer(refused, left)
  return { refused, left and string.format("%.9f", left) or "", tostring(retryMs), tostring(resetMs) }
end
local function keep(left)
  redis.call("HSET", KEYS[1], "points", string.format("%.9f", left), "at", string.format("%d", at))
  redis.call("PEXPIRE", KEYS[1], 300000)
end
local full = nil
if perMinute >= 0 then
  local stored = redis.call("HMGET", KEYS[1], "points", "at")
  if stored[1] then
    local storedAt = tonumber(stored[2])
    full = tonumber(stored[1])
    if now > storedAt then full = full + (now - storedAt) * perMinute / 60000
    elseif storedAt - now <= 60000 then at = storedAt end
    full = math.min(full, perMinute)
  else
    full = perMinute
  end
  if full + 1e-6 < cost then
    keep(full)
    retryMs, resetMs = timeFor(cost - full), timeFor(perMinute - full)
    return answer("bucket", full)
  end
  points = math.max(0, full - cost)
  resetMs = timeFor(perMinute - points)
end
if slotId ~= "" then
  redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", now)
  for _, id in ipairs(redis.call("ZRANGEBYSCORE", KEYS[2], "(" .. (now + leaseMs), "+inf")) do
    redis.call("ZADD", KEYS[2], now + leaseMs, id)
  end
  if redis.call("ZCARD", KEYS[2]) >= slotMax then return answer("slot", full) end
  redis.call("ZADD", KEYS[2], now + leaseMs, slotId)
  redis.call("PEXPIRE", KEYS[2], leaseMs * 4)
end
if points then keep(points) end
return answer("", points)
`;

const RENEW = `
if not redis.call("ZSCORE", KEYS[1], ARGV[1]) then return 0 end
redis.call("ZADD", KEYS[1], ARGV[2], ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
`;

type Scripted = Redis & {
  decide(bucketKey: string, slotKey: string, ...values: (string | number)[]): Promise<string[]>;
  renewSlot(slotKey: string, ...values: (string | number)[]): Promise<number>;
};

/** Waits for the server, but not long: one that comes later is found then. */
export async function openRedisLimits(url: string): Promise<LimitStore> {
  const redis = new Redis(url, {
    commandTimeout: 50,
    connectTimeout: 300,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1000),
    scripts: {
      decide: { lua: DECIDE, numberOfKeys: 2 },
      renewSlot: { lua: RENEW, numberOfKeys: 1 },
    },
  }) as Scripted;
  redis.on("error", () => {}); // each request hears of it itself
  await Promise.race([once(redis, "ready"), Bun.sleep(500)]).catch(() => {});
  const key = (organizationId: string, name: string) => `loquat:{${organizationId}}:${name}`;
  const slots = (organizationId: string) => key(organizationId, "slots");
  return {
    async decide({ organizationId, now, take, slot }: Ask): Promise<Answer> {
      const [refused, points, retryMs, resetMs] = await redis.decide(
        key(organizationId, take?.bucket ?? "none"),
        slots(organizationId),
        ...[now, take?.perMinute ?? -1, take?.cost ?? 0, slot?.id ?? "", slot?.max ?? 0, LEASE_MS],
      );
      return {
        refused: (refused || null) as Answer["refused"],
        points: points ? Number(points) : null,
        retryMs: Number(retryMs),
        resetMs: Number(resetMs),
      };
    },
    async renew(organizationId, slotId, now) {
      return (await redis.renewSlot(slots(organizationId), slotId, now + LEASE_MS, LEASE_MS * 4)) === 1;
    },
    async release(organizationId, slotId) {
      await redis.zrem(slots(organizationId), slotId);
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
    },
  };
}
