/**
 * Limits shared by several nodes, in Redis: one script and one round trip per decision. Slots are released together, because
 * nobody waits for it.
 *
 * A closed connection is noticed at once, a hanging one within a second; reconnecting is automatic. How long a request
 * waits for an answer is decided in `fail-over.ts`.
 */
import { once } from "node:events";
import { Redis } from "ioredis";
import { redisAddress } from "../config/redis-address.ts";
import { inBatches } from "./batches.ts";
import { type Answer, type Ask, LEASE_MS, type LimitStore } from "./limits.ts";

/** The arithmetic of `bucket.ts`, in Redis. Times and points are passed as text, because Redis truncates Lua numbers. */
const DECIDE = `
local now, leaseMs, slotId, slotMax = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local slots = KEYS[1]
local answer, takes = { "" }, {}
local function timeFor(missing, perMinute)
  if missing <= 0 then return 0 end
  return math.ceil(missing * 60000 / math.max(perMinute, 1e-300))
end
local function keep(key, points, at)
  redis.call("HSET", key, "points", string.format("%.9f", points), "at", string.format("%d", at))
  redis.call("PEXPIRE", key, 300000)
end
local function tell(points, retryMs, resetMs)
  answer[#answer + 1] = string.format("%.9f", points)
  answer[#answer + 1] = tostring(retryMs)
  answer[#answer + 1] = tostring(resetMs)
end
for i = 2, #KEYS do
  local cost, perMinute = tonumber(ARGV[i * 2 + 1]), tonumber(ARGV[i * 2 + 2])
  local stored = redis.call("HMGET", KEYS[i], "points", "at")
  local points, at = perMinute, now
  if stored[1] then
    local storedAt = tonumber(stored[2])
    points = tonumber(stored[1])
    if now > storedAt then points = points + (now - storedAt) * perMinute / 60000
    elseif storedAt - now <= 60000 then at = storedAt end
    points = math.min(points, perMinute)
  end
  if points + 1e-6 < cost then
    keep(KEYS[i], points, at)
    tell(points, timeFor(cost - points, perMinute), timeFor(perMinute - points, perMinute))
    answer[1] = tostring(i - 2)
    return answer
  end
  points = math.max(0, points - cost)
  tell(points, 0, timeFor(perMinute - points, perMinute))
  takes[#takes + 1] = { KEYS[i], points, at }
end
if slotId ~= "" then
  redis.call("ZREMRANGEBYSCORE", slots, "-inf", now)
  for _, id in ipairs(redis.call("ZRANGEBYSCORE", slots, "(" .. (now + leaseMs), "+inf")) do
    redis.call("ZADD", slots, now + leaseMs, id)
  end
  if redis.call("ZCARD", slots) >= slotMax then
    answer[1] = "slot"
    return answer
  end
  redis.call("ZADD", slots, now + leaseMs, slotId)
  redis.call("PEXPIRE", slots, leaseMs * 4)
end
for _, taken in ipairs(takes) do keep(taken[1], taken[2], taken[3]) end
return answer
`;

const RENEW = `
if not redis.call("ZSCORE", KEYS[1], ARGV[1]) then return 0 end
redis.call("ZADD", KEYS[1], ARGV[2], ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
`;

type Scripted = Redis & {
  decide(keyCount: number, ...keysAndValues: (string | number)[]): Promise<string[]>;
  renewSlot(slotKey: string, ...values: (string | number)[]): Promise<number>;
};

const OPTIONS = {
  commandTimeout: 1000,
  connectTimeout: 300,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, 1000),
  scripts: {
    decide: { lua: DECIDE },
    renewSlot: { lua: RENEW, numberOfKeys: 1 },
  },
};

/** Of a server, or of the primary that sentinels name, and name again when it changes. */
function connectionTo(url: string): Scripted {
  const address = redisAddress(url);
  if (address === null) throw new Error("this is no address of Redis");
  if ("url" in address) return new Redis(address.url, OPTIONS) as Scripted;
  const { sentinels, name, database: db, username, password, sentinelPassword, isEncrypted } = address;
  return new Redis({
    ...OPTIONS,
    ...{ sentinels, name, db, failoverDetector: true },
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(sentinelPassword !== null && { sentinelPassword }),
    ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: (attempt: number) => Math.min(attempt * 50, 1000),
  }) as Scripted;
}

/** Waits briefly for the first connection; a later one is picked up automatically. */
export async function openRedisLimits(url: string): Promise<LimitStore> {
  const redis = connectionTo(url);
  let reason: unknown = null;
  redis.on("error", (error) => {
    reason = error;
  });
  /** Without a connection, the reason for that instead of "the stream is not writeable". */
  const asked = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw redis.status === "ready" ? error : (reason ?? error);
    });
  await Promise.race([once(redis, "ready"), Bun.sleep(500)]).catch(() => {});
  const key = (organizationId: string, name: string) => `loquat:{${organizationId}}:${name}`;
  const slots = (organizationId: string) => key(organizationId, "slots");
  const releases = inBatches(async (held: [organizationId: string, slotId: string][]) => {
    const pipeline = redis.pipeline();
    for (const [organizationId, each] of Map.groupBy(held, ([organizationId]) => organizationId))
      pipeline.zrem(slots(organizationId), ...each.map(([, slotId]) => slotId));
    const failed = (await asked(pipeline.exec()))?.find(([error]) => error);
    if (failed) throw failed[0];
    return held.map(() => undefined);
  });
  return {
    async decide({ organizationId, now, take, slot }: Ask): Promise<Answer> {
      const keys = [slots(organizationId), ...take.map(({ bucket }) => key(organizationId, bucket))];
      const values = [now, LEASE_MS, slot?.id ?? "", slot?.max ?? 0];
      const costs = take.flatMap(({ cost, perMinute }) => [cost, perMinute]);
      const [refused, ...states] = await asked(redis.decide(keys.length, ...keys, ...values, ...costs));
      const numbers = states.map(Number);
      const levels = Array.from({ length: numbers.length / 3 }, (_, index) => {
        const [points, retryMs, resetMs] = numbers.slice(index * 3, index * 3 + 3) as [
          number,
          number,
          number,
        ];
        return { points, retryMs, resetMs };
      });
      return { refused: refusalOf(refused!, take), levels };
    },
    async renew(organizationId, slotId, now) {
      const renewed = redis.renewSlot(slots(organizationId), slotId, now + LEASE_MS, LEASE_MS * 4);
      return (await asked(renewed)) === 1;
    },
    release: (organizationId, slotId) => releases([organizationId, slotId]),
    inFlight: (organizationId, now) => asked(redis.zcount(slots(organizationId), `(${now}`, "+inf")),
    async [Symbol.asyncDispose]() {
      redis.disconnect();
    },
  };
}

/** "" for none, "slot", or the index of a bucket. */
function refusalOf(code: string, take: Ask["take"]): Answer["refused"] {
  if (code === "") return null;
  return code === "slot" ? "slot" : take[Number(code)]!.bucket;
}
