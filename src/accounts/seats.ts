/**
 * Changes to one membership. A change locks its organization first, so that when two owners leave at once one of them stays.
 * The admin keys of a person who is no owner any more are revoked: they may do what an owner may.
 */
import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import { type AuditEvent, differences, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import type { Role } from "./memberships.ts";

export type Member = Tables["member"]["$inferSelect"];

/** What happens to the keys of a member who leaves. */
export type KeysThen = "revoke" | "keep";

export function openSeats(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { atomically } = openAudit(database, clock);
  const { member, organization, apiKey, adminApiKey } = tables;
  const lock = ({ organizationId: id }: Member) =>
    query.update(organization).set({ id }).where(eq(organization.id, id));
  /** Matches the membership, unless it is the last owner's. */
  const spare = ({ id, organizationId }: Member) =>
    and(
      eq(member.id, id),
      or(
        ne(member.role, "owner"),
        sql`(select count(*) from ${member} where ${member.organizationId} = ${organizationId} and ${member.role} = 'owner') > 1`,
      ),
    );
  /** Matches the member's keys once the membership is gone. */
  const revocation = ({ id, userId, organizationId }: Member) =>
    query
      .update(apiKey)
      .set({ revokedAt: unixSeconds(clock) })
      .where(
        and(
          eq(apiKey.organizationId, organizationId),
          eq(apiKey.createdBy, userId),
          isNull(apiKey.revokedAt),
          sql`not exists (select 1 from ${member} where ${eq(member.id, id)})`,
        ),
      );
  /** Matches the member's admin keys unless they are an owner now. */
  const disempowerment = ({ id, userId, organizationId }: Member) =>
    query
      .update(adminApiKey)
      .set({ revokedAt: unixSeconds(clock) })
      .where(
        and(
          eq(adminApiKey.organizationId, organizationId),
          eq(adminApiKey.createdBy, userId),
          isNull(adminApiKey.revokedAt),
          sql`not exists (select 1 from ${member} where ${eq(member.id, id)} and ${member.role} = 'owner')`,
        ),
      );
  const now = async ({ id }: Member) =>
    (await query.select().from(member).where(eq(member.id, id)))[0] ?? null;
  return {
    /** `source`: the provider whose groups give the role; null: a person does. */
    async change(seat: Member, role: Role, source: string | null = null): Promise<Member> {
      const changeable = role === "owner" ? eq(member.id, seat.id) : spare(seat);
      await atomically(
        [lock(seat), query.update(member).set({ role, source }).where(changeable), disempowerment(seat)],
        role === seat.role ? [] : [roleEvent(member, seat, role)],
      );
      if ((await now(seat))?.role !== role) throw lastOwner();
      return { ...seat, role, source };
    },
    async end(seat: Member, keys: KeysThen): Promise<Member> {
      const gone = query.delete(member).where(spare(seat));
      const ending = keys === "revoke" ? [revocation(seat), disempowerment(seat)] : [];
      const when = sql`not exists (select 1 from ${member} where ${eq(member.id, seat.id)})`;
      await atomically([lock(seat), gone, ...ending], [{ ...seatEnded(seat), when }]);
      if (await now(seat)) throw lastOwner();
      return seat;
    },
  };
}

const seatEnded = (seat: Member): AuditEvent => ({
  ...seatEvent("user.deleted", seat),
  raises: { type: "member.removed", data: { id: seat.userId } },
});

function roleEvent(member: Tables["member"], seat: Member, role: Role): AuditEvent {
  const when = sql`exists (select 1 from ${member} where ${eq(member.id, seat.id)} and ${eq(member.role, role)})`;
  return { ...seatEvent("user.updated", seat), changes: differences({ role: seat.role }, { role }), when };
}

const seatEvent = (type: AuditEvent["type"], { organizationId, userId }: Member): AuditEvent => ({
  ...{ type, organizationId, resourceId: userId },
});

const lastOwner = () =>
  new Refusal("last_owner", "An organization needs an owner. Make another member an owner first.");
