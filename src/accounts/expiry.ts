/** Deletes expired rows of accounts, a few at a time, because each step blocks other writes. */
import { and, eq, inArray, lte, notInArray, type SQL } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";

const STEP = 500;
const DAY_MS = 86_400_000;
/** How long an address may stay unverified. */
export const UNVERIFIED_MS = 7 * DAY_MS;
/** Answered and expired invitations stay listed for a while. */
const INVITATION_MS = 30 * DAY_MS;

export async function deleteExpired(database: Database, clock: Clock): Promise<void> {
  const { query, tables } = database;
  const { session, verification, attempt, invitation } = tables;
  const ago = (ms: number) => new Date(clock.now() - ms);
  const sweep = async (table: ExpiringTable, key: ExpiringKey, condition: SQL) => {
    const some = query.select({ key }).from(table).where(condition).limit(STEP);
    const step = query.delete(table).where(inArray(key, some));
    while ((await step.returning({ key })).length === STEP) await Bun.sleep(0);
  };
  await sweep(session, session.id, lte(session.expiresAt, ago(0)));
  await sweep(verification, verification.id, lte(verification.expiresAt, ago(0)));
  await sweep(attempt, attempt.key, lte(attempt.until, unixSeconds(clock)));
  await sweep(invitation, invitation.id, lte(invitation.expiresAt, ago(INVITATION_MS)));
  while (await forgetUnverified(database, ago(UNVERIFIED_MS))) await Bun.sleep(0);
}

type ExpiringTable = Tables["session" | "verification" | "attempt" | "invitation"];
type ExpiringKey = Tables["session" | "verification" | "invitation"]["id"] | Tables["attempt"]["key"];

/** Deletes users who never verified their address and belong to no organization. True if there may be more. */
async function forgetUnverified({ query, tables, atomically }: Database, before: Date): Promise<boolean> {
  const { user, credential, session, member, invitation } = tables;
  const seated = query.select({ id: member.userId }).from(member);
  const inviting = query.select({ id: invitation.inviterId }).from(invitation);
  const isStale = and(
    eq(user.emailVerified, false),
    lte(user.createdAt, before),
    notInArray(user.id, seated),
    notInArray(user.id, inviting),
  );
  const rows = await query.select({ id: user.id }).from(user).where(isStale).limit(STEP);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return false;
  const isUnverified = and(inArray(user.id, ids), eq(user.emailVerified, false));
  const stale = query.select({ id: user.id }).from(user).where(isUnverified);
  await atomically([
    query.update(user).set({ emailVerified: false }).where(isUnverified), // locks the rows: a concurrent verification waits, and finds no user
    query.delete(credential).where(inArray(credential.userId, stale)),
    query.delete(session).where(inArray(session.userId, stale)),
    query.delete(user).where(isUnverified),
  ]);
  return ids.length === STEP;
}
