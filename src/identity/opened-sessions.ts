/** What follows when a session is opened, in whichever way its user signed in. */
import { and, desc, eq, notInArray } from "drizzle-orm";
import { openUsers } from "../accounts/users.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log/log.ts";

type GrantDeps = {
  database: Database;
  clock: Clock;
  log: Log;
  verified: (organizationId: string) => Promise<void>;
};

/** Runs at every sign-in, in case an earlier one failed between verification and grant. Granting is idempotent. */
export async function granted({ database, clock, verified, log }: GrantDeps, userId: string): Promise<void> {
  try {
    const organizationId = await openUsers(database, clock).ownOrganization(userId);
    if (organizationId !== null) await verified(organizationId);
  } catch (cause) {
    log.error("starting_credit_failed", { userId, cause });
  }
}

const SESSIONS_MAX = 50;

/** Keeps the newest sessions of a user: ids are ordered by time. */
export async function endOldest(
  { database: { query, tables } }: Pick<GrantDeps, "database">,
  userId: string,
): Promise<void> {
  const { session } = tables;
  const isTheirs = eq(session.userId, userId);
  const newest = query
    .select({ id: session.id })
    .from(session)
    .where(isTheirs)
    .orderBy(desc(session.id))
    .limit(SESSIONS_MAX);
  await query.delete(session).where(and(isTheirs, notInArray(session.id, newest)));
}
