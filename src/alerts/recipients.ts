/** Who may get mail of alerts: members of the organization whose addresses are verified. */
import { and, eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";

/** Addresses are stored in small letters. */
export async function verifiedMembers(
  { query, tables: { member, user } }: Pick<Database, "query" | "tables">,
  organizationId: string,
): Promise<{ id: string; email: string }[]> {
  return query
    .select({ id: user.id, email: user.email })
    .from(member)
    .innerJoin(user, eq(member.userId, user.id))
    .where(and(eq(member.organizationId, organizationId), eq(user.emailVerified, true)));
}
