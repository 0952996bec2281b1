/**
 * The people of the server, for its operators: who has signed up, who waits for a mail that a server without a mail server
 * never sends, and what an operator does about it.
 */
import { createHash } from "node:crypto";
import { and, desc, eq, inArray, like, lt, max, or, type SQL, sql } from "drizzle-orm";
import type { Role } from "../accounts/memberships.ts";
import { newLinkSecret } from "../accounts/secret.ts";
import { openUsers } from "../accounts/users.ts";
import { openAudit } from "../audit/audit-events.ts";
import { type Clock, secondsOf } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { newId } from "../ids.ts";
import { linkTo, RESET_SECONDS } from "./mail.ts";

type Row = Tables["user"]["$inferSelect"];

/** Times in Unix seconds. `seenAt`: of the newest session that has not ended. */
export type ServerUser = Pick<Row, "id" | "email" | "name" | "emailVerified" | "operator"> & {
  createdAt: number;
  seenAt: number | null;
  organizations: { id: string; name: string; role: Role }[];
};

/** `search`: part of a name or an address. `isPending`: whose address is not verified. */
type Asked = { search: string; isPending: boolean; before: string | null; limit: number };

export type ServerUsers = {
  /** The newest first. */
  list(asked: Asked): Promise<ServerUser[]>;
  /** The operator vouches for the address. False: no one waits under that id. */
  approve(id: string): Promise<boolean>;
  /** Someone whose address is not verified. False: no one waits under that id. */
  remove(id: string): Promise<boolean>;
  /** The address of a page that sets a new password, once, within an hour; null: there is no such user. */
  passwordLink(id: string): Promise<{ url: string; expiresAt: number } | null>;
};

/** `verified`: called with the organization that an approved person owns. */
type ServerUsersDeps = {
  database: Database;
  origin: () => string;
  verified: (organizationId: string) => Promise<void>;
  clock: Clock;
};

export function openServerUsers({ database, origin, verified, clock }: ServerUsersDeps): ServerUsers {
  const { query, tables } = database;
  const { user, session, credential, verification } = tables;
  const audit = openAudit(database, clock);
  const users = openUsers(database, clock);
  const pending = (id: string) => and(eq(user.id, id), eq(user.emailVerified, false));
  const event = (type: "user.updated" | "user.deleted", { id, email }: Row) => ({
    ...{ type, organizationId: null, resourceId: id },
    changes: [{ field: "email_verified", before: false, after: type === "user.updated" ? email : null }],
  });
  const find = async (where: SQL | undefined) => (await query.select().from(user).where(where))[0];

  return {
    list: lister(database),
    async approve(id) {
      const waiting = await find(pending(id));
      if (!waiting) return false;
      await users.provision(id);
      const now = new Date(clock.now());
      const update = query.update(user).set({ emailVerified: true, updatedAt: now }).where(pending(id));
      const isApproved = await audit.ifChanged(update, [], [event("user.updated", waiting)]);
      const own = await users.ownOrganization(id);
      if (own !== null) await verified(own);
      return isApproved;
    },
    async remove(id) {
      const waiting = await find(pending(id));
      if (!waiting) return false;
      const still = query.select({ id: user.id }).from(user).where(pending(id));
      await audit.atomically(
        [
          query.delete(credential).where(inArray(credential.userId, still)),
          query.delete(session).where(inArray(session.userId, still)),
          query.delete(user).where(pending(id)),
        ],
        [event("user.deleted", waiting)],
      );
      return true;
    },
    async passwordLink(id) {
      if (!(await find(eq(user.id, id)))) return null;
      const token = newLinkSecret();
      const [now, end] = [new Date(clock.now()), clock.now() + RESET_SECONDS * 1000];
      await audit.atomically(
        [
          query.insert(verification).values({
            ...{ id: newId("mail", clock), identifier: resetIdentifier(token), value: id },
            ...{ expiresAt: new Date(end), createdAt: now, updatedAt: now },
          }),
        ],
        [{ type: "user.updated", organizationId: null, resourceId: id, changes: LINK_MADE }],
      );
      return { url: linkTo(origin(), "reset", { token }), expiresAt: secondsOf(new Date(end)) };
    },
  };
}

const LINK_MADE = [{ field: "password_link", before: null, after: "created" }];

/** As the identity library stores the token of its own mails, and finds it when the page sends it. */
const resetIdentifier = (token: string): string =>
  createHash("sha256").update(`reset-password:${token}`).digest("base64url");

function lister({ query, tables: { user, session, member, organization } }: Database) {
  return async ({ search, isPending, before, limit }: Asked): Promise<ServerUser[]> => {
    const part = `%${search.toLowerCase().replaceAll(/[%_\\]/g, "")}%`;
    const conditions = [
      search === "" ? undefined : or(like(user.email, part), sql`lower(${user.name}) like ${part}`),
      isPending ? eq(user.emailVerified, false) : undefined,
      before === null ? undefined : lt(user.id, before),
    ];
    const rows = await query
      .select()
      .from(user)
      .where(and(...conditions))
      .orderBy(desc(user.id)) // an id begins with its time
      .limit(limit);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return [];
    const seats = await query
      .select({ userId: member.userId, role: member.role, id: organization.id, name: organization.name })
      .from(member)
      .innerJoin(organization, eq(organization.id, member.organizationId))
      .where(inArray(member.userId, ids));
    const seen = await query
      .select({ userId: session.userId, at: max(session.updatedAt) })
      .from(session)
      .where(inArray(session.userId, ids))
      .groupBy(session.userId);
    const seenAt = new Map(seen.map(({ userId, at }) => [userId, at && secondsOf(at)]));
    return rows.map(({ id, email, name, emailVerified, operator, createdAt }) => ({
      ...{ id, email, name, emailVerified, operator, createdAt: secondsOf(createdAt) },
      seenAt: seenAt.get(id) ?? null,
      organizations: seats
        .filter(({ userId }) => userId === id)
        .map(({ id, name, role }) => ({ id, name, role: role as Role })),
    }));
  };
}
