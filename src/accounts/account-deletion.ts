/**
 * Deletes a person: their sign-in, their memberships and the keys that they made there, in one transaction. Refused where an
 * organization would have no owner any more, or the server no operator.
 */
import { and, eq, inArray, isNull, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type AuditEvent, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { addsOf } from "../db/queries/work-rows.ts";
import { Refusal } from "../errors.ts";
import type { Member } from "./seats.ts";
import { pendingName } from "./users.ts";

/** The kind of work that removes a person's address from where it is copied to; its payload is a `DeletedPerson` as JSON. */
export const ACCOUNT_DELETION_KIND = "account_deletion";

export type DeletedPerson = { id: string; email: string };

export type AccountDeletion = {
  /** Returns the organizations that they were in. */
  deleteUser(id: string): Promise<string[]>;
};

export function openAccountDeletion(database: Database, clock: Clock): AccountDeletion {
  const { query, tables } = database;
  const { user, member } = tables;
  const audit = openAudit(database, clock);
  const rowOf = async (id: string) => (await query.select().from(user).where(eq(user.id, id)))[0];
  return {
    async deleteUser(id) {
      const person = await rowOf(id);
      if (!person) return [];
      const seats = await query.select().from(member).where(eq(member.userId, id));
      const isGone = sql`not exists (select 1 from ${user} where ${eq(user.id, id)})`;
      const payload: DeletedPerson = { id, email: person.email };
      const row = { id: `${id}_deletion`, kind: ACCOUNT_DELETION_KIND, payload: JSON.stringify(payload) };
      const statements = [
        ...deletionOf(database, { ...payload, now: unixSeconds(clock) }),
        ...addsOf(database, [{ ...row, dueMs: clock.now() }], isGone),
      ];
      await audit.atomically(
        statements,
        eventsOf(id, seats).map((event) => ({ ...event, when: isGone })),
      );
      if (await rowOf(id)) throw await whyNot(database, id);
      database.raised?.();
      return seats.map(({ organizationId }) => organizationId);
    },
  };
}

function eventsOf(id: string, seats: Member[]): AuditEvent[] {
  const deleted = { type: "user.deleted", resourceId: id } as const;
  const left = seats.map(({ organizationId }) => ({
    ...{ ...deleted, organizationId },
    raises: { type: "member.removed" as const, data: { id } },
  }));
  return [{ ...deleted, organizationId: null }, ...left];
}

/** Each changes something only if nothing keeps the person. */
function deletionOf({ query, tables }: Database, { id, email, now }: DeletedPerson & { now: number }) {
  const { user, member, organization, apiKey, adminApiKey, invitation } = tables;
  const { session, credential, twoFactor, verification } = tables;
  const isFree = sql`not (${ownsAlone(id)}) and not (${operatesAlone(id)})`;
  const theirs = query.select({ id: member.organizationId }).from(member).where(eq(member.userId, id));
  const revocationOf = (key: typeof apiKey | typeof adminApiKey) =>
    query
      .update(key)
      .set({ revokedAt: now })
      .where(and(eq(key.createdBy, id), isNull(key.revokedAt), inArray(key.organizationId, theirs), isFree));
  const statements: SQLWrapper[] = [
    // locks the rows: of two owners or operators who leave at once, one stays
    query
      .update(organization)
      .set({ id: sql`${organization.id}` })
      .where(inArray(organization.id, theirs)),
    query
      .update(user)
      .set({ id: sql`${user.id}` })
      .where(or(eq(user.id, id), eq(user.operator, true))),
    ...[revocationOf(apiKey), revocationOf(adminApiKey)],
    query.delete(member).where(and(eq(member.userId, id), isFree)),
    query
      .delete(invitation)
      .where(and(or(eq(invitation.inviterId, id), eq(invitation.email, email)), isFree)),
    ...[session, credential, twoFactor].map((table) =>
      query.delete(table).where(and(eq(table.userId, id), isFree)),
    ),
    query
      .delete(verification)
      .where(and(or(eq(verification.value, id), eq(verification.identifier, pendingName(id))), isFree)),
    query.delete(user).where(and(eq(user.id, id), isFree)),
  ];
  return statements;
}

/** Whether they are the only owner of an organization that is not to be deleted. */
const ownsAlone = (id: string): SQL => sql`exists (select 1 from member as own
  join organization as owned on owned.id = own.organization_id
  where own.user_id = ${id} and own.role = 'owner' and owned.delete_at is null
  and not exists (select 1 from member as other where other.organization_id = own.organization_id
    and other.role = 'owner' and other.user_id <> ${id}))`;

const operatesAlone = (
  id: string,
): SQL => sql`exists (select 1 from "user" as own where own.id = ${id} and own.operator
  and not exists (select 1 from "user" as other where other.operator and other.id <> ${id}))`;

async function whyNot({ query, tables: { user } }: Database, id: string): Promise<Refusal> {
  const [alone] = await query
    .select({ id: user.id })
    .from(user)
    .where(and(eq(user.id, id), operatesAlone(id)));
  return alone
    ? new Refusal("last_owner", "You are the only operator of this server. Make another person one first.")
    : new Refusal(
        "last_owner",
        "You are the only owner of an organization. Make another member an owner first, or delete the organization.",
      );
}
