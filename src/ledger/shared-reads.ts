/**
 * Reads of accounts that are shared: those that are asked for while others are under way are made together, next. A read
 * never joins one that is under way, so each gets a state no older than when it was asked for.
 */
import { inBatches } from "../batching.ts";
import type { BalancedAccount } from "./store.ts";

const AT_ONCE = 3; // reads under way: with more, each has fewer accounts; with fewer, later requests wait longer
const TOGETHER_MAX = 256;

type Read = (organizationIds: string[], now: number) => Promise<BalancedAccount[]>;

type Asked = { organizationId: string; now: number };

/** A read that fails rejects all that share it. */
export function shareReads(read: Read) {
  const shared = inBatches(
    async (asked: Asked[]) => {
      const ids = [...new Set(asked.map(({ organizationId }) => organizationId))];
      const now = Math.max(...asked.map((each) => each.now));
      const accounts = new Map((await read(ids, now)).map((each) => [each.organizationId, each]));
      return asked.map(({ organizationId }) => accounts.get(organizationId) ?? null);
    },
    { max: TOGETHER_MAX, atOnce: AT_ONCE },
  );
  return (organizationId: string, now: number): Promise<BalancedAccount | null> =>
    shared({ organizationId, now });
}
