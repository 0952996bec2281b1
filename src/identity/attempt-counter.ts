/**
 * Counts attempts in the database, so that all nodes share the counts. A window begins with its first attempt.
 * Subjects are stored as hashes. Expired rows are deleted.
 */
import { hash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import { type Database, prepared } from "../db/database.ts";
import { Refusal } from "../errors.ts";

const WINDOW_SECONDS = 900;
const RETRY_SECONDS_MAX = 60;

/** At most this many attempts in a window of 15 minutes, or of `windowSeconds`. */
type Bound = { most: number; windowSeconds?: number };

export type AttemptCounter = {
  /** Counts an attempt by or on `subject`, and returns the count of this window. */
  count(action: string, subject: string, windowSeconds?: number): Promise<number>;
  /** Counts an attempt, and refuses it beyond the bound. */
  refuse(action: string, subject: string, bound: Bound): Promise<void>;
  /** Refuses where the bound is reached, without counting. */
  check(action: string, subject: string, bound: Bound): Promise<void>;
  /** Resets the count. */
  forget(action: string, subject: string): Promise<void>;
};

export function openAttemptCounter(database: Database, clock: Clock): AttemptCounter {
  const { query, tables } = database;
  const { attempt } = tables;
  const step = stepQuery(database);
  async function tally(action: string, subject: string, windowSeconds = WINDOW_SECONDS) {
    const now = unixSeconds(clock);
    const [row] = await step.execute({ key: keyOf(action, subject), now, until: now + windowSeconds });
    return { count: row!.count, leftSeconds: row!.until - now };
  }
  return {
    count: async (action, subject, windowSeconds) => (await tally(action, subject, windowSeconds)).count,
    async refuse(action, subject, { most, windowSeconds }) {
      const { count, leftSeconds } = await tally(action, subject, windowSeconds);
      if (count > most) throw tooMany(leftSeconds);
    },
    async check(action, subject, { most }) {
      const now = unixSeconds(clock);
      const [row] = await query
        .select()
        .from(attempt)
        .where(eq(attempt.key, keyOf(action, subject)));
      if (row && row.count >= most && row.until > now) throw tooMany(row.until - now);
    },
    async forget(action, subject) {
      await query.delete(attempt).where(eq(attempt.key, keyOf(action, subject)));
    },
  };
}

/** Adds one, or starts a new window. Prepared once, for bursts of attempts. */
function stepQuery({ query, tables: { attempt } }: Database) {
  const [key, now, until] = ["key", "now", "until"].map((name) => sql.placeholder(name)) as [
    Parameter,
    Parameter,
    Parameter,
  ];
  const isOver = sql`${attempt.until} <= cast(${now} as bigint)`;
  return prepared(
    query
      .insert(attempt)
      .values({ key, count: 1, until })
      .onConflictDoUpdate({
        target: attempt.key,
        set: {
          count: sql`case when ${isOver} then 1 else ${attempt.count} + 1 end`,
          until: sql`case when ${isOver} then cast(${until} as bigint) else ${attempt.until} end`,
        },
      })
      .returning(),
    "attempt_step",
  );
}

type Parameter = ReturnType<typeof sql.placeholder>;

const keyOf = (action: string, subject: string) => `${action} ${hash("sha256", subject).slice(0, 32)}`;

/** `site`: the networks that one holder may have, a /48 of IPv6 or a /24 of IPv4; null for an unknown address. */
export type Networks = { network: string; site: string | null };

/** The networks an address belongs to: an IPv6 client has a whole /64. */
export function networksOf(ip: string | null): Networks {
  if (ip === null) return { network: "unknown", site: null };
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped || !ip.includes(":")) {
    const network = mapped?.[1] ?? ip;
    return { network, site: `${network.split(".").slice(0, 3).join(".")}.0/24` };
  }
  const [head = "", tail] = ip.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
  const all = [...groups, ...Array<string>(Math.max(missing, 0)).fill("0"), ...(tail ?? "").split(":")];
  const plain = all.map((group) => group.replace(/^0+(?=.)/, ""));
  return { network: `${plain.slice(0, 4).join(":")}::/64`, site: `${plain.slice(0, 3).join(":")}::/48` };
}

function tooMany(seconds: number): Refusal {
  return new Refusal("rate_limit_exceeded", "Too many attempts. Try again later.", {
    retryAfterSeconds: Math.min(Math.max(seconds, 1), RETRY_SECONDS_MAX),
  });
}
