/**
 * Reads of accounts that are shared: those that are asked for while others are under way are made together, next. A read
 * never joins one that is under way, so each gets a state no older than when it was asked for.
 *
 *   a b c d e f g ──> [a] [b] [c]   then [d e f g]
 */
import type { BalancedAccount } from "./store.ts";

const AT_ONCE = 3; // reads under way: with more, each has fewer accounts; with fewer, later requests wait longer
const TOGETHER_MAX = 256;

type Read = (organizationIds: string[], now: number) => Promise<BalancedAccount[]>;

type Waiting = {
  organizationId: string;
  now: number;
  resolve: (account: BalancedAccount | null) => void;
  reject: (reason: unknown) => void;
};

/** A read that fails rejects all that share it. */
export function shareReads(read: Read) {
  const waiting: Waiting[] = [];
  let reading = 0;

  async function readNext(): Promise<void> {
    const asked = waiting.splice(0, TOGETHER_MAX);
    try {
      const ids = [...new Set(asked.map(({ organizationId }) => organizationId))];
      const now = Math.max(...asked.map((each) => each.now));
      const accounts = new Map((await read(ids, now)).map((each) => [each.organizationId, each]));
      for (const { organizationId, resolve } of asked) resolve(accounts.get(organizationId) ?? null);
    } catch (reason) {
      for (const { reject } of asked) reject(reason);
    }
  }

  async function drain(): Promise<void> {
    reading++;
    while (waiting.length > 0) await readNext();
    reading--; // in the same tick as the last check: a later read starts again
  }

  return (organizationId: string, now: number): Promise<BalancedAccount | null> =>
    new Promise((resolve, reject) => {
      waiting.push({ organizationId, now, resolve, reject });
      if (reading < AT_ONCE) void drain();
    });
}
