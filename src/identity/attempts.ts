/**
 * How often a door was tried, by address and by e-mail, counted in the database: several nodes count together.
 *
 * A window begins with the first try and ends a quarter of an hour later. Who tries is kept as a hash.
 */
import { hash } from "node:crypto";
import { eq, lte, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/open.ts";
import { Fault } from "../errors.ts";

const TRIES = 10;
const WINDOW_SECONDS = 900;
const RETRY_SECONDS_MAX = 60;

export type Attempts = {
  /** Counts a try by an address or at an e-mail, and refuses where that was tried too often. */
  count(door: string, subject: string): Promise<void>;
  /** Somebody came in: their tries are forgotten. */
  forget(door: string, subject: string): Promise<void>;
};

export function openAttempts({ query, tables: { attempt } }: Database, clock: Clock): Attempts {
  async function count(door: string, subject: string): Promise<void> {
    const [key, now] = [keyOf(door, subject), unixSeconds(clock)];
    const isOver = lte(attempt.until, now);
    const [row] = await query
      .insert(attempt)
      .values({ key, count: 1, until: now + WINDOW_SECONDS })
      .onConflictDoUpdate({
        target: attempt.key,
        set: {
          count: sql`case when ${isOver} then 1 else ${attempt.count} + 1 end`,
          until: sql`case when ${isOver} then ${sql.param(now + WINDOW_SECONDS, attempt.until)} else ${attempt.until} end`,
        },
      })
      .returning();
    const { count: tries, until } = row!;
    if (tries > TRIES) throw tooMany(until - now);
    if (tries === 1) await query.delete(attempt).where(isOver); // what nobody tries any more
  }
  return {
    count,
    async forget(door, subject) {
      await query.delete(attempt).where(eq(attempt.key, keyOf(door, subject)));
    },
  };
}

const keyOf = (door: string, subject: string) => `${door} ${hash("sha256", subject).slice(0, 32)}`;

/** Whom an address stands for: one that has the 64 bits of an IPv6 network has all of it. */
export function networkOf(ip: string | null): string {
  if (ip === null) return "unknown";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped) return mapped[1]!;
  if (!ip.includes(":")) return ip;
  const [head = "", tail] = ip.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
  const all = [...groups, ...Array<string>(Math.max(missing, 0)).fill("0"), ...(tail ?? "").split(":")];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}

function tooMany(seconds: number): Fault {
  return new Fault("rate_limit_exceeded", "Too many attempts. Wait a while and try again.", {
    retryAfterSeconds: Math.min(Math.max(seconds, 1), RETRY_SECONDS_MAX),
  });
}
