/**
 * How people come to have an account, and what they get with it: who may sign up, whose the first organization is,
 * which one somebody founded, and who runs this server.
 *
 * What somebody founds has a seat whose id is made of theirs: they found once, however often it is tried.
 */
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { IdentityConfig } from "../config.ts";
import { type Database, isConflict, type Tables } from "../db/database.ts";
import { Fault } from "../errors.ts";
import { newId } from "../ids.ts";
import { UNVERIFIED_MS } from "./expiry.ts";
import { newOrganization } from "./organizations.ts";

/** Where the name of an organization waits until its founder is verified. */
const namedBy = (userId: string) => `organization:${userId}`;

type UserRow = Tables["user"]["$inferSelect"];

type NewOperator = { email: string; name: string; passwordHash: string };

export type Users = {
  /** Refuses who may not sign up, whether or not they have an account. */
  admit(email: string, policy: Pick<IdentityConfig, "signUp" | "domains">): Promise<void>;
  /** Keeps what an unverified user calls the organization that they may found, or forgets it. */
  nameFirst(userId: string, organizationName: string | null): Promise<void>;
  /**
   * Gives whoever proved their address what they signed up for: the very first one this server and its first organization,
   * an invited one nothing yet, anybody else an organization of their own. Idempotent; nothing for who is not there.
   */
  settle(userId: string): Promise<void>;
  /** The organization that somebody founded and still owns, or null. */
  founded(userId: string): Promise<string | null>;
  operators(): Promise<UserRow[]>;
  /** A verified operator who owns the first organization. Whose address was verified keeps their password: `isNew` is false. */
  makeOperator(operator: NewOperator): Promise<{ isNew: boolean }>;
  /** False where nobody of that address is an operator. */
  revokeOperator(email: string): Promise<boolean>;
  /** Ends every session. False where nobody has that address. */
  setPassword(email: string, passwordHash: string): Promise<boolean>;
};

export function openUsers(database: Database, clock: Clock): Users {
  return { ...newcomersOf(database, clock), ...operatorsOf(database, clock) };
}

function newcomersOf(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { user, member, verification } = tables;
  const isInvited = invitations(database, clock);
  const claimFirst = claims(database, clock);

  return {
    async admit(email: string, { signUp, domains }: Pick<IdentityConfig, "signUp" | "domains">) {
      const address = email.toLowerCase();
      const closed = new Fault("sign_up_closed", "Nobody can sign up here with this address.");
      if (signUp === "closed") throw closed;
      if (await isInvited(address)) return;
      const anybody = query.select().from(user).where(eq(user.emailVerified, true)).limit(1);
      if (signUp === "invited" && (await exists(anybody))) throw closed;
      const domain = address.slice(address.lastIndexOf("@") + 1);
      if (domains.length > 0 && !domains.includes(domain)) throw closed;
    },
    async nameFirst(userId: string, organizationName: string | null) {
      await query.delete(verification).where(eq(verification.identifier, namedBy(userId)));
      if (organizationName === null || !(await exists(query.select().from(user).where(eq(user.id, userId)))))
        return;
      const at = new Date(clock.now());
      const times = { expiresAt: new Date(clock.now() + UNVERIFIED_MS), createdAt: at, updatedAt: at };
      const row = { id: newId("mail", clock), identifier: namedBy(userId), value: organizationName };
      await query.insert(verification).values({ ...row, ...times });
    },
    async settle(userId: string) {
      const [person] = await query.select().from(user).where(eq(user.id, userId));
      if (!person || (await isInvited(person.email))) return;
      if (await exists(query.select().from(member).where(eq(member.userId, userId)).limit(1))) return;
      if (await claimFirst(userId)) return;
      const [named] = await query
        .select()
        .from(verification)
        .where(eq(verification.identifier, namedBy(userId)));
      const { owner, home } = newOrganization(named?.value ?? `${person.name}'s organization`, clock);
      const seat = ownerSeat({ id: seatOf(userId), organizationId: owner.id, userId }, clock);
      await unlessTaken(
        database.atomically([
          query.insert(tables.organization).values(owner),
          query.insert(tables.project).values(home),
          query.insert(member).values(seat),
          query.delete(verification).where(eq(verification.identifier, namedBy(userId))),
        ]),
      );
    },
    async founded(userId: string) {
      const owned = and(eq(member.userId, userId), eq(member.role, "owner"));
      const seats = await query.select().from(member).where(owned);
      const founding = ({ id, organizationId }: { id: string; organizationId: string }) =>
        [seatOf(userId), seatOf(organizationId)].includes(id);
      return seats.find(founding)?.organizationId ?? null;
    },
  };
}

