/** How long new keys may last: as many days as the server and the organization allow. */
import { eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { invalidInput } from "../errors.ts";
import { DAY_SECONDS } from "../kept-data.ts";

/** When a key ends that is to end then (null: never), in Unix seconds. Refuses a time beyond the longest; a new key without one ends then. */
type KeyLifetime = {
  ofNew(organizationId: string, expiresAt: number | null, now: number): Promise<number | null>;
  check(organizationId: string, expiresAt: number | null, now: number): Promise<void>;
};

export function openKeyLifetime(
  { query, tables: { organization } }: Database,
  serverDays: number | null,
): KeyLifetime {
  async function daysOf(id: string): Promise<number | null> {
    const [row] = await query
      .select({ days: organization.keyMaxDays })
      .from(organization)
      .where(eq(organization.id, id));
    const days = [row?.days ?? null, serverDays].filter((each) => each !== null);
    return days.length > 0 ? Math.min(...days) : null;
  }
  /** The latest end, where there is one. Refuses a later one. */
  async function latest(organizationId: string, expiresAt: number | null, now: number) {
    const days = await daysOf(organizationId);
    if (days === null) return null;
    const end = now + days * DAY_SECONDS;
    if (expiresAt !== null && expiresAt > end) throw tooLate(days);
    return { days, end };
  }
  return {
    async check(organizationId, expiresAt, now) {
      const last = await latest(organizationId, expiresAt, now);
      if (last !== null && expiresAt === null) throw tooLate(last.days);
    },
    async ofNew(organizationId, expiresAt, now) {
      const last = await latest(organizationId, expiresAt, now);
      return expiresAt ?? last?.end ?? null;
    },
  };
}

const tooLate = (days: number) =>
  invalidInput([
    {
      field: "expires_at",
      code: "out_of_range",
      message: `must be within ${days} days, which keys last at most`,
    },
  ]);
