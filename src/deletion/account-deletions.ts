/** Removes the address of a person who has deleted their account from where it was copied to: the audit log, and letters in a folder. */
import { and, eq, gt, inArray, or, sql } from "drizzle-orm";
import { ACCOUNT_DELETION_KIND, type DeletedPerson } from "../accounts/account-deletion.ts";
import type { Database } from "../db/database.ts";
import type { Work } from "../work/work-queue.ts";
import { deleteLetters } from "./mail-folder.ts";
import { DELETION_RULES } from "./rules.ts";

/** `letters`: where letters lie on a server without a mail server. */
type AccountDeletionDeps = { database: Database; letters: string; work: Pick<Work, "handle"> };

const REPLACEMENT = "deleted user";
const AT_ONCE = 1000;

export function handleAccountDeletions({ database, letters, work }: AccountDeletionDeps): void {
  work.handle(ACCOUNT_DELETION_KIND, {
    rules: DELETION_RULES,
    async attempt({ payload, signal }) {
      const person = JSON.parse(payload) as DeletedPerson;
      await deleteLetters(letters, [person.email]);
      for (let after: string | null = ""; after !== null; after = await replaceSome(database, person, after))
        signal.throwIfAborted();
      return [];
    },
  });
}

/** Of the events after one; returns the last that it looked at, null at the end. */
async function replaceSome(
  { query, tables: { auditEvent } }: Database,
  person: DeletedPerson,
  after: string,
): Promise<string | null> {
  const { id, actorId, actorEmail, address, userAgent, resourceId, changes } = auditEvent;
  const rows = await query.select({ id }).from(auditEvent).where(gt(id, after)).orderBy(id).limit(AT_ONCE);
  const last = rows.at(-1);
  if (!last) return null;
  const isTheirs = eq(actorId, person.id);
  const isOwn = and(isTheirs, eq(resourceId, person.id)); // such as their name
  // between its quotes, so that a longer address of another person stays
  const replaced = sql`replace(${changes}, ${JSON.stringify(person.email)}, ${JSON.stringify(REPLACEMENT)})`;
  const isFound = or(isTheirs, eq(actorEmail, person.email), sql`${replaced} <> ${changes}`);
  const ids = rows.map((row) => row.id);
  await query
    .update(auditEvent)
    .set({
      actorEmail: sql`case when ${or(isTheirs, eq(actorEmail, person.email))} then ${REPLACEMENT} else ${actorEmail} end`,
      address: sql`case when ${isTheirs} then null else ${address} end`,
      userAgent: sql`case when ${isTheirs} then null else ${userAgent} end`,
      changes: sql`case when ${isOwn} then '[]' else ${replaced} end`,
    })
    .where(and(inArray(id, ids), isFound));
  return last.id;
}
