/** Who owns a new server: the first verified operator, or owner of the first organization. Only one user can claim it. */
import { and, eq, inArray, type SQLWrapper } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import { type Database, isConflict } from "../db/database.ts";

/** The first organization while it has no verified owner and the server no verified operator; otherwise null. */
export async function unclaimedOrganization({ query, tables }: Database): Promise<string | null> {
  const { installation, member, user } = tables;
  const [installed] = await query.select().from(installation);
  if (!installed) return null;
  const { organizationId } = installed;
  const isVerified = eq(user.emailVerified, true);
  const owners = query
    .select({ id: member.id })
    .from(member)
    .innerJoin(user, eq(member.userId, user.id))
    .where(and(eq(member.organizationId, organizationId), isVerified))
    .limit(1);
  const operators = query
    .select({ id: user.id })
    .from(user)
    .where(and(eq(user.operator, true), isVerified))
    .limit(1);
  return (await owners).length + (await operators).length > 0 ? null : organizationId;
}

type Claim = { organizationId: string; userId: string };

/** Makes the user verified, operator and owner; unverified operators and members lose both. */
export function claimOf(
  { query, tables }: Database,
  { organizationId, userId }: Claim,
  clock: Clock,
): SQLWrapper[] {
  const { member, user } = tables;
  const isUnverified = eq(user.emailVerified, false);
  const unverified = query.select({ id: user.id }).from(user).where(isUnverified);
  const isMember = eq(member.organizationId, organizationId);
  return [
    query.delete(member).where(and(isMember, inArray(member.userId, unverified))),
    query
      .update(user)
      .set({ operator: false })
      .where(and(isUnverified, eq(user.operator, true))),
    // the id lets one of two concurrent claims win; verified in the same transaction, so that it cannot be revoked
    query
      .insert(member)
      .values(ownership({ id: membershipId(organizationId), organizationId, userId }, clock)),
    query.update(user).set({ operator: true, emailVerified: true }).where(eq(user.id, userId)),
  ];
}

/** An id of a membership, derived from another id. */
export const membershipId = (id: string) => `mem_${id.slice(id.indexOf("_") + 1)}`;

export const ownership = (
  membership: { id: string; organizationId: string; userId: string },
  clock: Clock,
) => ({
  ...membership,
  role: "owner",
  createdAt: new Date(clock.now()),
});

/** False where a unique row was there already. */
export async function unlessConflict(written: Promise<void>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
