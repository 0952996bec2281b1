/**
 * Limits shared by several nodes, in Redis: one script and one round trip per decision. Slots are released together, because
 * no request waits for it.
 *
 * A closed connection is noticed at once, a hanging one within a second; reconnecting is automatic. How long a request
 * waits for an answer is decided in `fail-over.ts`.
 */
import { once } from "node:events";
import { Redis } from "ioredis";
import { inBatches } from "../batching.ts";
import { endsWithin } from "../clock.ts";
import { redisAddress } from "../config/redis-address.ts";
import { DECIDE } from "./decide-script.ts";
import { type Answer, type Ask, LEASE_MS, type Level, type LimitStore } from "./limits.ts";

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

const RECONNECT_MS = 50;
const FIRST_WAIT_MS = 500; // for a connection, when it is opened

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
  let isClosed = false;
  redis.on("error", (error) => {
    reason = error;
  });
  // Where sentinels tell of a new primary during an attempt to connect, ioredis gives up.
  redis.on("end", () => {
    const again = () => isClosed || redis.connect().catch(() => {});
    if (!isClosed) setTimeout(again, RECONNECT_MS).unref();
  });
  /** Without a connection, the reason for that instead of "the stream is not writeable". */
  const asked = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw redis.status === "ready" ? error : (reason ?? error);
    });
  await endsWithin(FIRST_WAIT_MS, once(redis, "ready")).catch(() => {});
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
      const costs = take.flatMap(({ cost, perMinute, exchange }) => [
        ...[cost, perMinute],
        ...(exchange ? [exchange.holder, exchange.returned, exchange.requested] : ["", 0, 0]),
      ]);
      const caps = (slot?.caps ?? []).flatMap(({ subject, max }) => [subject, max]);
      const asking = redis.decide(keys.length, ...keys, ...values, ...costs, ...caps);
      const [code, held, ...states] = await asked(asking);
      const refused = refusalOf(code!, take);
      const levels = Array.from({ length: states.length / 4 }, (_, index) =>
        levelOf(states.slice(index * 4)),
      );
      return { refused, levels, ...(slot && refused === null && { held: Number(held) }) };
    },
    async renew(organizationId, slotId, now) {
      const renewed = redis.renewSlot(slots(organizationId), slotId, now + LEASE_MS, LEASE_MS * 4);
      return (await asked(renewed)) === 1;
    },
    release: (organizationId, slotId) => releases([organizationId, slotId]),
    inFlight: (organizationId, now) => asked(redis.zcount(slots(organizationId), `(${now}`, "+inf")),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      redis.disconnect();
    },
  };
}

/** Of the script's four texts for a bucket. */
function levelOf([points, retryMs, resetMs, lent]: string[]): Level {
  const level = { points: Number(points), retryMs: Number(retryMs), resetMs: Number(resetMs) };
  return lent === "" ? level : { ...level, lent: Number(lent) };
}

/** "" for none, "slot", "slot " and whose cap, or the index of a bucket. */
function refusalOf(code: string, take: Ask["take"]): Answer["refused"] {
  if (code === "") return null;
  if (code.startsWith("slot ")) return `${code.slice("slot ".length)}/slot`;
  return code === "slot" ? "slot" : take[Number(code)]!.bucket;
}
