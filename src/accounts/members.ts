/**
 * Changes to the members of an organization. Admins manage members and invitations, only owners change owners, and
 * every organization keeps at least one owner.
 *
 * A change locks its organization first, so that when two owners leave at once one of them stays. The admin keys of a person
 * who is no owner any more are revoked: they may do what an owner may.
 */
import { and, count, eq, isNull, ne, or, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { openMemberships, type Role, reaches } from "./memberships.ts";

type Member = Tables["member"]["$inferSelect"];

/** A user acting in an organization. Other organizations look to them as if they did not exist. */
type Actor = { userId: string; organizationId: string };

/** What happens to the keys of a member who leaves. */
type KeysThen = "revoke" | "keep";

export type Members = {
  /** The number of members of each organization, by its id. */
  memberCounts(): Promise<Map<string, number>>;
  /** Refuses a user whose role in the organization is lower. */
  needRole(actor: Actor, least: Role): Promise<void>;
  needRoleForInvitation(invitationId: string, userId: string): Promise<void>;
  changeRole(actor: Actor, memberId: string, role: Role): Promise<Member>;
  /** Finds a member by id or e-mail address. */
  removeMember(actor: Actor, idOrEmail: string, keys?: KeysThen): Promise<Member>;
  /** Only admins and owners may leave their keys behind. */
  leave(actor: Actor, keys?: KeysThen): Promise<Member>;
};

export function openMembers(database: Database, clock: Clock): Members {
  const { query, tables } = database;
  const { member, invitation, user } = tables;
  const needRole = roleNeeds(database);
  const seats = seatsOf(database, clock);

  /** A membership that the actor may change: only an owner may change an owner's. */
  async function seatToManage(actor: Actor, of: ReturnType<typeof eq>): Promise<Member> {
    await needRole(actor, "admin");
    const [row] = await query
      .select({ seat: member })
      .from(member)
      .innerJoin(user, eq(member.userId, user.id))
      .where(and(eq(member.organizationId, actor.organizationId), of));
    if (!row) throw new Refusal("not_found", "There is no such member.");
    if (row.seat.role === "owner") await needRole(actor, "owner");
    return row.seat;
  }

  return {
    async memberCounts() {
      const rows = await query
        .select({ id: member.organizationId, members: count() })
        .from(member)
        .groupBy(member.organizationId);
      return new Map(rows.map(({ id, members }) => [id, Number(members)]));
    },
    needRole,
    async needRoleForInvitation(invitationId, userId) {
      const [row] = await query.select().from(invitation).where(eq(invitation.id, invitationId));
      if (!row) throw new Refusal("not_found", "There is no such invitation.");
      const actor = { userId, organizationId: row.organizationId };
      await needRole(actor, row.role === "owner" ? "owner" : "admin");
    },
    async changeRole(actor, memberId, role) {
      const seat = await seatToManage(actor, eq(member.id, memberId));
      if (role === "owner") await needRole(actor, "owner");
      return seats.change(seat, role);
    },
    async removeMember(actor, idOrEmail, keys = "revoke") {
      const isEmail = idOrEmail.includes("@");
      const of = isEmail ? eq(user.email, idOrEmail.toLowerCase()) : eq(member.id, idOrEmail);
      return seats.end(await seatToManage(actor, of), keys);
    },
    async leave({ userId, organizationId }, keys = "revoke") {
      const [seat] = await query
        .select()
        .from(member)
        .where(and(eq(member.userId, userId), eq(member.organizationId, organizationId)));
      if (!seat) throw new Refusal("not_found", "There is no such organization.");
      if (keys === "keep") await needRole({ userId, organizationId }, "admin");
      return seats.end(seat, keys);
    },
  };
}

function roleNeeds(database: Database): Members["needRole"] {
  const { roleIn } = openMemberships(database);
  return async ({ userId, organizationId }, least) => {
    const role = await roleIn(organizationId, userId);
    if (role === null) throw new Refusal("not_found", "There is no such organization.");
    if (reaches(role, least)) return;
    throw least === "owner"
      ? new Refusal("owner_required", "Only an owner may do this.")
      : new Refusal("insufficient_role", "Only an owner or an admin may do this.");
  };
}

function seatsOf({ query, tables, atomically }: Database, clock: Clock) {
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
    async change(seat: Member, role: Role): Promise<Member> {
      const changeable = role === "owner" ? eq(member.id, seat.id) : spare(seat);
      await atomically([
        lock(seat),
        query.update(member).set({ role }).where(changeable),
        disempowerment(seat),
      ]);
      if ((await now(seat))?.role !== role) throw lastOwner();
      return { ...seat, role };
    },
    async end(seat: Member, keys: KeysThen): Promise<Member> {
      const gone = query.delete(member).where(spare(seat));
      const ending = keys === "revoke" ? [revocation(seat), disempowerment(seat)] : [];
      await atomically([lock(seat), gone, ...ending]);
      if (await now(seat)) throw lastOwner();
      return seat;
    },
  };
}

const lastOwner = () =>
  new Refusal("last_owner", "An organization needs an owner. Make another member an owner first.");
