/** The users that sign-in providers know: found by the provider's own name for them, or by a verified address. */
import { and, eq, inArray } from "drizzle-orm";
import type { Database } from "../db/database.ts";

/** `subject`: the provider's own name for them, which never changes. `email`: verified by the provider. */
type ProviderUser = { providerId: string; subject: string; email: string };

export type ProviderUsers = {
  /** The id of a verified user, or null. */
  find(wanted: ProviderUser): Promise<string | null>;
  /** Deletes an account of the address that was never verified: anyone may have made it. */
  deleteUnverified(email: string): Promise<void>;
};

export function openProviderUsers({ query, tables, atomically }: Database): ProviderUsers {
  const { user, credential, session } = tables;
  return {
    async find({ providerId, subject, email }) {
      const isLinked = and(eq(credential.providerId, providerId), eq(credential.accountId, subject));
      const [linked] = await query.select({ id: credential.userId }).from(credential).where(isLinked);
      if (linked) return linked.id;
      const isVerified = and(eq(user.email, email), eq(user.emailVerified, true));
      return (await query.select({ id: user.id }).from(user).where(isVerified))[0]?.id ?? null;
    },
    async deleteUnverified(email) {
      const isUnverified = and(eq(user.email, email), eq(user.emailVerified, false));
      const stale = query.select({ id: user.id }).from(user).where(isUnverified);
      await atomically([
        query.update(user).set({ emailVerified: false }).where(isUnverified), // locks the row: a concurrent verification waits
        query.delete(credential).where(inArray(credential.userId, stale)),
        query.delete(session).where(inArray(session.userId, stale)),
        query.delete(user).where(isUnverified),
      ]);
    },
  };
}
