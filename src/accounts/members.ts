/**
 * Changes to the members of an organization. Admins manage members and invitations, only owners change owners, and
 * every organization keeps at least one owner.
 */
import { and, count, eq } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { openMemberships, type Role, reaches } from "./memberships.ts";
import { type KeysThen, type Member, openSeats } from "./seats.ts";

/** A user acting in an organization. Other organizations look to them as if they did not exist. */
type Actor = { userId: string; organizationId: string };

export type Members = {
  /** The number of members of each organization, by its id. */
  memberCounts(): Promise<Map<string, number>>;
  /** Refuses a user whose role in the organization is lower. */
  needRole(actor: Actor, least: Role): Promise<void>;
  /** Returns the invitation's organization. */
  needRoleForInvitation(invitationId: string, userId: string): Promise<string>;
  changeRole(actor: Actor, memberId: string, role: Role): Promise<Member>;
  /** Finds a member by id or e-mail address. */
  removeMember(actor: Actor, idOrEmail: string, keys?: KeysThen): Promise<Member>;
  /** Only admins and owners may leave their keys behind. */
  leave(actor: Actor, keys?: KeysThen): Promise<Member>;
  /** With an admin key, which may do what an owner may. */
  changeRoleOf(seat: Actor, role: Role): Promise<Member>;
  /** Likewise; the user's keys are revoked. */
  endMembership(seat: Actor): Promise<Member>;
};

export function openMembers(database: Database, clock: Clock): Members {
  const { query, tables } = database;
  const { member, invitation, user } = tables;
  const needRole = roleNeeds(database);
  const seats = openSeats(database, clock);

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

  async function seatOf({ userId, organizationId }: Actor): Promise<Member> {
    const isTheirs = and(eq(member.userId, userId), eq(member.organizationId, organizationId));
    const [seat] = await query.select().from(member).where(isTheirs);
    if (!seat) throw new Refusal("not_found", "There is no such user.");
    return seat;
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
      return row.organizationId;
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
    changeRoleOf: async (actor, role) => seats.change(await seatOf(actor), role),
    endMembership: async (actor) => seats.end(await seatOf(actor), "revoke"),
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