function invitations({ query, tables: { invitation } }: Database, clock: Clock) {
  return (email: string): Promise<boolean> => {
    const open = and(eq(invitation.status, "pending"), gt(invitation.expiresAt, new Date(clock.now())));
    return exists(
      query
        .select()
        .from(invitation)
        .where(and(eq(invitation.email, email), open))
        .limit(1),
    );
  };
}

/**
 * The first organization and the right to run this server, for who first proves an address where no operator was made by
 * hand. Whoever holds them without having proved theirs loses them.
 */
function claims(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { installation, member, user } = tables;
  const isUnproven = eq(user.emailVerified, false);
  return async (userId: string): Promise<boolean> => {
    const [installed] = await query.select().from(installation);
    if (!installed) return false;
    const { organizationId } = installed;
    const isSeat = eq(member.organizationId, organizationId);
    const seats = query
      .select()
      .from(member)
      .innerJoin(user, eq(member.userId, user.id))
      .where(and(isSeat, eq(user.emailVerified, true)));
    const operators = query
      .select()
      .from(user)
      .where(and(eq(user.operator, true), eq(user.emailVerified, true)));
    if ((await exists(seats.limit(1))) || (await exists(operators.limit(1)))) return false;
    const unproven = query.select({ id: user.id }).from(user).where(isUnproven);
    return unlessTaken(
      database.atomically([
        query.delete(member).where(and(isSeat, inArray(member.userId, unproven))),
        query
          .update(user)
          .set({ operator: false })
          .where(and(isUnproven, eq(user.operator, true))),
        // of two who come at once, one has this seat; verified with it, for the other would take it from them
        query.insert(member).values(ownerSeat({ id: seatOf(organizationId), organizationId, userId }, clock)),
        query.update(user).set({ operator: true, emailVerified: true }).where(eq(user.id, userId)),
      ]),
    );
  };
}

const exists = async (rows: PromiseLike<unknown[]>): Promise<boolean> => (await rows).length > 0;

function operatorsOf(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { user, credential, session, member, installation } = tables;
  const byEmail = async (email: string) =>
    (await query.select().from(user).where(eq(user.email, email.toLowerCase())))[0] ?? null;
  const now = () => new Date(clock.now());
  const newCredential = (userId: string, password: string) => ({
    ...{ id: newId("cred", clock), userId, accountId: userId, providerId: "credential", password },
    ...{ createdAt: now(), updatedAt: now() },
  });

  return {
    operators: async () =>
      query.select().from(user).where(eq(user.operator, true)).orderBy(asc(user.createdAt), asc(user.id)),
    async makeOperator({ email, name, passwordHash }: NewOperator) {
      const known = await byEmail(email);
      const userId = known?.id ?? newId("user", clock);
      const { organizationId } = (await query.select().from(installation))[0]!;
      const person = { id: userId, email: email.toLowerCase(), name, emailVerified: true, operator: true };
      const seat = ownerSeat({ id: newId("mem", clock), organizationId, userId }, clock);
      const operating = { emailVerified: true, operator: true };
      const isProven = known?.emailVerified === true; // any other account of that address anybody may have made
      await database.atomically([
        known
          ? query.update(user).set(operating).where(eq(user.id, userId))
          : query.insert(user).values({ ...person, createdAt: now(), updatedAt: now() }),
        ...(isProven
          ? []
          : [
              query.delete(credential).where(eq(credential.userId, userId)),
              query.insert(credential).values(newCredential(userId, passwordHash)),
            ]),
        query
          .insert(member)
          .values(seat)
          .onConflictDoUpdate({ target: [member.organizationId, member.userId], set: { role: "owner" } }),
      ]);
      return { isNew: !isProven };
    },
    async revokeOperator(email: string) {
      const operating = and(eq(user.email, email.toLowerCase()), eq(user.operator, true));
      return (await query.update(user).set({ operator: false }).where(operating).returning()).length > 0;
    },
    async setPassword(email: string, passwordHash: string) {
      const known = await byEmail(email);
      if (!known) return false;
      await database.atomically([
        query.delete(session).where(eq(session.userId, known.id)),
        query.delete(credential).where(eq(credential.userId, known.id)),
        query.insert(credential).values(newCredential(known.id, passwordHash)),
      ]);
      return true;
    },
  };
}

/** `mem_` and what follows the prefix of another id. */
const seatOf = (id: string) => `mem_${id.slice(id.indexOf("_") + 1)}`;

const ownerSeat = (seat: { id: string; organizationId: string; userId: string }, clock: Clock) => ({
  ...seat,
  role: "owner",
  createdAt: new Date(clock.now()),
});

async function unlessTaken(written: Promise<void>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
