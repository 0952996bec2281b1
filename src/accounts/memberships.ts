/** Memberships: which users belong to which organization, and in what role. */

import { and, asc, eq, isNotNull, max } from "drizzle-orm";
import { secondsOf } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Organization } from "./organizations.ts";

export type Role = "owner" | "admin" | "member";

const RANKS: Role[] = ["member", "admin", "owner"];

/** Whether a role is at least the other. */
export const reaches = (role: Role, least: Role): boolean => RANKS.indexOf(role) >= RANKS.indexOf(least);

/** Times are Unix seconds. */
type Person = { id: string; name: string; email: string; role: Role; createdAt: number; joinedAt: number };
type Membership = { organization: Organization; role: Role };

export type Memberships = {
  /** A user's memberships, oldest organization first. */
  memberships(userId: string): Promise<Membership[]>;
  /** Null if the user is not a member, or there is no such organization. */
  roleIn(organizationId: string, userId: string): Promise<Role | null>;
  /** The members of an organization, in the order of joining. */
  people(organizationId: string): Promise<Person[]>;
  /** When keys of its users were last used, in Unix seconds, by the user's id. */
  keysLastUsed(organizationId: string): Promise<Map<string, number>>;
  /** Its owners whose e-mail address is verified. */
  ownersOf(organizationId: string): Promise<Pick<Person, "id" | "email">[]>;
  /** True until the first user has verified an address. */
  isFresh(): Promise<boolean>;
};

export function openMemberships({ query, tables }: Database): Memberships {
  const { member, organization, user, apiKey } = tables;
  return {
    async memberships(userId) {
      const rows = await query
        .select({ organization, role: member.role })
        .from(member)
        .innerJoin(organization, eq(member.organizationId, organization.id))
        .where(eq(member.userId, userId))
        .orderBy(asc(organization.createdAt), asc(organization.id));
      return rows.map(({ role, ...row }) => ({ ...row, role: highest(role) }));
    },
    async roleIn(organizationId, userId) {
      const [row] = await query
        .select({ role: member.role })
        .from(member)
        .where(and(eq(member.organizationId, organizationId), eq(member.userId, userId)));
      return row ? highest(row.role) : null;
    },
    async people(organizationId) {
      const rows = await query
        .select({ user, role: member.role, at: member.createdAt })
        .from(member)
        .innerJoin(user, eq(member.userId, user.id))
        .where(eq(member.organizationId, organizationId))
        .orderBy(asc(member.createdAt), asc(member.id));
      return rows.map(({ user: { id, name, email, createdAt }, role, at }) => ({
        ...{ id, name, email, role: highest(role) },
        ...{ createdAt: secondsOf(createdAt), joinedAt: secondsOf(at) },
      }));
    },
    async keysLastUsed(organizationId) {
      const isUsed = and(isNotNull(apiKey.createdBy), isNotNull(apiKey.lastUsedAt));
      const rows = await query
        .select({ id: apiKey.createdBy, at: max(apiKey.lastUsedAt) })
        .from(apiKey)
        .where(and(eq(apiKey.organizationId, organizationId), isUsed))
        .groupBy(apiKey.createdBy);
      return new Map(rows.map(({ id, at }) => [id!, Number(at)]));
    },
    async ownersOf(organizationId) {
      const rows = await query
        .select({ id: user.id, email: user.email, role: member.role })
        .from(member)
        .innerJoin(user, eq(member.userId, user.id))
        .where(and(eq(member.organizationId, organizationId), eq(user.emailVerified, true)));
      return rows.filter(({ role }) => highest(role) === "owner").map(({ id, email }) => ({ id, email }));
    },
    isFresh: async () =>
      (await query.select({ id: user.id }).from(user).where(eq(user.emailVerified, true)).limit(1)).length ===
      0,
  };
}

/** The library may store several roles, separated by commas. */
export function highest(written: string): Role {
  const roles = written.split(",");
  return (["owner", "admin"] as const).find((role) => roles.includes(role)) ?? "member";
}
